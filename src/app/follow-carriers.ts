/** Keeps the operator's provisioned carriers and routes in memory on a running server. */
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { type CarrierRecord, openSettings } from '../carriers/provisioned/carrier-record.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { CarrierStates } from '../messages/nodes/carrier-states.ts';
import { listOwnedSenders } from '../routing/number-records.ts';
import { type Route, simulatedRoutes } from '../routing/route.ts';
import { listRoutes } from '../routing/route-records.ts';
import { RoutingTable } from '../routing/routing-table.ts';
import { SenderOwners } from '../routing/sender-owners.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import type { Metrics } from './metrics.ts';

interface Carriers {
  readonly routes: () => RoutingTable;
  /** The carriers with their passwords. */
  readonly records: () => readonly CarrierRecord[];
  /** Calls back with the carriers whenever they or the routes have changed. */
  readonly follow: (follower: (records: readonly CarrierRecord[]) => Promise<void>) => void;
}

/**
 * Keeps the routing table, and other followers of the carriers, up to date with the store. The node must already be
 * reading change notices; otherwise a change between the reading of the table and the first reading of notices would be
 * missed.
 */
export async function followCarriers(
  { store, sealing }: CarrierSource,
  news: News,
  states: CarrierStates,
  { log, metrics }: { readonly log: Logger; readonly metrics: Pick<Metrics, 'watchRoutes'> },
): Promise<Carriers> {
  const followers: ((records: readonly CarrierRecord[]) => Promise<void>)[] = [];
  let table = new RoutingTable([], []);
  let latest: readonly CarrierRecord[] = [];
  let simulated: readonly Route[] = [];
  let owners = new SenderOwners();
  const renewOwners = async () => {
    owners = new SenderOwners(await store.read(listOwnedSenders, null));
  };
  const renew = async () => {
    const records = await readCarriers({ store, sealing });
    const isUsable = (carrierId: number) => states.isUsable(carrierId);
    const routes = await store.read(listRoutes, null);
    table = new RoutingTable(routes, records, isUsable, () => owners);
    const before = simulated;
    simulated = simulatedRoutes(routes, records);
    if (simulated.length > 0 && !isDeepStrictEqual(simulated, before))
      log.warn({ routes: simulated.map(({ name }) => name).slice(0, 20) }, simulating);
    latest = records;
    return records;
  };
  news.on('carriers', async () => {
    const records = await renew();
    for (const follower of followers) {
      // Not awaited, because a carrier that stops slowly must not hold up change notices for accounts.
      follower(records).catch((error: unknown) =>
        log.error({ error }, 'a change to the carriers could not be applied'),
      );
    }
  });
  news.on('senders', renewOwners);
  await renewOwners();
  await renew();
  metrics.watchRoutes(() => simulated.length);
  return { routes: () => table, records: () => latest, follow: (follower) => followers.push(follower) };
}

const simulating =
  'these routes lead to a simulator, which reports messages as delivered although no phone gets them, while other routes lead to real carriers';

export interface CarrierSource {
  readonly store: Store;
  readonly sealing: Sealing;
}

/** Includes the carriers' passwords. */
export async function readCarriers({ store, sealing }: CarrierSource): Promise<readonly CarrierRecord[]> {
  const records = await store.read(listCarriers, null);
  return records.map((record) => {
    const settings = openSettings(sealing, record);
    return settings === undefined ? { ...record, unusable } : { ...record, settings };
  });
}

const unusable =
  'its password was encrypted under another server secret: apply the provisioning file that has it again';
