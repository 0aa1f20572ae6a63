/** Defines how the test SMSC treats its clients and what they submit, and how clients connect to it. */
import type { DefaultAlphabet } from '../wire/smpp/alphabet.ts';
import { type MessageState, messageStates } from '../wire/smpp/message-states.ts';

/** In milliseconds; a number from `min` to `max`, chosen each time. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Percentages by name; the rest up to 100 behaves normally. */
export type Shares<Name extends string> = ReadonlyMap<Name, number>;

export type Stat = MessageState;

/** With `none`, no receipt is sent although one was requested. */
export const stats = [...(Object.keys(messageStates) as Stat[]), 'none'] as const;
export const receiptForms = ['both', 'tlv', 'text'] as const;
/** With `first` or `last`, a message has one receipt, under the id of that part. */
export const receiptsPerMessage = ['part', 'first', 'last'] as const;
export const receiptBinds = ['same', 'other'] as const;
/** The form at submission, and the form in the receipt if it differs. */
export const messageIdForms = ['decimal', 'hex', 'hexToDecimal', 'decimalToHex', 'text'] as const;

/** How one submission is treated. */
export interface Treatment {
  readonly answerMs: Range;
  /** A share for each command_status, by name. */
  readonly error: Shares<string>;
  /** The percentage of submissions that are taken but never answered. */
  readonly lostAnswers: number;
  readonly stat: Shares<(typeof stats)[number]>;
  /** Undefined for 000 with a good stat and 001 otherwise. */
  readonly err: string | undefined;
  readonly receiptMs: Range;
  readonly receiptEarly: boolean;
  readonly receiptTimes: number;
  readonly receiptsPerMessage: (typeof receiptsPerMessage)[number];
  readonly receiptForm: (typeof receiptForms)[number];
  readonly receiptBind: (typeof receiptBinds)[number];
  readonly intermediate: boolean;
  /** Undefined when the phone does not reply. */
  readonly reply: string | undefined;
  readonly replyMs: Range;
}

/** For recipients whose numbers begin with this prefix. */
interface Rule extends Treatment {
  readonly prefix: string;
}

/** Settings for the whole SMSC. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Undefined for any. */
  readonly systemId: string | undefined;
  readonly password: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly refuseBind: Shares<string>;
  readonly maxBinds: number;
  /** Per second; 0 for no limit. */
  readonly maxSubmits: number;
  /** Maximum number of messages waiting for their final state; 0 for no limit. */
  readonly queueSize: number;
  /** Submissions per connection; 0 for never. */
  readonly dropAfter: number;
  /** 0 for never. */
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

/** The first rule whose prefix matches the number applies. */
export function treatmentOf(behaviour: Behaviour, recipient: string): Treatment {
  const digits = recipient.replace(/^\+/, '');
  return behaviour.rules.find(({ prefix }) => digits.startsWith(prefix)) ?? behaviour;
}

/** Whether another run may turn out differently. */
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

/** The settings to put, word for word, into Carillon's provisioning file to connect to it. */
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

/** One of the SMSC's addresses, if it listens on all of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Quoted if YAML could take it for something else. */
function scalar(value: string): string {
  return /^[a-z][\w./-]*$/i.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : /^\d+(\.\d+){3}$/.test(value)
      ? value
      : JSON.stringify(value);
}
