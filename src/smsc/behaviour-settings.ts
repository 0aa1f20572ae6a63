/** What may be set of the SMSC for tests, as a table: the file, the flags and their help follow from it. */
import { defaultAlphabets } from '../wire/smpp/alphabet.ts';
import { type Field, flag, oneOfWords, optional, type Read, wholeNumber } from '../yaml/fields.ts';
import {
  messageIdForms,
  type Range,
  receiptBinds,
  receiptForms,
  receiptsPerMessage,
  type ServerSettings,
  stats,
  type Treatment,
} from './behaviour.ts';
import { asciiUpTo, percent, prefix, range, refusalShares, shares, textUpTo } from './behaviour-fields.ts';

export interface Setting<Value> extends Field<Value> {
  /** Of the value, in the help of flags. */
  readonly form: string;
  /** As one would write it; empty: there is none. */
  readonly shownDefault: string;
  readonly description: string;
}

function setting<Value, Absent>(
  read: Read<Value>,
  absent: Absent,
  form: string,
  description: string,
): Setting<Value | Absent> {
  return { ...optional(read, absent), form, shownDefault: shownDefault(absent), description };
}

function shownDefault(absent: unknown): string {
  if (absent === undefined || absent instanceof Map) return '';
  if (typeof absent === 'object') return String((absent as Range).min);
  return String(absent);
}

const none = new Map();
const count = (most: number) => wholeNumber(0, most);
const at = (ms: number): Range => ({ min: ms, max: ms });
const day = 86_400_000;

export const serverSettings = {
  host: setting(
    textUpTo(255),
    '127.0.0.1',
    'address',
    'where to listen; 0.0.0.0 is every address of the machine',
  ),
  port: setting(count(65_535), 2775, 'number', 'the TCP port; 0 takes one that is free'),
  systemId: setting(asciiUpTo(15), undefined, 'text', 'who may bind; without it anybody'),
  password: setting(asciiUpTo(64), undefined, 'text', 'the password of binds; without it any'),
  tlsCert: setting(textUpTo(4_096), undefined, 'file', 'certificate (PEM): speak TLS'),
  tlsKey: setting(textUpTo(4_096), undefined, 'file', 'its key (PEM)'),
  refuseBind: setting(refusalShares, none, 'status', 'refuse binds, all of them or a share: ESME_RBINDFAIL'),
  maxBinds: setting(
    count(1_000),
    0,
    'number',
    'binds at a time; more are refused by ESME_RALYBND; 0 is no limit',
  ),
  maxSubmits: setting(
    count(1_000_000),
    0,
    'number',
    'submissions a second; more are refused by ESME_RTHROTTLED; 0 is no limit',
  ),
  queueSize: setting(
    count(1_000_000),
    0,
    'number',
    'messages that wait for their receipt; more are refused by ESME_RMSGQFUL; 0 is no limit',
  ),
  dropAfter: setting(
    count(1_000_000),
    0,
    'number',
    'break a connection at each so many submissions, the last of them taken and not answered; 0: never',
  ),
  dropEveryMs: setting(count(day), 0, 'ms', 'break all connections each time so long has passed; 0: never'),
  enquireLinkMs: setting(
    count(day),
    0,
    'ms',
    'send enquire_link so often, and break a connection that has not answered by the next; 0: never',
  ),
  answersEnquireLink: setting(flag, true, 'true|false', 'whether enquire_link is answered'),
  messageId: setting(
    oneOfWords(messageIdForms),
    'decimal',
    'form',
    `how message ids are written: ${messageIdForms.join(', ')}`,
  ),
  alphabet: setting(
    oneOfWords(defaultAlphabets),
    'gsm7',
    'name',
    'what data_coding 0 is: gsm7, gsm7-packed, latin1, ascii',
  ),
  concatenation: setting(
    oneOfWords(['udh', 'sar', 'payload']),
    'udh',
    'form',
    'how parts of incoming SMS are told to belong together: udh, sar, payload',
  ),
  seed: setting(
    count(0xffff_ffff),
    undefined,
    'number',
    'what chance begins with: the same again draws the same',
  ),
} satisfies { readonly [Name in keyof ServerSettings]: Setting<ServerSettings[Name]> };

export const treatment = {
  answerMs: setting(range, at(0), 'ms', 'from a submission to its answer: 20, or 20-80'),
  error: setting(
    refusalShares,
    none,
    'status',
    'refuse submissions, all of them or a share: ESME_RSUBMITFAIL, or { ESME_RSYSERR: 5 }',
  ),
  lostAnswers: setting(percent, 0, 'percent', 'take so many submissions, and never answer them'),
  stat: setting(
    shares(stats),
    none,
    'stat',
    `what receipts say: ${stats.join(', ')}, or shares: { UNDELIV: 5, none: 1 }; the rest is DELIVRD`,
  ),
  err: setting(
    asciiUpTo(10),
    undefined,
    'code',
    'the err of receipts; without it 000, or 001 where the stat is bad',
  ),
  receiptMs: setting(range, at(500), 'ms', 'from the answer to the receipt: 500, or 200-900'),
  receiptEarly: setting(flag, false, 'true|false', 'whether the receipt comes before the answer'),
  receiptTimes: setting(wholeNumber(1, 10), 1, 'number', 'how often each receipt is sent'),
  receiptsPerMessage: setting(
    oneOfWords(receiptsPerMessage),
    'part',
    'which',
    'a receipt for each part of a long message (part), or one for all of them, under the id of the first or last part',
  ),
  receiptForm: setting(oneOfWords(receiptForms), 'both', 'form', 'where receipts say it: tlv, text, both'),
  receiptBind: setting(
    oneOfWords(receiptBinds),
    'same',
    'bind',
    'by which bind receipts come: that of the submission (same), or another of the same system id',
  ),
  intermediate: setting(
    flag,
    false,
    'true|false',
    'whether an intermediate notification (ENROUTE) comes before the receipt',
  ),
  reply: setting(textUpTo(10_000), undefined, 'text', 'what the phone answers to each message'),
  replyMs: setting(range, at(1_000), 'ms', 'from the answer to a submission to what the phone answers'),
} satisfies { readonly [Name in keyof Treatment]: Setting<Treatment[Name]> };

/** All that can be a flag too. */
export const settings: Readonly<Record<string, Setting<unknown>>> = { ...serverSettings, ...treatment };

/** What a rule leaves out is undefined there. */
export const ruleFields = {
  prefix: { read: prefix, absent: 'needed' as const, standIn: '' },
  ...leftOpen(treatment),
};

function leftOpen<Table extends Readonly<Record<string, Field<unknown>>>>(table: Table) {
  const entries = Object.entries(table).map(([name, field]) => [
    name,
    { ...field, absent: { value: undefined } },
  ]);
  return Object.fromEntries(entries) as {
    readonly [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Field<Value | undefined> : never;
  };
}
