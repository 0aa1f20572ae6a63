/** Combines endpoints, probes and pages in one HTTP server, and starts and stops it. */
import type { BlockList } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type TaskOwner, Turns } from '../../foundation/turns.ts';
import { Admission, type AdmissionLimits, admissionLimitsFor } from '../admission.ts';
import { Acceptors } from '../connections/acceptors.ts';
import { Arrivals } from '../connections/arrivals.ts';
import { HttpConnections } from '../connections/http-connections.ts';
import { LeaveTaking } from '../connections/leave-taking.ts';
import { backlog, createListener, listenOn } from '../connections/listener.ts';
import { answerMalformedHttp, requestTooSlow } from '../connections/malformed-http.ts';
import type { PlaceLimits } from '../connections/places.ts';
import { type SlowClientLimits, SlowClients, standardSlowClientLimits } from '../connections/slow-clients.ts';
import type { TlsFiles } from '../connections/tls-files.ts';
import type { Authenticate, AuthenticatePage } from '../credentials/credentials.ts';
import { CredentialPicker } from '../credentials/picker.ts';
import { openApiDocument } from '../docs/openapi.ts';
import type { DescribedPosts } from '../docs/openapi-webhooks.ts';
import { addDocsPages } from '../docs/page.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import {
  type AnsweringServer,
  type EndpointServices,
  type Permits,
  serversOf,
} from '../endpoints/exchange.ts';
import { Gate } from '../gate/gate.ts';
import { addProbes, type Health, type HttpMetrics } from '../gate/probes.ts';
import { type AddressTest, addressTest, isLoopback } from '../origin.ts';
import { createPages } from './pages.ts';
import { Refusals } from './refusals.ts';
import { createRouter } from './router.ts';

export interface ServerConfig {
  readonly http: { readonly host: string; readonly port: number };
  readonly tls: TlsFiles | undefined;
  readonly trustedProxies: BlockList;
  readonly metricsReaders: BlockList;
  /** The URL by which users reach the server, if it differs from the one they request. */
  readonly publicUrl: URL | undefined;
  /** Empty, or with a leading slash and no trailing one. The server accepts paths with and without it. */
  readonly pathPrefix: string;
  readonly maxBodyBytes: number;
  /** How long the stopping server keeps listening while clients connect, to tell them that it is stopping. */
  readonly stopGraceSeconds: number;
}

/** What the endpoints of a server share, for callers of any kind. */
type SharedServices = Omit<
  EndpointServices<never>,
  'authenticate' | 'authenticatePage' | 'permit' | 'cookie' | 'ownerOf'
>;

export interface ServerParts<Caller> {
  readonly config: ServerConfig;
  readonly version: string;
  readonly endpoints: readonly Endpoint<Caller>[];
  /** What is posted to customers' servers, for the documentation. */
  readonly posts?: DescribedPosts;
  /** Endpoints called only by portal pages, which appear in no documentation. */
  readonly pageEndpoints?: readonly Endpoint<Caller>[];
  /** Makes the servers of endpoints for callers of another kind. */
  readonly otherServers?: (shared: SharedServices) => readonly AnsweringServer[];
  readonly authenticate: Authenticate<Caller>;
  readonly authenticatePage?: AuthenticatePage<Caller>;
  readonly permit?: Permits<Caller>;
  readonly log: Logger;
  readonly health: Health;
  readonly metrics?: HttpMetrics;
  readonly limits?: Partial<AdmissionLimits>;
  readonly placeLimits?: Partial<PlaceLimits>;
  readonly slowClientLimits?: Partial<SlowClientLimits>;
  /** How long a TLS handshake may take; 10 seconds by default. */
  readonly handshakeMs?: number;
  /** Whether an address belongs to this machine. */
  readonly isLocal?: AddressTest;
  /** The turns for all long-running work of this process; if absent, the server has turns of its own. */
  readonly turns?: Turns;
  /** The owner of a caller's turns. */
  readonly ownerOf: (caller: Caller) => TaskOwner;
  /** How long the oldest pending store call has waited. */
  readonly storeWaitMs?: () => number;
  /** How many reads wait for their turn in the store. */
  readonly waitingReads?: () => number;
  /** The pages at `/docs`; by default those of the build. */
  readonly docsFolder?: string;
  /** Adds routes outside the API, such as the pages of the portal. */
  readonly routes?: (app: FastifyInstance, admission: Admission) => void;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  readonly connections: Pick<HttpConnections, 'size' | 'strangers'>;
  /** Returns the port it listens on. */
  readonly listen: () => Promise<number>;
  /**
   * Completes calls in progress and refuses new ones until no client connects any more; cuts off what is unfinished at the
   * deadline.
   */
  readonly stop: (deadlineMs: number) => Promise<void>;
}

/** The build puts the pages beside the program; a program that runs from source uses the same folder. */
const docsFolder = fileURLToPath(new URL('../../../dist/docs', import.meta.url));

export function createServer<Caller>(parts: ServerParts<Caller>): HttpServer {
  const { config, log, metrics, handshakeMs, otherServers, pageEndpoints = [] } = parts;
  const endpoints = [...parts.endpoints, ...pageEndpoints];
  const { pathPrefix } = config;
  const isTrustedProxy = addressTest(config.trustedProxies);
  const doors = openDoors(parts, isTrustedProxy);
  const { admission, arrivals, connections } = doors;
  const slowClients = watchSlowClients({ admission, arrivals }, parts);

  const turns = parts.turns ?? new Turns();
  const picker = new CredentialPicker(turns);
  const { authenticate, authenticatePage, permit, ownerOf } = parts;
  const { maxBodyBytes, publicUrl, tls } = config;
  const site = { isTrustedProxy, publicUrl };
  const shared = { site, admission, log, picker, turns, maxBodyBytes };
  const cookie = 'carillon' as const;
  const services = { ...shared, authenticate, authenticatePage, permit, ownerOf, cookie };
  const servers = [...serversOf(endpoints, services), ...(otherServers?.(shared) ?? [])];
  const gate = new Gate({ ...site, admission, log, metrics });
  const app = createPages({
    pathPrefix,
    log,
    serverFactory: (pages) => {
      const router = createRouter({ servers, log, pathPrefix, gate, pages });
      return connections.guard(createListener(arrivals.listenerFor(router), { tls, log, handshakeMs }));
    },
    clientErrorHandler: (error, socket) => answerMalformedHttp(error, socket, arrivals.answersOn(socket)),
  });
  const mayReadMetrics = addressTest(config.metricsReaders);
  addProbes(app, { health: parts.health, metrics, mayReadMetrics, admission });
  // A browser that opens the server's address is redirected to the portal.
  app.get('/', { exposeHeadRoute: true }, (_request, reply) => {
    reply.redirect(`${pathPrefix}/portal/`);
  });
  addDocsPages(app, {
    folder: parts.docsFolder ?? docsFolder,
    pathPrefix,
    openApiDocument: () => openApiDocument(parts.endpoints, { ...parts, pathPrefix }),
  });
  parts.routes?.(app, admission);
  const acceptors = new Acceptors(app.server, backlog, log);

  return {
    app,
    connections,
    async listen() {
      await app.ready();
      return listenOn(app.server, config.http);
    },
    async stop(deadlineMs) {
      const graceMs = config.stopGraceSeconds * 1_000;
      await stopServing(app, { ...doors, acceptors }, { deadlineMs, graceMs });
      slowClients.stop();
      await picker.stop();
      await app.close();
    },
  };
}

/** What a call passes through before it reaches its route. */
interface ServerDoors {
  readonly admission: Admission;
  readonly arrivals: Arrivals;
  readonly connections: HttpConnections;
}

function openDoors<Caller>(parts: ServerParts<Caller>, isTrustedProxy: AddressTest): ServerDoors {
  const { config, endpoints, metrics, pageEndpoints = [], storeWaitMs = () => 0, waitingReads } = parts;
  const limits = { ...admissionLimitsFor(config.maxBodyBytes), ...parts.limits };
  const admission: Admission = new Admission(limits, () => arrivals.waitMs + storeWaitMs(), waitingReads);
  const refusals = new Refusals({
    admission,
    metrics,
    pathPrefix: config.pathPrefix,
    endpoints: [...endpoints, ...pageEndpoints],
  });
  const arrivals = new Arrivals(refusals);
  const connections = placesOf(parts, isTrustedProxy, () => arrivals.connected());
  return { admission, arrivals, connections };
}

const lookIntervalMs = 10;
/**
 * After this many checks without a new connection, clients and their proxies have understood that this server is stopping.
 * Counted in checks, because a stalled server sees no one connect.
 */
const quietChecks = 50;

/**
 * Closing a connection while a call arrives on it would cut that call off, so busy clients are first told in a response that
 * this server is stopping. It therefore keeps listening and answering for a while, stops listening at a moment when no
 * connection waits to be accepted, and ends connections on which nothing arrives.
 */
async function stopServing(
  { server }: FastifyInstance,
  { admission, arrivals, connections, acceptors }: ServerDoors & { readonly acceptors: Acceptors },
  { deadlineMs, graceMs }: { readonly deadlineMs: number; readonly graceMs: number },
): Promise<void> {
  const beganAtMs = performance.now();
  const isAfter = (ms: number) => performance.now() - beganAtMs >= ms;
  const isTooLate = () => isAfter(deadlineMs);
  const leaveTaking = new LeaveTaking(connections, (socket) => arrivals.hasCallOn(socket));
  admission.stop();
  leaveTaking.begin(server);
  const answered = async () => {
    await listenUntilQuiet(connections, () => isAfter(Math.min(graceMs, deadlineMs)));
    await acceptors.close(isTooLate);
    await leaveTaking.ended();
    while (arrivals.waiting > 0 && !isTooLate()) await delay(lookIntervalMs);
    await admission.idle();
  };
  await Promise.race([answered(), delay(deadlineMs, undefined, { ref: false })]);
  await acceptors.close(isTooLate);
  leaveTaking.cutOff();
  await acceptors.ended();
  // All that remains of the server is the timer that checks for slow requests.
  server.close();
}

/** If no client is connected and none connects, there is nobody to notify. */
async function listenUntilQuiet(connections: HttpConnections, isOver: () => boolean): Promise<void> {
  let { come } = connections;
  let checks = connections.size > 0 ? 0 : quietChecks;
  while (checks < quietChecks && !isOver()) {
    await delay(lookIntervalMs);
    checks = connections.come === come ? checks + 1 : 0;
    come = connections.come;
  }
}

function placesOf<Caller>(
  { placeLimits, isLocal = isLoopback, metrics }: ServerParts<Caller>,
  isTrustedProxy: AddressTest,
  accepted: () => void,
): HttpConnections {
  return new HttpConnections({
    limits: placeLimits,
    isTrusted: (address) => isLocal(address) || isTrustedProxy(address),
    turnedAway: (reason) => metrics?.connectionEnded(reason),
    accepted,
  });
}

function watchSlowClients<Caller>(
  { admission, arrivals }: Pick<ServerDoors, 'admission' | 'arrivals'>,
  { slowClientLimits, metrics }: ServerParts<Caller>,
): SlowClients {
  return new SlowClients(
    admission.answers,
    { ...standardSlowClientLimits, ...slowClientLimits },
    {
      requestTooSlow(socket) {
        metrics?.connectionEnded('slow_request');
        answerMalformedHttp(requestTooSlow, socket, arrivals.answersOn(socket));
      },
      answerBrokenOff: () => metrics?.connectionEnded('slow_reader'),
    },
  );
}
