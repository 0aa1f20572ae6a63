/** Speaks SMTP line by line, so that a test sees each reply and can break off anywhere. */
import { connect, type Socket } from 'node:net';

export interface SmtpReply {
  readonly code: number;
  /** All lines without their codes. */
  readonly text: string;
}

export interface MailToSend {
  readonly octets: Buffer;
  readonly to: readonly string[];
  /** The envelope sender; empty for a bounce. */
  readonly from?: string;
  readonly helo?: string;
  readonly login?: { readonly username: string; readonly password: string };
  readonly localAddress?: string;
}

export class SmtpClient {
  readonly #socket: Socket;
  #received = '';
  #waiting: (() => void) | undefined;
  #isClosed = false;

  /** Any address of this machine, which begins with 127 (RFC 1122 3.2.1.3). */
  constructor(port: number, localAddress = '127.0.0.1') {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    this.#socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#waiting?.();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#waiting?.();
    });
  }

  /** Code 0 means that the server has closed the connection. */
  async reply(): Promise<SmtpReply> {
    for (;;) {
      const [whole, last] = /^(?:\d{3}-.*\r\n)*(\d{3})(?: .*)?\r\n/.exec(this.#received) ?? [];
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length);
        const lines = whole.trimEnd().split('\r\n');
        return { code: Number(last), text: lines.map((line) => line.slice(4)).join('\n') };
      }
      if (this.#isClosed) return { code: 0, text: '' };
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  write(octets: Buffer | string): void {
    this.#socket.write(octets);
  }

  command(line: string): Promise<SmtpReply> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  /** Sends the greeting and logs in if a login is given. */
  async begin({ helo = 'mx.sender.example', login }: Pick<MailToSend, 'helo' | 'login'> = {}) {
    await this.reply();
    const hello = await this.command(`EHLO ${helo}`);
    if (login === undefined) return hello;
    const token = Buffer.from(`\0${login.username}\0${login.password}`).toString('base64');
    return this.command(`AUTH PLAIN ${token}`);
  }

  /** The decisive reply: the reply to the first refused step, otherwise the reply to the data. */
  async mail({ octets, to, from = 'ward@care.example' }: Omit<MailToSend, 'helo' | 'login'>) {
    let reply = await this.command(`MAIL FROM:<${from}>`);
    for (const recipient of to) if (reply.code < 400) reply = await this.command(`RCPT TO:<${recipient}>`);
    if (reply.code < 400) reply = await this.command('DATA');
    if (reply.code !== 354) return reply;
    this.data(octets);
    return this.reply();
  }

  /** Dot stuffing (RFC 5321 4.5.2). */
  data(octets: Buffer): void {
    const stuffed = octets.toString('latin1').replace(/^\./gm, '..');
    this.write(Buffer.from(`${stuffed}${stuffed.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1'));
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Delivers the e-mail over a new connection. */
export async function deliverMail(port: number, mail: MailToSend): Promise<SmtpReply> {
  const client = new SmtpClient(port, mail.localAddress);
  try {
    const begun = await client.begin(mail);
    return begun.code >= 400 ? begun : await client.mail(mail);
  } finally {
    client.close();
  }
}
