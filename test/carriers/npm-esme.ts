/** A client built on the npm package `smpp`, which shares no code with ours, for testing an SMSC. */
import smpp, { type ParsedPdu, type RequestPdu, type Session } from 'smpp';
import { until } from './carrier-recorder.ts';

type Fields = Readonly<Record<string, unknown>>;
type Role = 'transceiver' | 'transmitter' | 'receiver';

interface Heard {
  readonly pdu: RequestPdu;
  /** The text as that package reads it. */
  readonly text: string;
}

export class NpmEsme {
  /** What the SMSC has sent on its own initiative, in order. */
  readonly heard: Heard[] = [];
  /** The names of all PDUs received. */
  readonly commands: string[] = [];
  isClosed = false;
  /** The command_status with which deliveries are answered. */
  deliveryStatus = 0;
  /** If defined, collects the responses to deliveries; each is sent when called. */
  heldAnswers: (() => void)[] | undefined;
  readonly session: Session;

  private constructor(session: Session) {
    this.session = session;
    session.on('error', () => undefined);
    session.on('close', () => {
      this.isClosed = true;
    });
    session.on('pdu', (pdu) => this.commands.push(pdu.command));
    session.on('deliver_sm', (pdu) => {
      this.heard.push({ pdu, text: textOf(pdu) });
      const answer = () => void session.send(pdu.response({ command_status: this.deliveryStatus }));
      if (this.heldAnswers === undefined) answer();
      else this.heldAnswers.push(answer);
    });
    session.on('enquire_link', (pdu) => session.send(pdu.response()));
    session.on('unbind', (pdu) => session.send(pdu.response()));
  }

  static async connect(port: number, tls = false): Promise<NpmEsme> {
    const session = smpp.connect({ host: '127.0.0.1', port, tls, rejectUnauthorized: false });
    const esme = new NpmEsme(session);
    let isOpen = false;
    session.on('connect', () => {
      isOpen = true;
    });
    await until(() => isOpen);
    return esme;
  }

  /** Connects and binds. */
  static async bound(port: number, role: Role = 'transceiver', fields: Fields = {}): Promise<NpmEsme> {
    const esme = await NpmEsme.connect(port);
    const { command_status } = await esme.bind(role, fields);
    if (command_status !== 0) throw new Error(`the bind was refused: ${command_status}`);
    return esme;
  }

  bind(role: Role, fields: Fields = {}): Promise<ParsedPdu> {
    const all = { system_id: 'tester', password: 'secret', ...fields };
    return new Promise((resolve) => {
      this.session[`bind_${role}`](all, resolve);
    });
  }

  /** Resolves with the response, or never if there is none. */
  submit(fields: Fields): Promise<ParsedPdu> {
    return new Promise((resolve) => {
      this.session.submit_sm({ source_addr: '46701740605', registered_delivery: 1, ...fields }, resolve);
    });
  }

  unbind(): Promise<ParsedPdu> {
    return new Promise((resolve) => {
      this.session.unbind(resolve);
    });
  }

  close(): void {
    this.session.destroy();
  }
}

function textOf(pdu: RequestPdu): string {
  const { message } = pdu.short_message as { readonly message: string | Buffer };
  return message.toString();
}
