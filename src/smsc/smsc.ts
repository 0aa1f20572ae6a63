/** A test SMSC: an SMPP 3.4 server that treats its clients as the configured behaviour says. */
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import type { Behaviour } from './behaviour.ts';
import type { EventLog } from './event-log.ts';
import { incomingDeliveries, type PhoneSms } from './incoming-sms.ts';
import { Mailbox } from './mailbox.ts';
import { SeededRandom } from './seeded-random.ts';
import { type BindPdu, ClientSession } from './session.ts';
import { SubmissionHandler } from './submissions.ts';
import { Timers } from './timers.ts';

const maxConnections = 1_000;

export class Smsc {
  readonly #behaviour: Behaviour;
  readonly #journal: EventLog;
  readonly #random: SeededRandom;
  readonly #timers = new Timers();
  readonly #sessions = new Set<ClientSession>();
  readonly #mailbox: Mailbox;
  readonly #submissions: SubmissionHandler;
  readonly #server: Server;
  #dropping: NodeJS.Timeout | undefined;
  #lastNumber = 0;
  #lastReference = 0;

  constructor(behaviour: Behaviour, journal: EventLog, clock: Clock) {
    this.#behaviour = behaviour;
    this.#journal = journal;
    this.#random = new SeededRandom(behaviour.seed ?? clock.now() % 2 ** 32);
    this.#mailbox = new Mailbox(this.#sessions, journal, this.#timers);
    const tools = { journal, timers: this.#timers, random: this.#random, clock };
    this.#submissions = new SubmissionHandler(behaviour, tools, {
      post: (delivery) => this.#mailbox.post(delivery),
      incoming: (sms, systemId) => this.originate(sms, systemId),
    });
    this.#server = serverOf(behaviour, (socket) => this.#connected(socket));
    this.#server.maxConnections = maxConnections;
  }

  /** The seed of the random choices. */
  get seed(): number {
    return this.#random.seed;
  }

  /** Returns the port. Throws a StartError if the port is not available. */
  listen(): Promise<number> {
    const { host, port, dropEveryMs } = this.#behaviour;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const advice =
          error.code === 'EADDRINUSE'
            ? 'another program uses this port; choose a different one with --port'
            : error.message;
        reject(new StartError(`The SMSC cannot listen on ${host}:${port}: ${advice}.`));
      });
      this.#server.listen(port, host, () => {
        if (dropEveryMs > 0) this.#dropping = setInterval(() => this.dropAll(), dropEveryMs);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Simulates an SMS from a phone to a receiving client, or to one with that system id if given. */
  originate(sms: PhoneSms, systemId?: string): void {
    this.#journal.incoming += 1;
    this.#lastReference = (this.#lastReference + 1) % 256;
    for (const delivery of incomingDeliveries(sms, systemId, this.#lastReference, this.#behaviour))
      this.#mailbox.post(delivery);
  }

  dropAll(): void {
    for (const session of [...this.#sessions]) session.drop('dropped');
  }

  /**
   * Sends the responses that are due, waits for the clients' responses and unbinds. Returns how much was never
   * delivered.
   */
  async stop(): Promise<number> {
    clearInterval(this.#dropping);
    this.#server.close();
    this.#timers.stop();
    await Promise.all([...this.#sessions].map((session) => session.unbind()));
    return this.#timers.forgotten + this.#mailbox.size;
  }

  #connected(socket: Socket): void {
    this.#lastNumber += 1;
    const session = new ClientSession(this.#lastNumber, socket, this.#behaviour, this.#journal, {
      checkBind: (bind) => this.#checkBind(bind),
      bound: (bound) => this.#mailbox.pump(bound),
      submitted: (from, submission) => this.#submissions.take(from, submission),
      settled: (by, delivery, status) => this.#mailbox.settled(by, delivery, status),
      room: (at) => this.#mailbox.pump(at),
      closed: (closed, unsettled) => {
        this.#sessions.delete(closed);
        // The client may or may not have received these deliveries, so they are sent again.
        for (const delivery of unsettled) this.#mailbox.post(delivery);
      },
    });
    this.#sessions.add(session);
  }

  #checkBind(bind: BindPdu): number {
    const { systemId, password, maxBinds, refuseBind } = this.#behaviour;
    const refusal = this.#random.oneOf(refuseBind);
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
