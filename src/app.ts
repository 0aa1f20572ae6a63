/** Builds the parts of a server, starts them in order, and stops them in reverse. */
import type { Logger } from 'pino';
import { apiKeySecret } from './accounts/api-key.ts';
import { authentication } from './accounts/authentication.ts';
import type { Caller } from './accounts/caller.ts';
import { accountEndpoints } from './accounts/endpoints.ts';
import { Passwords } from './accounts/password.ts';
import type { CarrierRecord } from './carriers/carrier-record.ts';
import { Simulator } from './carriers/simulator/simulator.ts';
import { listCarriers } from './carriers/store.ts';
import { type Config, publicUrl } from './config.ts';
import { addressBookEndpoints } from './contacts/endpoints.ts';
import { openControl } from './control.ts';
import { systemClock, systemStopwatch } from './foundation/clock.ts';
import { ServiceError } from './foundation/errors.ts';
import { createLog } from './foundation/log.ts';
import { createServer, type HttpServer } from './http/server.ts';
import { acceptMessages } from './messages/accept-store.ts';
import { Delivery } from './messages/delivery.ts';
import { messageEndpoints } from './messages/endpoints.ts';
import type { Dispatching } from './messages/handover.ts';
import type { Sending } from './messages/send.ts';
import { createMetrics } from './metrics.ts';
import { openStore } from './open-store.ts';
import { createDemoCompany, type DemoCredentials } from './provisioning/demo.ts';
import { provisionAtStart } from './provisioning/provision-at-start.ts';
import { RoutingTable } from './routing/routing-table.ts';
import { listRoutes } from './routing/store.ts';
import { serverSecret } from './server-secret.ts';
import { Ids } from './storage/ids.ts';
import { News } from './storage/news.ts';
import { lockFolder } from './storage/sqlite/folder-lock.ts';
import type { Store } from './storage/store.ts';
import { readVersion } from './version.ts';

export interface App {
  /** Where users reach the server; undefined on a node that serves no HTTP. */
  readonly url: string | undefined;
  /** Of the demo company that a first start on an empty store makes. */
  readonly demo: DemoCredentials | undefined;
  /** Answers what is under way, lets carriers answer, stores it all, and closes; safe to call again. */
  stop(): Promise<void>;
}

const httpStopMs = 10_000;
const carrierStopMs = 15_000;

/** Ids are leased in blocks: large where every request draws, small where a block mostly goes to waste. */
const messageIdBlock = 10_000;
const incomingIdBlock = 100;

/** Announced when a node that only accepts has something for the nodes that dispatch. */
const dispatchTopic = 'dispatch';

const clock = systemClock;

export async function startApp(config: Config, log = createLog(config.logLevel)): Promise<App> {
  const stack = new StopStack();
  try {
    return await start(config, log, stack);
  } catch (error) {
    await stack.unwind();
    throw error;
  }
}

async function start(config: Config, log: Logger, stack: StopStack): Promise<App> {
  const secret = serverSecret(config);
  if (config.databaseUrl === undefined) {
    const lock = lockFolder(config.dataFolder);
    stack.push(async () => lock.release());
  }
  const store = await openStore(config, log);
  stack.push(() => store.close());
  await provision(config, store, log);

  const news = new News(store);
  await news.start();
  stack.push(async () => news.stop());
  const metrics = createMetrics();
  const incoming = { store, clock, ids: new Ids(store, 'incoming', incomingIdBlock) };
  const carriers = await followCarriers(store, news, log);
  const delivery = new Delivery({
    store,
    routes: carriers.routes,
    clock,
    nodeIds: new Ids(store, 'node', 1),
    receiving: incoming,
    observer: metrics.observer,
    retentionDays: config.retentionDays,
    log,
  });
  metrics.watch({ inFlight: () => delivery.inFlight() });
  const dispatches = config.roles.has('dispatch');

  if (dispatches) {
    const records = await readCarriers(store);
    carriers.follow((changed) => delivery.update(changed));
    stack.push(() => delivery.stop(carrierStopMs));
    await delivery.start(records);
    store.onAnnouncement((topic) => {
      if (topic === dispatchTopic) delivery.wakeAll();
    });
    await openOperatorSocket(config, delivery, stack, log);
  }
  const stop = () => stack.unwind();
  if (!config.roles.has('http')) return { url: undefined, demo: await makeDemo(config, store, news), stop };

  const sending: Sending = {
    store,
    clock,
    ids: new Ids(store, 'message', messageIdBlock),
    routes: carriers.routes,
    dispatching: dispatches ? delivery : elsewhere(store),
    observer: metrics.observer,
  };
  const server = buildServer(config, log, { store, news, secret, sending, metrics });
  const port = await server.listen();
  stack.push(() => server.stop(httpStopMs));
  return { url: publicUrl(config, port), demo: await makeDemo(config, store, news), stop };
}

/** On a node that only accepts: whoever dispatches is told that something waits. */
function elsewhere(store: Store): Dispatching {
  return { expect: () => undefined, wake: () => store.announce(dispatchTopic) };
}

async function provision(config: Config, store: Store, log: Logger): Promise<void> {
  if (config.provisioningFile === undefined) return;
  const changes = await provisionAtStart({ store, clock }, config.provisioningFile);
  if (changes.length > 0) log.info({ changes }, 'applied the provisioning file');
}

/**
 * For an empty store and an operator without a file. Last of all, when nothing can fail any more: its password is told
 * once and kept nowhere.
 */
async function makeDemo(config: Config, store: Store, news: News): Promise<DemoCredentials | undefined> {
  if (config.provisioningFile !== undefined) return undefined;
  const demo = await createDemoCompany(store, clock);
  if (demo !== undefined) await news.read();
  return demo;
}

interface Carriers {
  readonly routes: () => RoutingTable;
  /** Calls back with the carriers whenever they, or the routes, have changed. */
  readonly follow: (follower: (records: readonly CarrierRecord[]) => Promise<void>) => void;
}

/**
 * Keeps the routing table, and whoever else follows the carriers, as new as the store. News must be read already: what
 * changed before the first reading of the news, and after the table was read, would go unnoticed.
 */
async function followCarriers(store: Store, news: News, log: Logger): Promise<Carriers> {
  const followers: ((records: readonly CarrierRecord[]) => Promise<void>)[] = [];
  let table = new RoutingTable([], []);
  const renew = async () => {
    const records = await readCarriers(store);
    table = new RoutingTable(await store.read(listRoutes, null), records);
    return records;
  };
  news.on('carriers', async () => {
    const records = await renew();
    for (const follower of followers) {
      // Not awaited: a carrier that stops slowly must not hold up the news of accounts.
      follower(records).catch((error: unknown) =>
        log.error({ error }, 'a change of the carriers could not be followed'),
      );
    }
  });
  await renew();
  return { routes: () => table, follow: (follower) => followers.push(follower) };
}

function readCarriers(store: Store) {
  return store.read(listCarriers, null);
}

interface ServerNeeds {
  readonly store: Store;
  readonly news: News;
  readonly secret: string;
  readonly sending: Sending;
  readonly metrics: ReturnType<typeof createMetrics>;
}

function buildServer(
  config: Config,
  log: Logger,
  { store, news, secret, sending, metrics }: ServerNeeds,
): HttpServer {
  const keySecret = apiKeySecret(secret);
  const issuer = { store, clock, secret: keySecret, ids: new Ids(store, 'apiKey', 1) };
  return createServer<Caller>({
    config,
    version: readVersion(),
    endpoints: [...messageEndpoints(sending), ...addressBookEndpoints(store), ...accountEndpoints(issuer)],
    authenticate: authentication({
      ...{ store, news, clock, stopwatch: systemStopwatch },
      ...{ secret: keySecret, passwords: new Passwords() },
    }),
    log,
    health: { ready: () => readiness(store, news) },
    storeWaitMs: () => store.waitMs(acceptMessages),
    metrics: metrics.http,
  });
}

function readiness(store: Store, news: News): true | string {
  if (!news.trusted) return 'the store cannot be read';
  return store.works || 'the store cannot be written';
}

interface SimulatedIncoming {
  readonly to: string;
  readonly from: string;
  readonly text: string;
}

/** Commands that only the running server can carry out. */
async function openOperatorSocket(
  config: Config,
  delivery: Delivery,
  stack: StopStack,
  log: Logger,
): Promise<void> {
  const control = await openControl(config.dataFolder, {
    async 'simulate-incoming'(input) {
      const { to, from, text } = input as SimulatedIncoming;
      const simulator = delivery.carriers.find((carrier) => carrier instanceof Simulator);
      if (simulator === undefined) {
        throw new ServiceError(
          'not_found',
          'There is no simulator carrier: add one to the provisioning file (type: simulator).',
        );
      }
      return simulator.originate({ recipient: to, sender: from, text });
    },
  });
  if (control === undefined) log.info({}, "another server on this data folder takes the operator's commands");
  else stack.push(() => control.close());
}

/** What was started last is stopped first; each once. */
class StopStack {
  readonly #steps: (() => Promise<void>)[] = [];
  #unwinding: Promise<void> | undefined;

  push(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  unwind(): Promise<void> {
    this.#unwinding ??= this.#run();
    return this.#unwinding;
  }

  /** A step that fails keeps none of the others from being done. */
  async #run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
