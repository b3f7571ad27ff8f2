/** The name and version that clients and upstreams see. A test compares them with package.json. */
export const PRODUCT: { readonly name: string; readonly version: string } = {
  name: 'toolgate',
  version: '0.1.0',
};
