/** Builds the parts of a server, starts them in order, and stops them in reverse. */
import type { Logger } from 'pino';
import { apiKeySecret } from '../accounts/api-key.ts';
import type { Caller } from '../accounts/caller.ts';
import { accountEndpoints } from '../accounts/endpoints.ts';
import { auditEndpoints } from '../audit/endpoints.ts';
import { purgeOldAudit } from '../audit/purge.ts';
import { batchEndpoints } from '../batches/endpoints.ts';
import { ClosedCompanies, type ClosedCompaniesOptions } from '../batches/hours/closed-companies.ts';
import { Intake } from '../batches/intake/intake.ts';
import { batchTopic } from '../batches/steps/expand.ts';
import { purgeOldBatches } from '../batches/steps/purge.ts';
import type { IncomingSms } from '../carriers/carrier.ts';
import { Simulator } from '../carriers/simulator/simulator.ts';
import { type Config, publicUrl } from '../config/config.ts';
import { addressBookEndpoints } from '../contacts/endpoints.ts';
import { purgeOldMails } from '../email/gateway/purge-mails.ts';
import { purgeOldOutbox } from '../email/outgoing/purge-outbox.ts';
import { emailEndpoints } from '../email/senders/endpoints.ts';
import { systemClock, systemStopwatch } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import { type OpenLog, openLog } from '../foundation/log.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import { Turns } from '../foundation/turns.ts';
import type { Authenticate } from '../http/credentials/credentials.ts';
import { createServer, type HttpServer } from '../http/server/server.ts';
import { addAnswerPage } from '../jobs/answer-routes.ts';
import { answerLinkSecret } from '../jobs/by-mail/answer-link.ts';
import { jobEndpoints } from '../jobs/endpoints.ts';
import { purgeOldRuns } from '../jobs/purge-runs.ts';
import { findRunOf } from '../jobs/record-store.ts';
import type { Starting } from '../jobs/start-job.ts';
import { Delivery, type DeliveryOptions } from '../messages/delivery/delivery.ts';
import { messageEndpoints } from '../messages/endpoints.ts';
import type { Dispatching } from '../messages/handover.ts';
import { managementEndpoints } from '../messages/management/endpoints.ts';
import { CarrierStates } from '../messages/nodes/carrier-states.ts';
import { beatNode } from '../messages/nodes/store.ts';
import { acceptMessages } from '../messages/sending/accept-store.ts';
import type { Sending } from '../messages/sending/send.ts';
import { Purge, type PurgeOptions } from '../messages/upkeep/purge.ts';
import type { DemoCredentials } from '../provisioning/demo.ts';
import { Ids } from '../storage/ids.ts';
import { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { SavedTemplates } from '../templates/saved-templates.ts';
import { webhookEndpoints } from '../webhooks/endpoints.ts';
import { BatchWork } from './batch-work.ts';
import { type Commands, openControl } from './control.ts';
import { followCarriers, readCarriers } from './follow-carriers.ts';
import { followListening } from './follow-listening.ts';
import { jobCommands } from './job-commands.ts';
import { announcingAnswers, startJobs } from './job-work.ts';
import { openLogins } from './logins.ts';
import { startMail } from './mail-work.ts';
import { makeDemo } from './make-demo.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openServerStore } from './open-server-store.ts';
import { recordOperatorEvent } from './operator-events.ts';
import { startOutgoingMail } from './outgoing-mail.ts';
import { noted } from './security-notes.ts';
import { StopStack } from './stop-stack.ts';
import { readVersion } from './version.ts';
import { startWebhooks } from './webhook-posts.ts';

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
const batchIdBlock = 10;

/** Announced when a node that only accepts has something for the nodes that dispatch. */
const dispatchTopic = 'dispatch';

const clock = systemClock;

export async function startApp(config: Config, opened = openLog(config.logLevel)): Promise<App> {
  const stack = new StopStack();
  const { log } = opened;
  let isReady = false;
  stack.push(async () => {
    if (isReady) log.info('Carillon has stopped');
    log.flush();
  });
  try {
    const { url, demo } = await start(config, opened, stack);
    isReady = true;
    log.info({ url }, 'Carillon is ready');
    stack.push(async () => log.info('Carillon is stopping'));
    return { url, demo, stop: () => stack.unwind() };
  } catch (error) {
    await stack.unwind();
    throw error;
  }
}

async function start(
  config: Config,
  { log, lostLines }: OpenLog,
  stack: StopStack,
): Promise<Omit<App, 'stop'>> {
  const { store, secret, sealing } = await openServerStore(config, log, stack);
  log.info(factsOf(config), 'Carillon starts');
  const news = await startNews(store, stack);
  const metrics = createMetrics(lostLines);
  const heard = { store, news, clock, observer: announcingAnswers(metrics.observer, store), log };
  const { observer, isListenedTo } = await followListening(heard, stack);
  const states = new CarrierStates({ store, clock });
  const carriers = await followCarriers({ store, sealing }, news, states, log);
  const closed = await followHours(news, { store, clock, stopwatch: systemStopwatch, log });
  const delivery = makeDelivery(config, states, {
    store,
    routes: carriers.routes,
    clock,
    nodeIds: new Ids(store, 'node', 1),
    receiving: { store, clock, ids: new Ids(store, 'incoming', incomingIdBlock) },
    observer,
    closedHours: (now) => closed.at(now),
    log,
  });
  metrics.watch({ inFlight: () => delivery.inFlight(), carriers: () => delivery.reported });
  const dispatches = config.roles.has('dispatch');

  const batches = new BatchWork({ store, clock, delivery, closed, log, observer, isListenedTo });
  if (dispatches) {
    const records = await readCarriers({ store, sealing });
    carriers.follow((changed) => delivery.update(changed));
    stack.push(() => delivery.stop(carrierStopMs));
    await delivery.start(records);
    stack.push(() => batches.stop());
    batches.start();
    startPurge(config, { store, clock, stopwatch: systemStopwatch, log }, stack);
    await startWebhooks({ config, store, news, clock, sealing, delivery, metrics, log }, stack);
    await startOutgoingMail({ config, store, clock, delivery, metrics, log }, stack);
    listen(store, delivery, batches);
  }
  await states.start();
  stack.push(async () => states.stop());

  const { authenticate, security } = await openLogins({ store, news, secret, metrics, log }, stack);
  const sending: Sending = {
    ...{ store, clock, routes: carriers.routes, observer, isListenedTo, security },
    ids: new Ids(store, 'message', messageIdBlock),
    templates: new SavedTemplates(store, news),
    dispatching: dispatches ? delivery : elsewhere(store),
    turns: new Turns(),
  };
  const starting = await startJobs({ config, secret, sending, log }, stack);
  if (dispatches) await openOperatorSocket(config, { delivery, security, log, starting }, stack);
  await startMail({ config, sending, authenticate, metrics, log }, stack);
  const accepted = dispatches ? () => batches.wake() : () => store.announce(batchTopic);
  const needs = { store, news, secret, sending, starting, authenticate, metrics, accepted };
  const port = config.roles.has('http') ? await serve(config, log, stack, needs) : undefined;
  const url = port === undefined ? undefined : publicUrl(config, port);
  return { url, demo: await makeDemo(config, { store, news, clock, log }) };
}

function factsOf({ roles, databaseUrl }: Config): object {
  const store = databaseUrl === undefined ? 'SQLite' : 'PostgreSQL';
  return { version: readVersion(), processId: process.pid, roles: [...roles], store };
}

async function startNews(store: Store, stack: StopStack): Promise<News> {
  const news = new News(store);
  await news.start();
  stack.push(async () => news.stop());
  return news;
}

function startPurge(
  { retentionDays }: Config,
  options: Omit<PurgeOptions, 'retentionDays' | 'alsoPurge'>,
  stack: StopStack,
): void {
  const purge = new Purge({
    ...options,
    retentionDays,
    alsoPurge: [purgeOldBatches, purgeOldMails, purgeOldOutbox, purgeOldRuns, purgeOldAudit],
  });
  stack.push(() => purge.stop());
  purge.start();
}

async function followHours(news: News, options: ClosedCompaniesOptions): Promise<ClosedCompanies> {
  const closed = new ClosedCompanies(options);
  news.on('accounts', () => closed.read());
  await closed.read();
  return closed;
}

/** To what nodes that only accept announce. */
function listen(store: Store, delivery: Delivery, batches: BatchWork): void {
  store.onAnnouncement((topic) => {
    if (topic === dispatchTopic) delivery.wakeAll();
    if (topic === batchTopic) batches.wake();
  });
}

/** With a failover that goes by what is known of the carriers, here and at other nodes. */
function makeDelivery(config: Config, states: CarrierStates, options: DeliveryOptions): Delivery {
  const failover = { states, afterMs: config.failoverSeconds * 1_000 };
  const delivery = new Delivery({ ...options, failover });
  states.follow(delivery);
  return delivery;
}

/** On a node that only accepts: whoever dispatches is told that something waits. */
function elsewhere(store: Store): Dispatching {
  return { expect: () => undefined, wake: () => store.announce(dispatchTopic) };
}

interface ServerNeeds {
  readonly store: Store;
  readonly news: News;
  readonly secret: string;
  readonly sending: Sending;
  readonly starting: Starting;
  readonly authenticate: Authenticate<Caller>;
  /** Is told of new batches. */
  readonly accepted: () => void;
  readonly metrics: Metrics;
}

/** Returns the port that it listens on. */
async function serve(config: Config, log: Logger, stack: StopStack, needs: ServerNeeds): Promise<number> {
  const intake = new Intake();
  stack.push(() => intake.stop());
  const server = buildServer(config, log, intake, needs);
  const port = await server.listen();
  needs.metrics.watchHttp(server.connections);
  stack.push(() => server.stop(httpStopMs));
  return port;
}

function buildServer(
  config: Config,
  log: Logger,
  intake: Intake,
  { store, news, secret, sending, starting, authenticate, accepted, metrics }: ServerNeeds,
): HttpServer {
  const ids = new Ids(store, 'batch', batchIdBlock);
  const batching = { store, clock, ids, routes: sending.routes, accepted };
  const issuer = { store, clock, secret: apiKeySecret(secret), ids: new Ids(store, 'apiKey', 1) };
  return createServer<Caller>({
    config,
    version: readVersion(),
    endpoints: [
      ...messageEndpoints(sending),
      ...batchEndpoints(batching, intake),
      ...emailEndpoints(store),
      ...addressBookEndpoints(store),
      ...accountEndpoints(issuer),
      ...jobEndpoints(starting),
      ...webhookEndpoints(store),
      ...managementEndpoints({ ...sending, findRunOf: (message) => store.read(findRunOf, message) }),
      ...auditEndpoints(store),
    ].map((endpoint) => noted(endpoint, sending.security)),
    authenticate,
    log,
    health: { ready: () => readiness(store, news) },
    storeWaitMs: () => store.waitMs(acceptMessages),
    metrics: metrics.http,
    turns: sending.turns,
    ownerOf: ({ companyId }) => companyId,
    routes: (pages) =>
      addAnswerPage(pages, { store, clock, secret: answerLinkSecret(secret), wake: starting.wake }),
  });
}

/**
 * What users depend on: that their messages are taken, and that this node counts as alive, without which it delivers
 * none. A store that is out of reach, or full, shows in these too. Any other write may fail for a reason of its own,
 * such as a lock that only a sweep meets, and it would help nobody to send users away for that.
 */
const vitalVerbs = [acceptMessages, beatNode];

function readiness(store: Store, news: News): true | string {
  if (!news.trusted) return 'the store cannot be read';
  return vitalVerbs.every((verb) => store.worksFor(verb)) || 'the store cannot be written';
}

interface SimulatedIncoming extends Pick<IncomingSms, 'text' | 'concatenation'> {
  readonly to: string;
  readonly from: string;
}

interface OperatorNeeds {
  readonly delivery: Delivery;
  readonly security: SecurityEvents;
  readonly log: Logger;
  readonly starting: Starting;
}

/** Commands that only the running server can carry out. */
async function openOperatorSocket(
  config: Config,
  { delivery, security, log, starting }: OperatorNeeds,
  stack: StopStack,
): Promise<void> {
  const commands: Commands = {
    ...jobCommands(starting),
    'record-event': async (input) => recordOperatorEvent(security, input),
    async 'simulate-incoming'(input) {
      const { to, from, ...sms } = input as SimulatedIncoming;
      const simulator = delivery.carriers.find((carrier) => carrier instanceof Simulator);
      if (simulator === undefined) {
        throw new ServiceError(
          'not_found',
          'There is no simulator carrier: add one to the provisioning file (type: simulator).',
        );
      }
      return simulator.originate({ recipient: to, sender: from, ...sms });
    },
  };
  const control = await openControl(config.dataFolder, commands, log);
  stack.push(() => control.close());
}
