/** A mail server on this machine that keeps what it receives and responds as a test specifies. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { RelayAddress } from '../../src/email/outgoing/relay-address.ts';
import type { TlsFiles } from '../../src/http/connections/tls-files.ts';
import { fieldValue, type MailHeader, readHeader } from '../../src/wire/mail/header-fields.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly octets: Buffer;
  readonly header: MailHeader;
  readonly messageId: string;
  readonly user: string | undefined;
  readonly isSecure: boolean;
}

/** Undefined accepts the e-mail, `hold` never responds, and `drop` breaks the connection. */
export type Reply = { readonly code: number; readonly text: string } | 'hold' | 'drop' | undefined;

export interface MailReceiver {
  readonly port: number;
  readonly address: RelayAddress;
  /** The accepted e-mails. */
  readonly taken: readonly ReceivedMail[];
  /** The recipients of every e-mail offered, in order. */
  readonly offered: readonly string[];
  /** Responses to a return path, to a recipient, and to a whole e-mail. */
  toSender: () => Reply;
  toRecipient: (address: string) => Reply;
  toMail: (mail: ReceivedMail) => Reply | Promise<Reply>;
  close(): Promise<void>;
}

interface ReceiverOptions {
  readonly port?: number;
  readonly tls?: TlsFiles;
  readonly user?: { readonly name: string; readonly password: string };
}

type Server = InstanceType<typeof SMTPServer>;

/** Breaks the connections of one session, or all. */
function breakOff(server: Server, id?: string): void {
  type Connection = { readonly id: string; readonly _socket: { destroy(): void } };
  for (const connection of server.connections as unknown as Iterable<Connection>)
    if (id === undefined || connection.id === id) connection._socket.destroy();
}

const fault = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });

export async function startMailReceiver({
  port = 0,
  tls,
  user,
}: ReceiverOptions = {}): Promise<MailReceiver> {
  const taken: ReceivedMail[] = [];
  const offered: string[] = [];
  const answer = (reply: Reply, id: string, callback: (error: Error | null) => void) => {
    if (reply === 'drop') breakOff(server, id);
    else if (reply !== 'hold') callback(reply === undefined ? null : fault(reply.code, reply.text));
  };
  const server: Server = new SMTPServer({
    ...(tls === undefined
      ? { hideSTARTTLS: true }
      : { cert: readFileSync(tls.certificateFile), key: readFileSync(tls.keyFile) }),
    authOptional: user === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _, callback) =>
      username === user?.name && password === user?.password
        ? callback(null, { user: username })
        : callback(fault(535, 'wrong')),
    onMailFrom(_, session, callback) {
      answer(receiver.toSender(), session.id, callback);
    },
    onRcptTo({ address }, session, callback) {
      offered.push(address);
      answer(receiver.toRecipient(address), session.id, callback);
    },
    onData(stream, session, callback) {
      const read = async (octets: Buffer) => {
        const mail = receivedIn(session, octets);
        const reply = await receiver.toMail(mail);
        if (reply === undefined) taken.push(mail);
        answer(reply, session.id, callback);
      };
      // Nothing is known about an e-mail that broke off, and no client is left to respond to.
      buffer(stream).then(read, () => undefined);
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const own = (server.server.address() as AddressInfo).port;
  const receiver: MailReceiver = {
    port: own,
    taken,
    offered,
    toSender: () => undefined,
    toRecipient: () => undefined,
    toMail: () => undefined,
    address: { host: '127.0.0.1', port: own, tls: 'none', login: undefined },
    async close() {
      breakOff(server);
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function receivedIn({ envelope, user, secure }: SMTPServerSession, octets: Buffer): ReceivedMail {
  const header = readHeader(octets);
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    octets,
    header,
    messageId: fieldValue(header, 'message-id') ?? '',
    user: user as string | undefined,
    isSecure: secure,
  };
}
