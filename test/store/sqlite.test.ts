import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/store/index.js';
import { storeContract } from './contract.js';
import { silent } from './silent.js';

storeContract('a SQLite store', async ({ appended, ...options }) => {
  const directory = mkdtempSync(join(tmpdir(), 'kedi-store-'));
  const open = (): Promise<Store> =>
    openStore({
      ...options,
      directory,
      durability: 'normal',
      logger: silent,
      ...(appended !== undefined && { observer: { appended } }),
    });
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async end() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
