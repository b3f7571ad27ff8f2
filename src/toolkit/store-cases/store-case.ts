import type { Stores } from '../../contract/ports/stores.ts';

export interface StoreCase {
  readonly name: string;
  run(open: () => Promise<Stores>): Promise<void>;
}

export function withStores(body: (stores: Stores) => Promise<void>): StoreCase['run'] {
  return async (open) => {
    const stores = await open();
    try {
      await body(stores);
    } finally {
      await stores.close();
    }
  };
}
