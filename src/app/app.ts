/** Builds the parts of a server, starts them in order, and stops them in reverse. */
import type { Logger } from 'pino';
import { apiKeySecret } from '../accounts/api-keys.ts';
import type { Caller } from '../accounts/caller.ts';
import type { Passwords } from '../accounts/password.ts';
import { batchTopic } from '../batches/batch.ts';
import { ClosedCompanies, type ClosedCompaniesOptions } from '../batches/hours/closed-companies.ts';
import { Intake } from '../batches/intake/intake.ts';
import { PausedBatches } from '../batches/management/acting-on-batch.ts';
import { callbackUrls, callSecret } from '../carriers/http/call-address.ts';
import { changesTopic } from '../changes/change-reader.ts';
import { type TrimmingOptions, trimming } from '../changes/journal.ts';
import { announcing, Listening, type ListeningOptions } from '../changes/tracking.ts';
import { type Config, outgoingDomain, publicUrl } from '../config/config.ts';
import { systemClock, systemStopwatch } from '../foundation/clock.ts';
import { type OpenLog, openLog } from '../foundation/log.ts';
import type { Sealing } from '../foundation/sealing.ts';
import { Turns } from '../foundation/turns.ts';
import type { WokenLoop } from '../foundation/woken-loop.ts';
import { certificateEnd } from '../http/connections/tls-files.ts';
import type { Endpoint } from '../http/endpoints/endpoint.ts';
import { createServer, type HttpServer } from '../http/server/server.ts';
import { addAnswerPage } from '../jobs/answer-by-link.ts';
import { answerLinkSecret } from '../jobs/job-mail.ts';
import { findRunOf } from '../jobs/management/runs.ts';
import type { Starting } from '../jobs/start-job.ts';
import { addCarrierCalls, type CarrierCallServices } from '../messages/delivery/carrier-calls.ts';
import { Delivery, type DeliveryOptions } from '../messages/delivery/delivery.ts';
import type { ReportServices } from '../messages/delivery/store-reports.ts';
import type { Dispatching } from '../messages/handover.ts';
import { replyToWords } from '../messages/incoming/send-opt-out-replies.ts';
import { CarrierStates } from '../messages/nodes/carrier-states.ts';
import { beatNode } from '../messages/nodes/store.ts';
import type { Observer } from '../messages/observer.ts';
import { listOptOutPolicies, type OptOutRules } from '../messages/opted-out.ts';
import { acceptMessages } from '../messages/sending/accept.ts';
import type { Sending } from '../messages/sending/send.ts';
import { announcingUnclaimed } from '../operators/operator-hints.ts';
import { type PersonSecret, personSecret } from '../opt-outs/person-digest.ts';
import { erasureWork } from '../people/erasure.ts';
import { sessionSecret } from '../portal/session.ts';
import type { DemoCredentials } from '../provisioning/demo.ts';
import { Ids } from '../storage/ids.ts';
import { News } from '../storage/news.ts';
import { newerSchema } from '../storage/schema-version.ts';
import type { Store } from '../storage/store.ts';
import { SavedTemplates } from '../templates/saved-templates.ts';
import { describedPosts } from '../webhooks/management/posted-bodies.ts';
import { AddressGuard, LookUps } from '../webhooks/posting/address-guard.ts';
import { startAlerts } from './alert-work.ts';
import { tellCertificateEnd } from './certificate-expiry.ts';
import { BatchWork, startOutgoingMail, startUpkeep, startWebhooks } from './dispatch-work.ts';
import { apiEndpoints } from './endpoints.ts';
import { startClients } from './esme-work.ts';
import { followCarriers, readCarriers } from './follow-carriers.ts';
import { announcingAnswers, startJobs } from './job-work.ts';
import { type Logins, noted, openLogins, permitByScope } from './logins.ts';
import { startMail } from './mail-work.ts';
import { makeDemo } from './make-demo.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openServerStore } from './open-server-store.ts';
import { openOperatorSocket } from './operator-commands.ts';
import { openOperatorPortal } from './operator-portal.ts';
import { firstLink, openPortal, type Portal } from './portal-work.ts';
import { startPresence } from './presence.ts';
import { StopStack } from './stop-stack.ts';
import { readVersion } from './version.ts';

export interface App {
  /** The server's address; undefined on a node that serves no HTTP. */
  readonly url: string | undefined;
  /** Credentials of the demo company that a first start on an empty store creates. */
  readonly demo: DemoCredentials | undefined;
  /** A path that signs in the demo user; works once. */
  readonly demoLink: string | undefined;
  /**
   * Finishes pending requests, waits for carriers to respond, stores everything, and closes. It is safe to call more than
   * once.
   */
  stop(): Promise<void>;
}

const httpStopMs = 10_000;
const carrierStopMs = 15_000;

/** Ids are leased in blocks: large where every request takes ids, small where most of a block would go unused. */
const messageIdBlock = 10_000;
const incomingIdBlock = 100;
const batchIdBlock = 10;

/** Announced when a node that only accepts has work for the nodes that dispatch. */
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
    const started = await start(config, opened, stack);
    const { url } = started;
    isReady = true;
    log.info({ url }, 'Carillon is ready');
    stack.push(async () => log.info('Carillon is stopping'));
    return { ...started, stop: () => stack.unwind() };
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
  tellSettings(config, log);
  const news = await startNews(store, stack);
  const metrics = createMetrics(lostLines);
  tellCertificateEnd(config.tls, { clock, metrics, log }, stack);
  metrics.watchStore(() => store.damage.first !== undefined);
  const heard = { store, news, clock, observer: announcingAnswers(metrics.observer, store), log };
  const { observer, isTracked } = await followListening(heard, stack);
  const states = new CarrierStates({ store, clock });
  const carriers = await followCarriers({ store, sealing }, news, states, { log, metrics });
  const closed = await followHours(news, { store, clock, stopwatch: systemStopwatch, log });
  const personKey = personSecret(secret);
  // SMS may come before there is anything to send replies with; these are found later.
  let replies: WokenLoop | undefined;
  const about = { version: readVersion(), roles: config.roles };
  const life = { nodeIds: new Ids(store, 'node', 1), about, outdated: endOutdated(log) };
  const reports = reporting(store, observer, personKey, () => replies?.wake());
  const delivery = makeDelivery(config, secret, states, {
    ...reports,
    routes: carriers.routes,
    log,
    ...life,
    closedHours: (now: number) => closed.at(now),
    pausedBatches: await followPaused(news, store),
    optOuts: await followOptOuts(news, store, personKey),
  });
  metrics.watch({ inFlight: () => delivery.inFlight(), carriers: () => delivery.reported });
  const dispatches = config.roles.has('dispatch');

  const batches = new BatchWork({ store, clock, delivery, closed, log, observer, isTracked });
  let nodeId = () => delivery.livingNodeId;
  if (dispatches) {
    const records = await readCarriers({ store, sealing });
    carriers.follow((changed) => delivery.update(changed));
    stack.push(() => delivery.stop(carrierStopMs));
    await delivery.start(records);
    stack.start(batches);
    stack.start(erasureWork({ store, clock, log }));
    startUpkeep(config, { store, clock, stopwatch: systemStopwatch, log }, stack);
    await startWebhooks({ config, store, news, clock, sealing, delivery, metrics, log }, stack);
    await startOutgoingMail({ config, store, clock, delivery, metrics, log }, stack);
    listen(store, news, delivery, batches);
  } else nodeId = await startPresence({ ...life, store, clock, log }, stack);
  await states.start();
  stack.push(async () => states.stop());

  const logins = await openLogins({ store, news, secret, metrics, log }, stack);
  const sending: Sending = {
    store,
    clock,
    routes: carriers.routes,
    observer,
    isTracked,
    security: logins.security,
    ids: new Ids(store, 'message', messageIdBlock, clock),
    templates: new SavedTemplates(store, news),
    dispatching: dispatches ? delivery : elsewhere(store),
    turns: new Turns(),
    personSecret: personKey,
  };
  if (dispatches) {
    replies = replyToWords({ sending, log });
    stack.start(replies);
  }
  const starting = await startJobs({ config, secret, sending, log }, stack);
  startAlerts({ config, starting, sealing, metrics, log }, stack);
  const accepted = dispatches ? () => batches.wake() : () => store.announce(batchTopic);
  const endpoints = makeEndpoints(
    config,
    { store, news, secret, sealing, sending, observer, starting, accepted, passwords: logins.passwords },
    stack,
  );
  const { security, turns } = sending;
  if (dispatches)
    await openOperatorSocket(config, { delivery, store, endpoints, security, turns, log }, stack);
  await startMail({ config, sending, authenticate: logins.authenticate, metrics, log }, stack);
  const { smpp: authentication } = logins;
  await startClients({ config, sending, authentication, news, nodeId, metrics, log }, stack);
  let isWelcomed = false;
  const isStarted = () => isWelcomed;
  const known = { store, news, secret, sealing, metrics, reports, carriers: carriers.records };
  const needs = { ...known, sending, endpoints, starting, logins, isStarted };
  const port = config.roles.has('http') ? await serve(config, log, stack, needs) : undefined;
  const url = port === undefined ? undefined : publicUrl(config, port);
  const welcomed = await welcome(config, { store, news, secret, log });
  isWelcomed = true;
  return { url, ...welcomed };
}

/** Runs at a first start. */
async function welcome(
  config: Config,
  { store, news, secret, log }: Pick<ServerNeeds, 'store' | 'news' | 'secret'> & { readonly log: Logger },
): Promise<Pick<App, 'demo' | 'demoLink'>> {
  const demo = await makeDemo(config, { store, news, clock, log });
  const demoLink = demo && (await firstLink(demo.username, { store, secret, log }));
  return { demo, demoLink };
}

function tellSettings(config: Config, log: Logger): void {
  log.info(factsOf(config), 'Carillon starts');
  for (const unknown of config.unknownSettings)
    log.warn(unknown, 'this variable is not a setting of Carillon');
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

interface FollowingOptions extends ListeningOptions, TrimmingOptions {
  readonly observer: Observer;
}

interface Followed {
  /** Notifies readers of observed changes. */
  readonly observer: Observer;
  readonly isTracked: (companyId: number) => boolean;
}

/**
 * The server's part in the journal of changes: it knows who listens, notifies readers when there is something to read, and
 * trims the journal.
 */
async function followListening(options: FollowingOptions, stack: StopStack): Promise<Followed> {
  const listening = new Listening(options);
  await listening.start();
  stack.start(trimming(options));
  return {
    observer: announcing(announcingUnclaimed(options.observer, options.store), listening, options.store),
    isTracked: (companyId) => listening.isTracked(companyId),
  };
}

/**
 * Ends a server at once, as if it were killed, when a newer version has migrated its store. Anything that it still accepted or
 * stored would follow an older version's view of the tables. The server's messages in flight are in doubt, and the
 * nodes of the newer version handle them.
 */
function endOutdated(log: Pick<Logger, 'fatal' | 'flush'>): (version: number) => void {
  return (version) => {
    log.fatal({ schema: version }, `${newerSchema(version)} This process ends.`);
    log.flush();
    process.exit(1);
  };
}

async function followHours(news: News, options: ClosedCompaniesOptions): Promise<ClosedCompanies> {
  const closed = new ClosedCompanies(options);
  news.on('accounts', () => closed.read());
  await closed.read();
  return closed;
}

async function followPaused(news: News, store: Store): Promise<() => PausedBatches['all']> {
  const paused = new PausedBatches(store);
  news.on('batches', () => paused.read());
  await paused.read();
  return () => paused.all;
}

/** Which companies honour opt-outs, from memory, since each claim of messages needs to know. */
async function followOptOuts(
  news: News,
  store: Store,
  secret: PersonSecret,
): Promise<() => OptOutRules | undefined> {
  let rules: OptOutRules | undefined;
  const read = async () => {
    const companies = await store.read(listOptOutPolicies, null);
    const policies = new Map(companies.map(({ companyId, optOuts }) => [companyId, optOuts]));
    rules = policies.size === 0 ? undefined : { policies, secret };
  };
  news.on('accounts', read);
  await read();
  return () => rules;
}

/** Reacts to announcements of nodes that only accept, and to news of operators who try a carrier. */
function listen(store: Store, news: News, delivery: Delivery, batches: BatchWork): void {
  news.on('tests', () => delivery.wakeTests());
  store.onAnnouncement((topic) => {
    if (topic === dispatchTopic) delivery.wakeAll();
    if (topic === batchTopic) batches.wake();
  });
}

/** What is needed to store what carriers report, on any node. */
function reporting(
  store: Store,
  observer: Observer,
  personKey: PersonSecret,
  heeded: () => void,
): ReportServices & { readonly observer: Observer } {
  const ids = new Ids(store, 'incoming', incomingIdBlock);
  return { store, clock, observer, receiving: { store, clock, ids, personSecret: personKey, heeded } };
}

/** Includes a failover based on what this node and others know about the carriers. */
function makeDelivery(
  config: Config,
  secret: string,
  states: CarrierStates,
  options: DeliveryOptions,
): Delivery {
  const failover = { states, afterMs: config.failoverSeconds * 1_000 };
  const key = callSecret(secret);
  // Only a configured address is known to lead here from elsewhere.
  const address = config.publicUrl && publicUrl(config, config.http.port);
  const delivery = new Delivery({
    ...options,
    failover,
    callbackUrls: (carrier) => callbackUrls(address, key, carrier),
  });
  states.follow(delivery);
  return delivery;
}

/** On a node that only accepts, notifies the dispatching nodes that messages wait. */
function elsewhere(store: Store): Dispatching {
  return { expect: () => undefined, wake: () => store.announce(dispatchTopic) };
}

interface EndpointNeeds {
  readonly store: Store;
  readonly news: News;
  readonly secret: string;
  readonly sealing: Sealing;
  readonly sending: Sending;
  readonly observer: Observer;
  readonly starting: Starting;
  readonly passwords: Passwords;
  /** Called when new batches have been accepted. */
  readonly accepted: () => void;
}

function makeEndpoints(
  config: Config,
  { store, news, secret, sealing, sending, observer, starting, accepted, passwords }: EndpointNeeds,
  stack: StopStack,
): readonly Endpoint<Caller>[] {
  const intake = new Intake();
  stack.push(() => intake.stop());
  return apiEndpoints({
    sending: { ...sending, findRunOf: (message) => store.read(findRunOf, message) },
    batching: {
      store,
      clock,
      ids: new Ids(store, 'batch', batchIdBlock),
      routes: sending.routes,
      accepted,
      personSecret: sending.personSecret,
    },
    intake,
    starting,
    conversing: { ...sending, changed: () => store.announce(changesTopic) },
    simulating: {
      store,
      clock,
      observer,
      incomingIds: new Ids(store, 'incoming', 1),
      personSecret: sending.personSecret,
    },
    webhooks: {
      store,
      clock,
      sealing,
      lookUps: new LookUps(new AddressGuard(config.callbackNetworks)),
    },
    people: { store, clock, secret: personSecret(secret) },
    keys: { store, clock, secret: apiKeySecret(secret), ids: new Ids(store, 'apiKey', 1) },
    users: {
      store,
      news,
      clock,
      routes: sending.routes,
      secret: sessionSecret(secret),
      mailDomain: outgoingDomain(config),
      publicUrl: publicUrl(config, config.http.port),
      passwords,
    },
  });
}

interface ServerNeeds {
  readonly store: Store;
  readonly news: News;
  readonly secret: string;
  readonly sealing: Sealing;
  readonly sending: Sending;
  readonly endpoints: readonly Endpoint<Caller>[];
  readonly starting: Starting;
  readonly logins: Logins;
  readonly metrics: Metrics;
  readonly reports: ReportServices;
  readonly carriers: CarrierCallServices['carriers'];
  /** Whether all work of a first start is done. */
  readonly isStarted: () => boolean;
}

/** Returns the port that it listens on. */
async function serve(config: Config, log: Logger, stack: StopStack, needs: ServerNeeds): Promise<number> {
  // Closes the portal's streams before the server waits for pending requests.
  const ending = new StopStack();
  let port = config.http.port;
  const address = () => publicUrl(config, port);
  const portal = openPortal(
    {
      ...needs,
      ...needs.logins,
      mailDomain: outgoingDomain(config),
      publicUrl: address,
      pathPrefix: config.pathPrefix,
      hasSmppServer: (config.smppServer ?? config.smppServerTls) !== undefined,
      log,
    },
    ending,
  );
  const server = buildServer(config, log, portal, { ...needs, publicUrl: address, ending });
  port = await server.listen();
  needs.metrics.watchHttp(server.connections);
  stack.push(() => server.stop(httpStopMs));
  stack.push(() => ending.unwind());
  return port;
}

function buildServer(
  config: Config,
  log: Logger,
  portal: Portal,
  needs: ServerNeeds & { readonly publicUrl: () => string; readonly ending: StopStack },
): HttpServer {
  const {
    store,
    news,
    secret,
    sending,
    endpoints,
    starting,
    logins,
    metrics,
    isStarted,
    publicUrl,
    reports,
  } = needs;
  const { tls } = config;
  return createServer<Caller>({
    config,
    version: readVersion(),
    endpoints: endpoints.map((endpoint) => noted(endpoint, sending.security)),
    posts: describedPosts,
    pageEndpoints: portal.pageEndpoints,
    otherServers: openOperatorPortal(
      {
        ...logins,
        store,
        news,
        clock,
        secret,
        readsTexts: config.operatorsRead,
        requiresFactor: config.operatorsNeedFactor,
        publicUrl,
        certificateEnd: tls && (() => certificateEnd(tls)),
        routes: sending.routes,
        changed: () => store.announce(changesTopic),
        personSecret: sending.personSecret,
        log,
      },
      needs.ending,
    ),
    authenticate: logins.authenticate,
    authenticatePage: portal.authenticatePage,
    permit: permitByScope(logins.security),
    log,
    health: { ready: () => (isStarted() ? readiness(store, news) : 'the first start is not finished') },
    storeWaitMs: () => store.waitMs(acceptMessages),
    waitingReads: () => store.waitingReads,
    metrics: metrics.http,
    turns: sending.turns,
    ownerOf: (caller) => caller,
    routes(pages, admission) {
      addAnswerPage(pages, { store, clock, secret: answerLinkSecret(secret), wake: starting.wake });
      portal.addPages(pages);
      addCarrierCalls(pages, {
        ...reports,
        carriers: needs.carriers,
        secret: callSecret(secret),
        publicUrl,
        security: sending.security,
        admission,
        log,
      });
    },
  });
}

/**
 * The verbs that users depend on: accepting messages, and the node's heartbeat, without which the node delivers none.
 * When the store is unreachable or full, these fail as well. Any other write may fail for a reason of its own, such as
 * a lock that only a sweep meets, and turning users away for that would help no one.
 */
const vitalVerbs = [acceptMessages, beatNode];

/** True, or the reason why the server cannot do what users depend on. */
function readiness(store: Store, news: News): true | string {
  if (store.damage.first !== undefined) return 'the store is damaged';
  if (!news.trusted) return 'the store cannot be read';
  return vitalVerbs.every((verb) => store.worksFor(verb)) || 'the store cannot be written';
}
