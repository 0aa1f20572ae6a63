/** Puts endpoints, probes and pages under one HTTP server, and starts and stops it. */
import type { BlockList } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
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
import { addDocsPage } from '../docs/page.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
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
  /** Under which users reach the server, where it is not what they ask it by. */
  readonly publicUrl: URL | undefined;
  /** Empty, or with a slash at its front and none at its end. The server answers with it and without. */
  readonly pathPrefix: string;
  readonly maxBodyBytes: number;
  /** How long it goes on listening when it stops, as long as clients come, to tell them that it goes. */
  readonly stopGraceSeconds: number;
}

export interface ServerParts<Caller> {
  readonly config: ServerConfig;
  readonly version: string;
  readonly endpoints: readonly Endpoint<Caller>[];
  /** What only pages of the portal call: in no documentation. */
  readonly pageEndpoints?: readonly Endpoint<Caller>[];
  readonly authenticate: Authenticate<Caller>;
  readonly authenticatePage?: AuthenticatePage<Caller>;
  readonly log: Logger;
  readonly health: Health;
  readonly metrics?: HttpMetrics;
  readonly limits?: Partial<AdmissionLimits>;
  readonly placeLimits?: Partial<PlaceLimits>;
  readonly slowClientLimits?: Partial<SlowClientLimits>;
  /** How long a TLS handshake may take; 10 seconds by default. */
  readonly handshakeMs?: number;
  /** Whether an address is of this machine. */
  readonly isLocal?: AddressTest;
  /** In which all work of this process that takes long advances; without it, only that of this server. */
  readonly turns?: Turns;
  /** Whose turns those of a caller are. */
  readonly ownerOf: (caller: Caller) => TaskOwner;
  /** How long what waits longest for the store has waited. */
  readonly storeWaitMs?: () => number;
  /** Adds what is no endpoint of the API, such as the pages of the portal. */
  readonly routes?: (app: FastifyInstance) => void;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  readonly connections: Pick<HttpConnections, 'size' | 'strangers'>;
  /** Returns the port it listens on. */
  readonly listen: () => Promise<number>;
  /** Answers what is under way and refuses what comes, until nobody comes; cuts off what is not done by the deadline. */
  readonly stop: (deadlineMs: number) => Promise<void>;
}

export function createServer<Caller>(parts: ServerParts<Caller>): HttpServer {
  const { config, log, metrics, handshakeMs, pageEndpoints = [] } = parts;
  const endpoints = [...parts.endpoints, ...pageEndpoints];
  const { pathPrefix } = config;
  const isTrustedProxy = addressTest(config.trustedProxies);
  const doors = openDoors(parts, isTrustedProxy);
  const { admission, arrivals, connections } = doors;
  const slowClients = watchSlowClients({ admission, arrivals }, parts);

  const turns = parts.turns ?? new Turns();
  const picker = new CredentialPicker(turns);
  const { authenticate, authenticatePage, ownerOf } = parts;
  const { maxBodyBytes, publicUrl, tls } = config;
  const site = { isTrustedProxy, publicUrl };
  const calls = { authenticate, authenticatePage, site, ownerOf };
  const services = { ...calls, admission, log, picker, turns, maxBodyBytes };
  const gate = new Gate({ ...site, admission, log, metrics });
  const app = createPages({
    pathPrefix,
    log,
    serverFactory: (pages) => {
      const router = createRouter({ endpoints, services, pathPrefix, gate, pages });
      return connections.guard(createListener(arrivals.listenerFor(router), { tls, log, handshakeMs }));
    },
    clientErrorHandler: (error, socket) => answerMalformedHttp(error, socket, arrivals.answersOn(socket)),
  });
  const mayReadMetrics = addressTest(config.metricsReaders);
  addProbes(app, { health: parts.health, metrics, mayReadMetrics, admission });
  // Whoever opens the server's address in a browser is led to the portal.
  app.get('/', { exposeHeadRoute: true }, (_request, reply) => {
    reply.redirect(`${pathPrefix}/portal/`);
  });
  addDocsPage(app, pathPrefix, () =>
    openApiDocument(parts.endpoints, { version: parts.version, pathPrefix }),
  );
  parts.routes?.(app);
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

/** What a call passes before it comes to its route. */
interface ServerDoors {
  readonly admission: Admission;
  readonly arrivals: Arrivals;
  readonly connections: HttpConnections;
}

function openDoors<Caller>(parts: ServerParts<Caller>, isTrustedProxy: AddressTest): ServerDoors {
  const { config, endpoints, metrics, pageEndpoints = [], storeWaitMs = () => 0 } = parts;
  const limits = { ...admissionLimitsFor(config.maxBodyBytes), ...parts.limits };
  const admission: Admission = new Admission(limits, () => arrivals.waitMs + storeWaitMs());
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
 * When nobody has connected at so many looks, clients and the proxies before them have understood that this server goes. By
 * looks, since a server that stands still sees nobody connect.
 */
const quietLooks = 50;

/**
 * A connection that is closed while a call comes on it cuts that call off: who is busy hears first, by an answer, that
 * this server is going. So it listens and answers for a while, listens no more in a moment in which nobody waits to be
 * accepted, and ends connections on which nothing comes.
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
  // What is left of it is the timer that looks for slow requests.
  server.close();
}

/** Nobody has to hear anything where nobody is connected and nobody connects. */
async function listenUntilQuiet(connections: HttpConnections, isOver: () => boolean): Promise<void> {
  let { come } = connections;
  let looks = connections.size > 0 ? 0 : quietLooks;
  while (looks < quietLooks && !isOver()) {
    await delay(lookIntervalMs);
    looks = connections.come === come ? looks + 1 : 0;
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
