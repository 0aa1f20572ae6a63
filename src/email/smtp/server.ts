/**
 * The SMTP server that receives mail to phones (RFC 5321), with its limits; `receive-mail.ts` handles the content. Whatever
 * clients do, they get a response or the connection ends.
 */
import type { Logger } from 'pino';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { listenOn } from '../../http/connections/listener.ts';
import { followTlsFiles, readTlsFiles, type TlsFiles } from '../../http/connections/tls-files.ts';
import type { Authenticate } from '../../http/credentials/credentials.ts';
import { type AddressTest, isLoopback, networkOf, plainAddress } from '../../http/origin.ts';
import { deferred, type MailAnswer, replyText, storeAway, tooLarge } from '../gateway/mail-answer.ts';
import { maxMailRecipients, parseMailRecipient } from '../gateway/mail-recipient.ts';
import type { IncomingMail, MailFindings } from '../gateway/receive-mail.ts';
import { type MailToRecord, type RecordedAnswer, recordOf } from '../gateway/recent-mail.ts';
import { unfitness } from '../senders/paying-user.ts';
import {
  admitConnections,
  type MailConnectionLimits,
  MailConnections,
  type NewConnection,
  standardMailConnectionLimits,
} from './connections.ts';
import {
  MailGate,
  type MailGateLimits,
  type MailOrigin,
  MailPieces,
  standardMailGateLimits,
} from './gate.ts';

export interface MailServerOptions {
  readonly address: { readonly host: string; readonly port: number };
  /** In ASCII form. */
  readonly domains: readonly string[];
  readonly maxOctets: number;
  /** Without it there is no TLS, and passwords are accepted only from this machine and from trusted relays. */
  readonly tls: TlsFiles | undefined;
  readonly isTrustedRelay: AddressTest;
  readonly authenticate: Authenticate<Caller>;
  readonly receive: (mail: IncomingMail, findings: MailFindings) => Promise<MailAnswer>;
  /** Records the outcome of an e-mail for the operator. */
  readonly record: (mail: MailToRecord) => void;
  /** How long the oldest pending store call has waited. */
  readonly storeWaitMs: () => number;
  readonly limits?: MailGateLimits;
  readonly connectionLimits?: MailConnectionLimits;
  /** Whether an address belongs to this machine. */
  readonly isLocal?: AddressTest;
  readonly metrics: MailMetrics;
  readonly log: Logger;
}

export interface MailMetrics {
  taken(what: string): void;
  refused(reason: string): void;
}

const idleMs = 60_000;
const stopMs = 10_000;
/** An e-mail that exceeds the maximum size this many times over ends its connection. */
const endlessTimes = 2;

/** Commands of no use here, including jokes of the library. */
const unwanted = ['WIZ', 'SHELL', 'KILL', 'HELP', 'VRFY'];

export class MailServer {
  readonly #options: MailServerOptions;
  readonly #server: SMTPServer;
  readonly #gate: MailGate;
  readonly #connections: MailConnections;
  readonly #isLocal: AddressTest;
  /** Pending responses to e-mails, with the ids of their connections. */
  readonly #underWay = new Map<Promise<unknown>, string>();
  #unfollow: () => void = () => undefined;

  constructor(options: MailServerOptions) {
    const { tls, domains, maxOctets, log } = options;
    this.#options = options;
    this.#isLocal = options.isLocal ?? isLoopback;
    this.#gate = new MailGate(gateLimits(options), options.storeWaitMs);
    this.#connections = new MailConnections(options.connectionLimits ?? standardMailConnectionLimits);
    this.#server = new SMTPServer({
      ...(tls === undefined ? {} : readTlsFiles(tls)),
      name: domains[0] ?? 'localhost',
      banner: 'Carillon',
      heloResponse: '%s',
      logger: false,
      disableReverseLookup: true,
      authMethods: ['PLAIN', 'LOGIN'],
      authOptional: true,
      allowInsecureAuth: true,
      size: maxOctets,
      maxRecipients: maxMailRecipients,
      socketTimeout: idleMs,
      closeTimeout: stopMs,
      disabledCommands: this.#disabled(false),
      onConnect: (session, callback) => {
        session.disabledCommands = this.#disabled(this.#isTrusted(plainAddress(session.remoteAddress)));
        callback();
      },
      onSecure: (_socket, session, callback) => {
        session.disabledCommands = this.#disabled(true);
        callback();
      },
      onAuth: (auth, session, callback) => {
        logIn(options.authenticate, auth, plainAddress(session.remoteAddress)).then(
          (user) => {
            this.#connections.know(session.id);
            callback(null, { user });
          },
          (error: unknown) => callback(fault(loginFault(error, log))),
        );
      },
      onMailFrom: (_address, session, callback) =>
        callback(this.#gate.isOpenTo(this.#originOf(session)) ? null : fault(busy)),
      onRcptTo: (address, session, callback) => callback(this.#recipientFault(address, session)),
      onData: (stream, session, callback) => {
        const work = this.#answer(stream, session).then((answer) => {
          if (answer.kind === 'taken') callback(null, answer.text);
          else callback(fault(answer));
        });
        this.#underWay.set(work, session.id);
        void work.finally(() => this.#underWay.delete(work));
      },
      onClose: (session) => this.#connections.end(session.id),
    });
    // Also covers connections: an error on one must not end the process.
    this.#server.on('error', (error) => log.debug({ err: error }, 'an SMTP connection broke'));
    admitConnections(this.#server, (connection) => this.#admits(connection));
  }

  /** Returns the port, which the system may have chosen. */
  async listen(): Promise<number> {
    const { address, domains, tls, log } = this.#options;
    const name = { noun: 'SMTP server', setting: 'CARILLON_SMTP' };
    const port = await listenOn(this.#server.server, address, name);
    if (tls !== undefined) {
      const adapter = { setSecureContext: (pair: object) => this.#server.updateSecureContext(pair) };
      this.#unfollow = followTlsFiles(adapter, tls, log);
    }
    log.info({ host: address.host, port, domains }, 'receives mail');
    return port;
  }

  /** E-mails received completely are answered; all other clients are told to try again later. */
  async stop(): Promise<void> {
    this.#unfollow();
    this.#server.close();
    for (const connection of [...this.#server.connections])
      if (!this.#connections.isWorking(connection.id)) connection.send(421, 'This server is stopping');
    // Incomplete e-mails can no longer be answered.
    const working = [...this.#underWay].filter(([, id]) => this.#connections.isWorking(id));
    await Promise.race([Promise.allSettled(working.map(([answer]) => answer)), after(stopMs)]);
    for (const connection of [...this.#server.connections]) connection.send(421, 'This server is stopping');
    this.#gate.stop();
  }

  get connections(): number {
    return this.#connections.size;
  }

  #disabled(isSafe: boolean): string[] {
    const { tls } = this.#options;
    return [...unwanted, ...(tls === undefined ? ['STARTTLS'] : []), ...(isSafe ? [] : ['AUTH'])];
  }

  #admits({ id, address, destroy }: NewConnection): boolean {
    const over = () => this.#end({ id }, 'This connection has been open too long');
    const from = { address, isTrusted: this.#isTrusted(address) };
    return this.#connections.admit(id, from, { over, displaced: destroy });
  }

  #isTrusted(address: string): boolean {
    return this.#isLocal(address) || this.#options.isTrustedRelay(address);
  }

  #end({ id }: { readonly id: string }, text: string): void {
    for (const connection of this.#server.connections) if (connection.id === id) connection.send(421, text);
  }

  #originOf(session: SMTPServerSession): MailOrigin {
    const address = plainAddress(session.remoteAddress);
    const isKnown = userOf(session) !== undefined || this.#options.isTrustedRelay(address);
    return { isUnauthenticated: !isKnown, network: this.#isLocal(address) ? undefined : networkOf(address) };
  }

  #recipientFault({ address }: SMTPServerAddress, session: SMTPServerSession): Error | null {
    const number = parseMailRecipient(address, this.#options.domains);
    if (number.ok) return null;
    const text = replyText(number.error);
    this.#options.metrics.refused('no_phone');
    this.#record({ kind: 'refused', reason: 'no_phone', text }, session, findingsOf(session), [address]);
    return fault({ code: 550, text });
  }

  #record(
    answer: RecordedAnswer,
    session: SMTPServerSession,
    findings: MailFindings,
    to: readonly string[],
  ): void {
    const user = userOf(session);
    const address = plainAddress(session.remoteAddress);
    const isUnauthenticated = user === undefined && !this.#options.isTrustedRelay(address);
    this.#options.record(recordOf(answer, { address, user, isUnauthenticated }, findings, to));
  }

  async #answer(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<MailAnswer> {
    const from = this.#originOf(session);
    const pieces = new MailPieces(this.#gate, from);
    const findings = findingsOf(session);
    let answer: MailAnswer | undefined;
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        if (!pieces.count(piece) || stream.byteLength > endlessTimes * this.#options.maxOctets) {
          answer = stream.sizeExceeded ? tooLarge(this.#options.maxOctets) : inPieces;
          this.#end(session, answer.text);
          break;
        }
        // The e-mail is still read to its end, if that comes: only then will the client read a response.
        if (stream.sizeExceeded) answer = tooLarge(this.#options.maxOctets);
        else if (answer === undefined && !pieces.keep(piece)) answer = busy;
        if (answer !== undefined) pieces.letGo();
      }
      answer ??= await this.#work(pieces.whole(), session, from, findings);
    } catch (error) {
      answer = this.#failure(error, stream);
    } finally {
      pieces.letGo();
    }
    this.#tell(answer, session);
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    this.#record(answer, session, findings, recipients);
    return answer;
  }

  async #work(
    octets: Buffer,
    session: SMTPServerSession,
    from: MailOrigin,
    findings: MailFindings,
  ): Promise<MailAnswer> {
    const { id, envelope, hostNameAppearsAs, remoteAddress } = session;
    const { domains, receive } = this.#options;
    const mail: IncomingMail = {
      octets,
      address: plainAddress(remoteAddress),
      helo: hostNameAppearsAs,
      envelopeSender: envelopeSenderOf(session),
      user: userOf(session),
      numbers: envelope.rcptTo.flatMap(({ address }) => {
        const number = parseMailRecipient(address, domains);
        return number.ok ? number.value : [];
      }),
    };
    this.#connections.working(id, true);
    try {
      return (await this.#gate.work(from, () => receive(mail, findings))) ?? busy;
    } finally {
      this.#connections.working(id, false);
    }
  }

  #failure(error: unknown, stream: SMTPServerDataStream): MailAnswer {
    if (error instanceof ServiceError) return deferred('store', storeAway);
    // The client is gone, so nobody reads the response.
    if (!stream.readableEnded) return deferred('broken', 'The e-mail did not arrive completely.');
    this.#options.log.error({ err: error }, 'an e-mail could not be processed');
    return deferred('internal', 'Something went wrong here; try again later.');
  }

  #tell(answer: MailAnswer, { envelope, remoteAddress }: SMTPServerSession): void {
    const { metrics, log } = this.#options;
    const numbers = envelope.rcptTo.length;
    if (answer.kind === 'taken') {
      metrics.taken(answer.what);
      const { what, text } = answer;
      if (what !== 'automatic') log.info({ what, numbers }, 'accepted an e-mail');
      else
        log.info({ what, numbers, address: plainAddress(remoteAddress), answer: text }, 'ignored an e-mail');
      return;
    }
    metrics.refused(answer.reason);
    log.info({ reason: answer.reason, code: answer.code, numbers }, 'refused an e-mail');
  }
}

/** The library stores `false` when a login ends, for example when TLS starts. */
function userOf({ user }: SMTPServerSession): Caller | undefined {
  return (user as Caller | false | undefined) || undefined;
}

function envelopeSenderOf({ envelope }: SMTPServerSession): string {
  return envelope.mailFrom === false ? '' : envelope.mailFrom.address;
}

/** What is known about an e-mail before any of it is read. */
function findingsOf(session: SMTPServerSession): MailFindings {
  return { sender: envelopeSenderOf(session), isProven: false, companyId: undefined };
}

/** Logs in a user (RFC 4954) whose account may send SMS. Throws errors that `loginFault` puts into words. */
async function logIn(
  authenticate: Authenticate<Caller>,
  { username = '', password }: Pick<SMTPServerAuthentication, 'username' | 'password'>,
  address: string,
): Promise<Caller> {
  const credentials = { kind: 'password', username, password: password ?? '' } as const;
  const caller = await authenticate(credentials, { address, channel: 'smtp' });
  const unfit = unfitness({ active: true, roles: [...caller.roles] });
  if (unfit === undefined) return caller;
  throw new ServiceError(
    'role_missing',
    `The account ${caller.username} ${unfit}. The operator assigns roles in the provisioning file.`,
  );
}

export function loginFault(error: unknown, log: Pick<Logger, 'error'>): SmtpFault {
  if (error instanceof ServiceError && (error.status < 500 || error.code === 'overloaded'))
    return { code: error.status >= 429 ? 454 : 535, text: replyText(error.message) };
  log.error({ err: error }, 'SMTP credentials could not be checked');
  return { code: 454, text: 'The credentials cannot be checked just now; try again later.' };
}

const busy = deferred('overload', 'This server is overloaded; try again later.');
const inPieces = deferred('broken', 'The e-mail arrives in too many small pieces.');

/** A network's share must have room for one stranger's largest e-mail. */
function gateLimits({ limits = standardMailGateLimits, maxOctets }: MailServerOptions): MailGateLimits {
  const { network } = limits;
  return { ...limits, network: { ...network, maxOctets: Math.max(network.maxOctets, maxOctets) } };
}

interface SmtpFault {
  readonly code: number;
  readonly text: string;
}

/** Builds the error in the form the library expects. */
function fault({ code, text }: SmtpFault): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
