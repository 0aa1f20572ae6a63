/** Hands e-mails to the relay by SMTP over persistent connections, and returns its response as a value. */
import type { NodemailerError, SendMailOptions, SMTPPoolOptions } from 'nodemailer';
import { type Result, success } from '../../foundation/result.ts';
import { parseEmailAddress } from '../../wire/email-address.ts';
import type { OutgoingMail } from './outgoing-mail.ts';
import type { RelayAddress } from './relay-address.ts';

export interface RelayAnswer {
  /** `deferred`: this e-mail not now (4xx). `refused`: this e-mail never (5xx). `unreachable`: no mail at all for now. */
  readonly outcome: 'taken' | 'deferred' | 'refused' | 'unreachable';
  /** The relay's response, or why it could not be asked. */
  readonly reason: string;
}

export interface RelayOptions {
  readonly address: RelayAddress;
  /** The name sent in EHLO: the email-to-SMS domain. */
  readonly name: string;
  /** The certificate of a test's own CA. */
  readonly ca?: string;
  readonly timeouts?: RelayTimeouts;
  /** Receives each line of the conversation, without passwords. */
  readonly onLine?: (line: string) => void;
}

interface RelayTimeouts {
  readonly connectMs: number;
  /**
   * RFC 5321, section 4.5.3.2.6: a server may take ten minutes to answer an e-mail it has received. A client that gives
   * up too early sends it twice.
   */
  readonly silenceMs: number;
}

const standardTimeouts: RelayTimeouts = { connectMs: 30_000, silenceMs: 10 * 60_000 };
export const relayConnections = 4;
const mailsOfConnection = 100;
const maxReasonLength = 300;

export class Relay {
  readonly #options: RelayOptions;
  /** Made for the first e-mail: only then is the package loaded. */
  #transport: ReturnType<typeof pool> | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Never throws because of what the relay does. */
  async send(mail: OutgoingMail, date: Date): Promise<RelayAnswer> {
    const composed = composeMail(mail, date);
    if (!composed.ok) return { outcome: 'refused', reason: composed.error };
    const { createTransport } = await import('nodemailer');
    this.#transport ??= pool(createTransport, this.#options);
    try {
      const { response } = await this.#transport.sendMail(composed.value);
      return { outcome: 'taken', reason: shortened(response) };
    } catch (error) {
      return answerOf(error as NodemailerError);
    }
  }

  /** E-mails in flight fail, so await them first. */
  close(): void {
    this.#transport?.close({ force: true });
  }
}

/**
 * Builds the e-mail for the library: our header fields, and the text as both plain text and HTML. On a fault the relay need not
 * be asked.
 */
export function composeMail({ messageId, content }: OutgoingMail, date: Date): Result<SendMailOptions> {
  for (const one of [content.to, content.from]) {
    const address = parseEmailAddress(one.address);
    if (!address.ok) return address;
  }
  const { from, to, subject, text, html, references } = content;
  return success({
    messageId,
    date,
    from,
    to,
    subject,
    text,
    html,
    ...(references.length === 0 ? {} : { references: [...references], inReplyTo: references.at(-1) }),
    headers: {
      'Auto-Submitted': content.autoSubmitted,
      // Exchange honours this: neither out-of-office replies nor delivery and read reports come back.
      'X-Auto-Response-Suppress': 'All',
    },
    // RFC 3834, section 3.3: an automatic e-mail has no return path, so that nothing comes back to us and no loop starts.
    envelope: { from: '', to: [to.address] },
    disableFileAccess: true,
    disableUrlAccess: true,
  } as SendMailOptions);
}

function pool(
  createTransport: typeof import('nodemailer').createTransport,
  { address, name, ca, onLine, timeouts = standardTimeouts }: RelayOptions,
) {
  const { host, port, tls, login } = address;
  const options: SMTPPoolOptions & { pool: true } = {
    pool: true,
    host,
    port,
    name,
    maxConnections: relayConnections,
    maxMessages: mailsOfConnection,
    secure: tls === 'immediate',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
    // The store decides whether and when an e-mail is sent again.
    maxRequeues: 0,
    ...(onLine === undefined ? {} : { transactionLog: true, logger: conversationLog(onLine) }),
  };
  return createTransport(options);
}

/** These codes (RFC 4954, section 6) are about us, not about the e-mail. */
const aboutLogin = [530, 534, 535, 538];
/** RFC 5321, section 3.8: whatever the command was, the server is about to close the connection. */
const closing = 421;

function answerOf(error: NodemailerError): RelayAnswer {
  const { responseCode: code = 0, command = '' } = error;
  const reason = shortened(error.response ?? error.message);
  const isAboutMail = /^(MAIL FROM|RCPT TO|DATA)$/.test(command) && ![closing, ...aboutLogin].includes(code);
  if (isAboutMail && code >= 500) return { outcome: 'refused', reason };
  if (isAboutMail && code >= 400) return { outcome: 'deferred', reason };
  return { outcome: 'unreachable', reason };
}

function shortened(reason: string): string {
  return reason.replace(/\s+/g, ' ').slice(0, maxReasonLength);
}

/** The library logs everything in bunyan form; lines sent and received are marked. */
function conversationLog(onLine: (line: string) => void) {
  const signs: Readonly<Record<string, string>> = { client: '->', server: '<-' };
  const tell = (entry: { readonly tnx?: string }, text: string, ...values: readonly unknown[]) => {
    const sign = signs[entry.tnx ?? ''];
    if (sign === undefined) return;
    for (const line of String(values.length > 0 ? values[0] : text).split(/\r?\n/)) onLine(`${sign} ${line}`);
  };
  const unheard = () => undefined;
  return {
    level: unheard,
    trace: unheard,
    debug: tell,
    info: unheard,
    warn: unheard,
    error: unheard,
    fatal: unheard,
  };
}
