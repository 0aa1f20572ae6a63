/**
 * The SMPP server for customers' programs: it takes connections within limits, lets users bind, and gives each of their
 * requests to the use case that it is.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { type SmppAuthentication, type SmppClient, smppClientOf } from '../accounts/smpp-authentication.ts';
import { findSmppAccounts } from '../accounts/smpp-logins.ts';
import { ServiceError } from '../foundation/errors.ts';
import { Watchdog } from '../foundation/watchdog.ts';
import { listenOn } from '../http/connections/listener.ts';
import { type ConnectionPlace, ConnectionPlaces } from '../http/connections/places.ts';
import { followTlsFiles, readTlsFiles, type TlsFiles } from '../http/connections/tls-files.ts';
import { addressTestOf, isLoopback, plainAddress } from '../http/origin.ts';
import type { Sending } from '../messages/sending/send.ts';
import type { News } from '../storage/news.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import type { Pdu, PduInput } from '../wire/smpp/pdu.ts';
import { type BindOfNode, endBind, keepBind } from './binds-store.ts';
import { Deliverer } from './deliverer.ts';
import { releaseDeliveries } from './delivery.ts';
import { cancelMessages, query } from './query.ts';
import { type BindPdu, type ClientRequest, ClientSession } from './session.ts';
import { submit } from './submit.ts';
import { deliveriesTopic } from './take-changes-store.ts';
import { BoundUser } from './user.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Without it, the connections are not encrypted. */
  readonly tls?: TlsFiles | undefined;
}

export interface ClientServerOptions {
  readonly addresses: readonly ListenAddress[];
  readonly authentication: SmppAuthentication;
  readonly sending: Sending;
  readonly news: News;
  /** The id of this node; undefined while it must not act. */
  readonly nodeId: () => number | undefined;
  /** How long the oldest pending store call has waited. */
  readonly storeWaitMs: () => number;
  /** A request that a client got a command_status for, by kind. */
  readonly refused: (request: 'bind' | 'submit' | 'other', status: number) => void;
  readonly log: Logger;
}

/** Clients stay connected, so those that have bound have most of the room. */
const places = {
  maxConnections: 1_000,
  maxUnauthenticated: 150,
  maxPerNetwork: 100,
  maxPerWideNetwork: 200,
  isOldestReplaced: false,
};

/** A company may make as many logins as it has users, and the others need room too. */
const maxBindsOfCompany = places.maxConnections / 2;

const lookEveryMs = 1_000;
/** Not every announcement arrives. */
const looksPerFollow = 5;
/** While the store is as late as this, clients are asked to slow down. */
const maxStoreWaitMs = 500;
const handshakeMs = 10_000;
/** A program that binds and leaves in a loop would have the store count its binds all the time. */
const maxBindsASecond = 20;
const storePauseMs = 1_000;
/** A store that stays away is reported once a minute. */
const triesOfWarning = 60;
/** A bind waits no longer than this for the end of earlier ones to be stored. */
const maxEndingMs = 5_000;

export interface Windows {
  readonly room: number;
  readonly submissions: number;
  readonly deliveries: number;
}

interface Bound {
  readonly user: BoundUser;
  readonly userId: number;
  readonly nodeId: number;
  readonly bind: number;
  readonly address: string;
  /** The login as it was at the bind. */
  readonly login: SmppClient['login'];
}

export class ClientServer {
  readonly #options: ClientServerOptions;
  readonly #servers: readonly (Server | TlsServer)[];
  readonly #places = new ConnectionPlaces(places);
  /** The key is the client's address and port, since TLS has another socket after its handshake. */
  readonly #taken = new Map<string, ConnectionPlace>();
  readonly #sessions = new Map<ClientSession, Bound | undefined>();
  readonly #users = new Map<number, BoundUser>();
  /** Deliverers that are stopping, by user: the next one waits for the last. */
  readonly #stopping = new Map<number, Promise<void>>();
  readonly #watchdog: Watchdog;
  #unfollow: () => void = () => undefined;
  #binds = 0;
  /** How often each user has bound since the last look. */
  readonly #recentBinds = new Map<number, number>();
  #looks = 0;
  /** How often accounts have changed. */
  #edition = 0;
  #isStopping = false;

  constructor(options: ClientServerOptions) {
    this.#options = options;
    this.#servers = options.addresses.map(({ tls }) =>
      tls === undefined
        ? createServer()
        : createTlsServer({ ...readTlsFiles(tls), handshakeTimeout: handshakeMs }),
    );
    this.#watchdog = new Watchdog(4 * lookEveryMs, (now) => this.#look(now));
  }

  /** Returns the ports, which the system may have chosen. */
  async listen(): Promise<readonly number[]> {
    const { addresses, news, sending, log } = this.#options;
    const ports: number[] = [];
    for (const [index, server] of this.#servers.entries()) {
      const { host, port, tls } = addresses[index] as ListenAddress;
      // A place is taken before the handshake, which costs the most.
      server.on('connection', (socket: Socket) => {
        if (this.#admit(socket) && tls === undefined) this.#serve(socket);
      });
      server.on('secureConnection', (socket: Socket) => this.#serve(socket));
      server.on('tlsClientError', (_: Error, socket: Socket) => socket.destroy());
      const setting = tls === undefined ? 'CARILLON_SMPP_SERVER' : 'CARILLON_SMPP_SERVER_TLS';
      ports.push(await listenOn(server, { host, port }, { noun: 'SMPP server', setting }));
      server.on('error', (error) =>
        log.error({ err: error }, 'the SMPP server could not accept a connection'),
      );
      if (tls !== undefined) this.#unfollow = followTlsFiles(server as TlsServer, tls, log);
      log.info({ host, port: ports[index], tls: tls !== undefined }, 'serves SMPP clients');
    }
    news.on('accounts', () => this.#renewUsers());
    sending.store.onAnnouncement((topic) => {
      if (topic === deliveriesTopic) this.#followQueues();
    });
    this.#watchdog.start();
    return ports;
  }

  /** What clients have been told stays true: requests under way are answered, deliveries that are not come again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const server of this.#servers) server.close();
    this.#unfollow();
    await Promise.all([...this.#sessions.keys()].map((session) => session.leave(stopping)));
    this.#watchdog.stop();
    await Promise.all(this.#stopping.values());
  }

  get connections(): number {
    return this.#places.size;
  }

  get binds(): number {
    return this.#bindsOf();
  }

  #bindsOf(companyId?: number): number {
    let binds = 0;
    for (const { sessions, client } of this.#users.values())
      if (companyId === undefined || client.caller.companyId === companyId) binds += sessions.size;
    return binds;
  }

  /** What is unanswered, and how much may be each way. */
  get windows(): Windows {
    let [room, submissions, deliveries] = [0, 0, 0];
    for (const { sessions } of this.#users.values())
      for (const { window, pending, load } of sessions) {
        room += window;
        submissions += pending;
        deliveries += load;
      }
    return { room, submissions, deliveries };
  }

  #admit(socket: Socket): boolean {
    const { remoteAddress } = socket;
    const address = plainAddress(remoteAddress ?? '');
    const displace = () => socket.destroy();
    const place = this.#isStopping
      ? undefined
      : this.#places.admit({ address, isTrusted: isLoopback(address), displace });
    // A socket that has closed already would never report its end.
    if (place === undefined || remoteAddress === undefined || socket.destroyed) {
      place?.end();
      socket.destroy();
      return false;
    }
    const name = nameOf(socket);
    this.#taken.set(name, place);
    socket.once('close', () => {
      place.end();
      if (this.#taken.get(name) === place) this.#taken.delete(name);
    });
    return true;
  }

  #serve(socket: Socket): void {
    const place = this.#taken.get(nameOf(socket));
    if (place === undefined || this.#isStopping) {
      socket.destroy();
      return;
    }
    const address = plainAddress(socket.remoteAddress ?? '');
    const session = new ClientSession(socket, (own) => ({
      bind: (pdu) => this.#bind(own, pdu, { address, place }),
      admits: (pdu) => this.#admits(own, pdu),
      answer: (pdu) => this.#answer(own, pdu),
      refused: (command, status) => this.#options.refused(kindOf(command), status),
      room: () => this.#room(own),
      closed: (reason) => this.#closed(own, reason),
    }));
    this.#sessions.set(session, undefined);
  }

  /** A client learns no more than that the bind failed, unless its password is right. */
  async #bind(
    session: ClientSession,
    { systemId, password, command }: BindPdu,
    { address, place }: { readonly address: string; readonly place: ConnectionPlace },
  ): Promise<number> {
    const { nodeId: ask, log } = this.#options;
    const client = await this.#verify(systemId, password, address);
    if (typeof client === 'number') return client;
    const { userId, username } = client.caller;
    const recent = (this.#recentBinds.get(userId) ?? 0) + 1;
    this.#recentBinds.set(userId, recent);
    if (recent > maxBindsASecond) return commandStatus.ESME_RTHROTTLED;
    const nodeId = ask();
    if (nodeId === undefined || this.#isStopping) return commandStatus.ESME_RSYSERR;
    this.#binds += 1;
    const own = { userId, nodeId, bind: this.#binds };
    if (!(await this.#mayKeepBind(own))) return commandStatus.ESME_RALYBND;
    // The account may have changed meanwhile, and its changes reach only those that are bound.
    const now = await this.#verify(systemId, password, address);
    const isGone = !this.#sessions.has(session);
    if (isGone || typeof now === 'number' || now.caller.userId !== userId) {
      void this.#endBind(own);
      return isGone || typeof now !== 'number' ? commandStatus.ESME_RSYSERR : now;
    }
    if (this.#bindsOf(now.caller.companyId) >= maxBindsOfCompany) {
      void this.#endBind(own);
      return commandStatus.ESME_RALYBND;
    }
    place.know();
    const user = this.#users.get(userId) ?? new BoundUser(now);
    this.#users.set(userId, user);
    user.sessions.add(session);
    user.renew(now);
    this.#sessions.set(session, { user, address, login: now.login, ...own });
    log.info({ username, address, as: command }, 'an SMPP client has bound');
    return commandStatus.ESME_ROK;
  }

  async #mayKeepBind(own: BindOfNode): Promise<boolean> {
    try {
      return await this.#keepBind(own);
    } catch (error) {
      // It may have been stored all the same.
      void this.#endBind(own);
      throw error;
    }
  }

  /** The end of a connection that this one replaces is stored first, even if it is seen last, so that it no longer counts. */
  async #keepBind(own: BindOfNode): Promise<boolean> {
    const { store } = this.#options.sending;
    await this.#ended(own.userId);
    if (await store.write(keepBind, own)) return true;
    return (await this.#ended(own.userId)) && (await store.write(keepBind, own));
  }

  /** Waits until the end of the user's earlier binds is stored; false if none is ending. */
  async #ended(userId: number): Promise<boolean> {
    const ending = this.#stopping.get(userId);
    if (ending === undefined) return false;
    await Promise.race([ending, delay(maxEndingMs, undefined, { ref: false })]);
    return true;
  }

  /** Returns the client as the store knows it now, or a command_status. */
  async #verify(systemId: string, password: string, address: string): Promise<SmppClient | number> {
    const { authentication, sending } = this.#options;
    const edition = this.#edition;
    let client: SmppClient;
    try {
      client = await authentication.authenticate(systemId, password, { address, channel: 'smpp' });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) return commandStatus.ESME_RSYSERR;
      return error.code === 'unauthorised' ? commandStatus.ESME_RINVPASWD : commandStatus.ESME_RBINDFAIL;
    }
    // The account may have changed while it was read.
    if (edition !== this.#edition) return this.#verify(systemId, password, address);
    if (mayBindFrom(client, address)) return client;
    const { username, companyId } = client.caller;
    const denied = { username, companyId, address, channel: 'smpp', reason: 'network' } as const;
    sending.security.record({ event: 'access_denied', ...denied });
    return commandStatus.ESME_RBINDFAIL;
  }

  #admits(session: ClientSession, pdu: ClientRequest): boolean {
    const user = this.#sessions.get(session)?.user;
    if (user === undefined || this.#options.storeWaitMs() > maxStoreWaitMs) return false;
    return user.take(pdu.command === 'submitMulti' ? Math.max(1, pdu.destAddresses.length) : 1);
  }

  #answer(session: ClientSession, pdu: ClientRequest): Promise<PduInput> {
    const { sending } = this.#options;
    const { caller } = (this.#sessions.get(session) as Bound).user.client;
    if (pdu.command === 'querySm') return query(sending, caller, pdu);
    if (pdu.command === 'cancelSm') return cancelMessages(sending, caller, pdu);
    return submit(sending, caller, pdu);
  }

  #room(session: ClientSession): void {
    const bound = this.#sessions.get(session);
    if (bound === undefined || !bound.user.receives) return;
    bound.user.deliverer ??= this.#delivererOf(bound);
    bound.user.deliverer?.wake();
  }

  /** Undefined while the user's last one is still stopping; then there is one when it has stopped. */
  #delivererOf({ user, userId, nodeId }: Bound): Deliverer | undefined {
    if (this.#isStopping || this.#stopping.has(userId)) return undefined;
    const { sending, nodeId: ask, log } = this.#options;
    const { store, clock } = sending;
    return new Deliverer({
      store,
      clock,
      log,
      chance: Math.random,
      userId,
      nodeId,
      mayDeliver: () => ask() === nodeId,
      window: () => user.client.login.window,
      sessions: () => user.sessions,
    });
  }

  #closed(session: ClientSession, reason: string): void {
    const bound = this.#sessions.get(session);
    this.#sessions.delete(session);
    if (bound === undefined) return;
    const { user, userId, nodeId, bind } = bound;
    const { log } = this.#options;
    user.sessions.delete(session);
    log.info({ username: user.client.caller.username, reason }, 'an SMPP client has left');
    const stopped = user.receives ? undefined : this.#stopDelivering(user, { userId, nodeId });
    const ended = this.#endBind({ userId, nodeId, bind });
    const before = this.#stopping.get(userId);
    const all = Promise.all([before, ended, stopped]).then(() => {
      if (this.#stopping.get(userId) !== all) return;
      this.#stopping.delete(userId);
      for (const other of this.#users.get(userId)?.sessions ?? []) this.#room(other);
    });
    this.#stopping.set(userId, all);
  }

  async #stopDelivering(
    user: BoundUser,
    own: { readonly userId: number; readonly nodeId: number },
  ): Promise<void> {
    const { deliverer } = user;
    user.deliverer = undefined;
    if (deliverer === undefined) return;
    await deliverer.stop();
    // Lets another node deliver.
    await this.#persistently(own.nodeId, () => this.#options.sending.store.write(releaseDeliveries, own));
  }

  #endBind(own: BindOfNode): Promise<void> {
    return this.#persistently(own.nodeId, () => this.#options.sending.store.write(endBind, own));
  }

  /** Repeats it until it is stored, or until this node has ended for others, and its rows with it. */
  async #persistently(nodeId: number, store: () => Promise<unknown>): Promise<void> {
    const { nodeId: ask, log } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await store();
        return;
      } catch (error) {
        if (tries % triesOfWarning === 1) log.warn({ error }, 'the end of an SMPP bind waits for the store');
        await delay(storePauseMs);
        if (this.#isStopping || (ask() ?? nodeId) !== nodeId) return;
      }
    }
  }

  #followQueues(): void {
    for (const { deliverer } of this.#users.values()) deliverer?.follow();
  }

  #look(now: number): void {
    this.#recentBinds.clear();
    const nodeId = this.#options.nodeId();
    for (const [session, bound] of this.#sessions) {
      // Others took this node for dead, and no longer count its binds.
      if (bound !== undefined && nodeId !== undefined && nodeId !== bound.nodeId)
        session.drop('this node was away');
      else session.look(now);
    }
    for (const [userId, user] of this.#users)
      if (user.sessions.size === 0 && user.isRested(now)) this.#users.delete(userId);
    this.#looks = (this.#looks + 1) % looksPerFollow;
    if (this.#looks === 0) this.#followQueues();
  }

  /** A user who is gone, or has another password, is no longer served; other changes hold at once. */
  async #renewUsers(): Promise<void> {
    const { store } = this.#options.sending;
    this.#edition += 1;
    const bound = [...this.#users].filter(([, { sessions }]) => sessions.size > 0);
    if (bound.length === 0) return;
    const systemIds = bound.map(([, { client }]) => client.login.systemId);
    const accounts = await store.read(findSmppAccounts, systemIds);
    const clients = new Map(accounts.map((account) => [account.login.systemId, smppClientOf(account)]));
    for (const [userId, user] of bound) {
      const client = clients.get(user.client.login.systemId);
      const isUser = client?.caller.userId === userId;
      if (client !== undefined && isUser) user.renew(client);
      for (const session of [...user.sessions]) {
        const own = this.#sessions.get(session);
        if (own === undefined || !isUser || !isStillValid(own, client))
          void session.leave('its login was changed');
      }
    }
  }
}

/** Each session was bound with what was its user's system id and password at that time. */
function isStillValid({ login, address }: Bound, client: SmppClient): boolean {
  const { systemId, passwordHash } = client.login;
  return login.systemId === systemId && login.passwordHash === passwordHash && mayBindFrom(client, address);
}

const stopping = 'this server is stopping';

const submits: readonly string[] = ['submitSm', 'submitMulti', 'dataSm'];

function kindOf(command: Pdu['command']): 'bind' | 'submit' | 'other' {
  if (submits.includes(command)) return 'submit';
  return command.startsWith('bind') ? 'bind' : 'other';
}

function nameOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}

function mayBindFrom({ login: { networks } }: SmppClient, address: string): boolean {
  return networks === undefined || addressTestOf(networks)(address);
}
