/** How Toolgate names itself to clients and upstreams. A test keeps it with package.json. */
export const PRODUCT: { readonly name: string; readonly version: string } = {
  name: 'toolgate',
  version: '0.1.0',
};
