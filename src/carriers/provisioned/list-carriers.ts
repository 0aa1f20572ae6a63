/** The carriers that the operator has provisioned, for those who show them. */
import type { Store } from '../../storage/store.ts';
import type { CarrierRecord } from './carrier-record.ts';
import { listCarriers } from './store.ts';

/** Not what is secret in their settings, nor where they are reached. */
export type ShownCarrier = Pick<CarrierRecord, 'id' | 'name' | 'type'> & {
  /** The most SMS parts a second. */
  readonly throughput: number | undefined;
};

export async function shownCarriers(store: Store): Promise<readonly ShownCarrier[]> {
  const carriers = await store.read(listCarriers, null);
  return carriers.map(({ id, name, type, settings: { throughput } }) => ({
    id,
    name,
    type,
    throughput: typeof throughput === 'number' && throughput > 0 ? throughput : undefined,
  }));
}
