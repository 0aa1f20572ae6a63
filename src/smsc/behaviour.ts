/** How the SMSC for tests treats those that connect to it and what they submit, and how they connect. */
import type { DefaultAlphabet } from '../wire/smpp/alphabet.ts';

/** Milliseconds: each time some number from `min` to `max`. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Percent by name; what is left to 100 is the ordinary way. */
export type Shares<Name extends string> = ReadonlyMap<Name, number>;

/** The words of receipts (SMPP 3.4 appendix B) with their message_state (5.2.28). */
export const messageStates = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
} as const;

export type Stat = keyof typeof messageStates;

/** `none`: there is no receipt, though one was asked for. */
export const stats = [...(Object.keys(messageStates) as Stat[]), 'none'] as const;
export const receiptForms = ['both', 'tlv', 'text'] as const;
/** `first`, `last`: one for a message, under the id of that part. */
export const receiptsPerMessage = ['part', 'first', 'last'] as const;
export const receiptBinds = ['same', 'other'] as const;
/** The form at the submission, and that in the receipt where it is another. */
export const messageIdForms = ['decimal', 'hex', 'hexToDecimal', 'decimalToHex', 'text'] as const;

/** What becomes of one submission. */
export interface Treatment {
  readonly answerMs: Range;
  /** A share for each command_status, by its name. */
  readonly error: Shares<string>;
  /** Percent that are taken, and never answered. */
  readonly lostAnswers: number;
  readonly stat: Shares<(typeof stats)[number]>;
  /** Undefined: 000 where the stat is good, 001 where it is not. */
  readonly err: string | undefined;
  readonly receiptMs: Range;
  readonly receiptEarly: boolean;
  readonly receiptTimes: number;
  readonly receiptsPerMessage: (typeof receiptsPerMessage)[number];
  readonly receiptForm: (typeof receiptForms)[number];
  readonly receiptBind: (typeof receiptBinds)[number];
  readonly intermediate: boolean;
  /** Undefined when the phone says nothing. */
  readonly reply: string | undefined;
  readonly replyMs: Range;
}

/** For recipients that begin so. */
interface Rule extends Treatment {
  readonly prefix: string;
}

/** What holds for the whole SMSC. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Undefined: any. */
  readonly systemId: string | undefined;
  readonly password: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly refuseBind: Shares<string>;
  readonly maxBinds: number;
  /** A second; 0 is no limit. */
  readonly maxSubmits: number;
  /** Messages that wait for their end; 0 is no limit. */
  readonly queueSize: number;
  /** Submissions on one connection; 0: never. */
  readonly dropAfter: number;
  /** 0: never. */
  readonly dropEveryMs: number;
  readonly enquireLinkMs: number;
  readonly answersEnquireLink: boolean;
  readonly messageId: (typeof messageIdForms)[number];
  readonly alphabet: DefaultAlphabet;
  readonly concatenation: 'udh' | 'sar' | 'payload';
  readonly seed: number | undefined;
}

export interface Behaviour extends ServerSettings, Treatment {
  readonly rules: readonly Rule[];
}

/** The first rule counts whose prefix the number has. */
export function treatmentOf(behaviour: Behaviour, recipient: string): Treatment {
  const digits = recipient.replace(/^\+/, '');
  return behaviour.rules.find(({ prefix }) => digits.startsWith(prefix)) ?? behaviour;
}

/** Whether another run may go another way. */
export function isRandom(behaviour: Behaviour): boolean {
  return (
    hasShares(behaviour.refuseBind) ||
    [behaviour, ...behaviour.rules].some(
      ({ answerMs, receiptMs, replyMs, lostAnswers, error, stat }) =>
        [answerMs, receiptMs, replyMs].some(({ min, max }) => min !== max) ||
        hasShares(new Map([['', lostAnswers]])) ||
        hasShares(error) ||
        hasShares(stat),
    )
  );
}

function hasShares(shares: Shares<string>): boolean {
  return [...shares.values()].some((percent) => percent > 0 && percent < 100);
}

/** What to put into Carillon's provisioning file to connect it, word for word. */
export function connectionAdvice(behaviour: Behaviour, port: number): string {
  const { systemId, password, tlsCert, messageId, alphabet } = behaviour;
  const converts = messageId === 'hexToDecimal' || messageId === 'decimalToHex';
  const settings: readonly (readonly [string, string])[] = [
    ['name', 'smsc'],
    ['type', 'smpp'],
    ['host', scalar(reachable(behaviour.host))],
    ['port', String(port)],
    ['systemId', systemId === undefined ? 'carillon # any will do' : scalar(systemId)],
    ['password', password === undefined ? 'secret # any will do' : scalar(password)],
    ...(tlsCert === undefined ? [] : [['tls', 'true'] as const, ['tlsCa', scalar(tlsCert)] as const]),
    ...(converts ? [['messageId', messageId] as const] : []),
    ...(alphabet === 'gsm7' ? [] : [['alphabet', alphabet] as const]),
  ];
  const lines = settings.map(([name, value], index) => `${index === 0 ? '  - ' : '    '}${name}: ${value}`);
  return ['carriers:', ...lines, 'routes:', '  - { prefix: "", carriers: [smsc] }'].join('\n');
}

/** Where it listens at every address, one of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Quoted where YAML could take it for something else. */
function scalar(value: string): string {
  return /^[a-z][\w./-]*$/i.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : /^\d+(\.\d+){3}$/.test(value)
      ? value
      : JSON.stringify(value);
}
