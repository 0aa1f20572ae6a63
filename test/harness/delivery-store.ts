/** A store with a company, a user, a carrier and two nodes, for tests of what happens to messages in it. */
import { beforeAll, beforeEach } from 'vitest';
import { enterNode } from '../../src/messages/nodes/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { putCompany, putUser } from './account-verbs.ts';
import { clearDelivery, listMessages, type MessageRow, putSimulator } from './delivery-verbs.ts';
import type { Engine, FreshStore } from './stores.ts';

export interface DeliveryStore {
  readonly store: Store;
  readonly fresh: FreshStore;
}

/** Users 10 and 11 of company 1, carrier 1, and nodes 7 and 8. */
export async function fillStore(store: Store): Promise<void> {
  await store.write(putCompany, { id: 1, name: 'Company' });
  await store.write(putUser, { id: 10, companyId: 1, username: 'first' });
  await store.write(putUser, { id: 11, companyId: 1, username: 'second' });
  await store.write(putSimulator, { id: 1 });
  await enterNodes(store);
}

export async function enterNodes(store: Store): Promise<void> {
  for (const nodeId of [7, 8]) await store.write(enterNode, { nodeId, now: 1_000 });
}

/** One store for a block of tests; its messages are deleted before each test. */
export function deliveryStore(engine: Engine): DeliveryStore {
  let fresh: FreshStore;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
  });
  beforeEach(async () => {
    await fresh.store.write(clearDelivery, null);
    await enterNodes(fresh.store);
  });
  return {
    get store() {
      return fresh.store;
    },
    get fresh() {
      return fresh;
    },
  };
}

export async function findMessage(store: Store, id: number): Promise<MessageRow> {
  const message = (await store.read(listMessages, null)).find((row) => row.id === id);
  if (message === undefined) throw new Error(`there is no message ${id}`);
  return message;
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

export function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id);
}
