/** An SMSC for tests: a server of SMPP 3.4 that treats its clients as a behaviour says. */
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import type { Behaviour } from './behaviour.ts';
import { Chance } from './chance.ts';
import { type IncomingSms, incomingDeliveries } from './incoming-sms.ts';
import type { Journal } from './journal.ts';
import { Mailbox } from './mailbox.ts';
import { type Bind, Session } from './session.ts';
import { Submissions } from './submissions.ts';
import { Timers } from './timers.ts';

const mostConnections = 1_000;

export class Smsc {
  readonly #behaviour: Behaviour;
  readonly #journal: Journal;
  readonly #chance: Chance;
  readonly #timers = new Timers();
  readonly #sessions = new Set<Session>();
  readonly #mailbox: Mailbox;
  readonly #submissions: Submissions;
  readonly #server: Server;
  #dropping: NodeJS.Timeout | undefined;
  #lastNumber = 0;
  #lastReference = 0;

  constructor(behaviour: Behaviour, journal: Journal, clock: Clock) {
    this.#behaviour = behaviour;
    this.#journal = journal;
    this.#chance = new Chance(behaviour.seed ?? clock.now() % 2 ** 32);
    this.#mailbox = new Mailbox(this.#sessions, journal, this.#timers);
    const tools = { journal, timers: this.#timers, chance: this.#chance, clock };
    this.#submissions = new Submissions(behaviour, tools, {
      post: (delivery) => this.#mailbox.post(delivery),
      incoming: (sms, systemId) => this.originate(sms, systemId),
    });
    this.#server = serverOf(behaviour, (socket) => this.#connected(socket));
    this.#server.maxConnections = mostConnections;
  }

  /** What chance began with. */
  get seed(): number {
    return this.#chance.seed;
  }

  /** Answers with the port. A StartError where it cannot be had. */
  listen(): Promise<number> {
    const { host, port, dropEveryMs } = this.#behaviour;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const advice =
          error.code === 'EADDRINUSE' ? 'another program has that port; choose one by --port' : error.message;
        reject(new StartError(`The SMSC cannot listen at ${host}:${port}: ${advice}.`));
      });
      this.#server.listen(port, host, () => {
        if (dropEveryMs > 0) this.#dropping = setInterval(() => this.dropAll(), dropEveryMs);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** A phone sends an SMS to one who receives, of that system id if one is given. */
  originate(sms: IncomingSms, systemId?: string): void {
    this.#journal.incoming += 1;
    this.#lastReference = (this.#lastReference + 1) % 256;
    for (const delivery of incomingDeliveries(sms, systemId, this.#lastReference, this.#behaviour))
      this.#mailbox.post(delivery);
  }

  dropAll(): void {
    for (const session of [...this.#sessions]) session.drop('dropped');
  }

  /** Gives the answers that are due, takes leave of all clients, and answers with how much was never delivered. */
  async stop(): Promise<number> {
    clearInterval(this.#dropping);
    this.#server.close();
    const forgotten = this.#timers.stop();
    await Promise.all([...this.#sessions].map((session) => session.unbind()));
    return forgotten + this.#mailbox.size;
  }

  #connected(socket: Socket): void {
    this.#lastNumber += 1;
    const session = new Session(this.#lastNumber, socket, this.#behaviour, this.#journal, {
      judgeBind: (bind) => this.#judgeBind(bind),
      bound: (bound) => this.#mailbox.pump(bound),
      submitted: (from, submission) => this.#submissions.take(from, submission),
      settled: (by, delivery, status) => this.#mailbox.settled(by, delivery, status),
      room: (at) => this.#mailbox.pump(at),
      closed: (closed, unsettled) => {
        this.#sessions.delete(closed);
        // Whether the client has them nobody knows: they come again.
        for (const delivery of unsettled) this.#mailbox.post(delivery);
      },
    });
    this.#sessions.add(session);
  }

  #judgeBind(bind: Bind): number {
    const { systemId, password, maxBinds, refuseBind } = this.#behaviour;
    const refusal = this.#chance.oneOf(refuseBind);
    if (refusal !== undefined) return commandStatus[refusal as keyof typeof commandStatus];
    if (systemId !== undefined && bind.systemId !== systemId) return commandStatus.ESME_RINVSYSID;
    if (password !== undefined && bind.password !== password) return commandStatus.ESME_RINVPASWD;
    const bound = [...this.#sessions].filter(({ isBound }) => isBound).length;
    return maxBinds > 0 && bound >= maxBinds ? commandStatus.ESME_RALYBND : commandStatus.ESME_ROK;
  }
}

function serverOf({ tlsCert, tlsKey }: Behaviour, connected: (socket: Socket) => void): Server {
  if (tlsCert === undefined || tlsKey === undefined) return createServer(connected);
  try {
    const pair = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
    return createTlsServer(pair, connected).on('tlsClientError', (_, socket) => socket.destroy());
  } catch (error) {
    throw new StartError(`TLS cannot start with ${tlsCert} and ${tlsKey}: ${(error as Error).message}.`);
  }
}
