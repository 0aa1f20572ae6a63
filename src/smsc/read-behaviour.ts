/**
 * Reads the behaviour of the test SMSC from a file and from flags, where a flag overrides the file. The settings are defined
 * in two tables, from which the file, the flags and their help are derived.
 */
import { readFileSync } from 'node:fs';
import { StartError } from '../foundation/errors.ts';
import { defaultAlphabets } from '../wire/smpp/alphabet.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import { type Fault, faultLine, noPlace, type Place, sortedFaults } from '../yaml/fault.ts';
import {
  type Field,
  flag,
  list,
  nearest,
  object,
  oneOfWords,
  optional,
  type Read,
  type TextRule,
  text,
  wholeNumber,
} from '../yaml/fields.ts';
import { parseYaml, type Tree, type YamlResult } from '../yaml/tree.ts';
import {
  type Behaviour,
  messageIdForms,
  type Range,
  receiptBinds,
  receiptForms,
  receiptsPerMessage,
  type ServerSettings,
  type Shares,
  stats,
  type Treatment,
} from './behaviour.ts';

export function readBehaviourFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError(`The behaviour file ${path} cannot be read: ${(error as Error).message}.`);
  }
}

type ReadBehaviour =
  | { readonly behaviour: Behaviour }
  /** One line per fault. */
  | { readonly faults: readonly string[] };

type Flags = Readonly<Record<string, unknown>>;

/**
 * Takes the content of the file, if there is one, and the flags by setting name. A flag without a value counts as true.
 */
export function readBehaviour(content: string | undefined, flags: Flags): ReadBehaviour {
  const { tree, faults: yamlFaults } = parseYaml(content ?? '{}');
  const faults: Fault[] = [...yamlFaults];
  const read = tree && file(asMap(tree), faults);
  const flagFaults: Fault[] = [];
  const flagged = readFlags(flags, flagFaults);
  if (read !== undefined) faults.push(...unreachableRules(read.rules));
  // The cast is safe, because the table for this type has read each value and the result is used only if all values
  // were valid.
  const general = { ...read, ...flagged } as unknown as Behaviour;
  if (faults.length + flagFaults.length === 0) faults.push(...halfTls(general));
  if (faults.length + flagFaults.length > 0)
    return { faults: [...sortedFaults(faults), ...flagFaults].map(faultLine) };
  const forAll = given(general) as Treatment;
  const rules = (read?.rules ?? []).map((rule) => ({ ...forAll, ...given(rule), prefix: rule.prefix }));
  return { behaviour: { ...general, rules } };
}

/** An empty file sets nothing. */
function asMap(tree: Tree): Tree {
  return tree.kind === 'nothing' ? { kind: 'map', place: tree.place, entries: new Map() } : tree;
}

/** A rule falls back to the general setting for anything it omits. */
function given(
  rule: { readonly [Name in keyof Treatment]: Treatment[Name] | undefined },
): Partial<Treatment> {
  return Object.fromEntries(
    Object.keys(treatment).flatMap((name) => {
      const value = rule[name as keyof Treatment];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The first matching rule wins, so a later rule never sees a number that an earlier one matches. */
function unreachableRules(rules: readonly ReadRule[]): readonly Fault[] {
  return rules.flatMap(({ prefix, fieldPlaces }, index) => {
    if (fieldPlaces.prefix === undefined) return [];
    const earlier = rules.slice(0, index).findIndex((other) => prefix.startsWith(other.prefix));
    if (earlier === -1) return [];
    const sentence = `rules[${earlier}] already matches all of these numbers; put the longer prefix first`;
    return [{ place: fieldPlaces.prefix, sentence }];
  });
}

function halfTls({ tlsCert, tlsKey }: Behaviour): readonly Fault[] {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return [];
  return [
    { place: noPlace, sentence: 'tlsCert and tlsKey must be given together: a certificate and its key' },
  ];
}

/** These values are taken literally, even if they look like a number or a YAML keyword. */
const plainTexts: ReadonlySet<string> = new Set([
  'host',
  'systemId',
  'password',
  'tlsCert',
  'tlsKey',
  'reply',
  'err',
] satisfies (keyof Behaviour)[]);

function readFlags(flags: Flags, faults: Fault[]): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(flags)) {
    const written = String(given);
    const plain: YamlResult = { tree: { kind: 'text', place: noPlace, value: written }, faults: [] };
    const { tree, faults: found } = plainTexts.has(name) ? plain : parseYaml(written);
    const all = [...found];
    if (tree !== undefined) values[name] = settings[name]?.read(tree, all);
    faults.push(...all.map((fault) => ({ ...fault, place: placeOfFlag(name, fault.place) })));
  }
  return values;
}

/** A flag has no line or column. */
function placeOfFlag(name: string, { path }: Place): Place {
  return { ...noPlace, path: path === '' ? flagOf(name) : `${flagOf(name)}: ${path}` };
}

/** The flag's name in the help: `receiptMs` is `--receipt-ms`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export interface Setting<Value> extends Field<Value> {
  /** The form of the value, shown in the help of the flags. */
  readonly form: string;
  /** The default as a user would write it. Empty if there is none. */
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

const dayMs = 86_400_000;

/** `500`, or `200-900`. */
const range: Read<Range> = (tree, faults) => {
  const written = text((given) => {
    const [min, max] = bounds(given);
    return min <= max && max <= dayMs
      ? { value: given }
      : { wrong: `must be a number of milliseconds such as 500, or a range such as 200-900, up to ${dayMs}` };
  })(tree, faults);
  if (written === undefined) return undefined;
  const [min, max] = bounds(written);
  return { min, max };
};

/** NaN if it is not a range. */
function bounds(written: string): readonly [number, number] {
  const [, min = 'none', max = min] = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(written.trim()) ?? [];
  return [Number(min), Number(max)];
}

const percent: Read<number> = (tree, faults) => {
  if (tree.kind === 'number' && tree.value >= 0 && tree.value <= 100) return tree.value;
  faults.push({
    place: tree.place,
    sentence: 'must be a percentage from 0 to 100, without a percent sign',
  });
  return undefined;
};

function oneOf(words: readonly string[], shown = words.join(', ')): TextRule {
  return (written) => {
    if (words.includes(written)) return { value: written };
    const meant = nearest(written, words);
    return { wrong: `must be one of ${shown}${meant === undefined ? '' : `; did you mean ${meant}?`}` };
  };
}

/** One name for all, or a percentage for each of several: `UNDELIV`, `{ UNDELIV: 5, EXPIRED: 1 }`. */
function shares<Name extends string>(names: readonly Name[], shown?: string): Read<Shares<Name>> {
  const rule = oneOf(names, shown);
  return (tree, faults) => {
    if (tree.kind === 'nothing') return new Map();
    if (tree.kind !== 'map') {
      const name = text(rule)(tree, faults);
      return name === undefined ? undefined : new Map([[name as Name, 100]]);
    }
    const found = new Map<Name, number>();
    for (const [name, { place, value }] of tree.entries) {
      const checked = rule(name);
      if ('wrong' in checked) faults.push({ place, sentence: checked.wrong });
      const share = percent(value, faults);
      if (share !== undefined) found.set(name as Name, share);
    }
    const sum = [...found.values()].reduce((all, share) => all + share, 0);
    if (sum > 100)
      faults.push({ place: tree.place, sentence: `the shares add up to ${sum} percent; the maximum is 100` });
    return found;
  };
}

const refusals = Object.keys(commandStatus).filter((name) => name !== 'ESME_ROK');

/** Refusals by command_status name. */
const refusalShares = shares(
  refusals,
  'the command_status names such as ESME_RSYSERR or ESME_RINVDSTADR (SMPP 3.4, 5.1.3)',
);

/** Undefined is allowed too, because an empty text counts as none. */
function textUpTo(longest: number): Read<string> {
  return text((written) =>
    written.length <= longest ? { value: written } : { wrong: `must have at most ${longest} characters` },
  );
}

/** Accepts only text that a PDU field can carry. */
function asciiUpTo(longest: number): Read<string> {
  const rule: TextRule = (written) =>
    written.length <= longest && /^[ -~]*$/.test(written)
      ? { value: written }
      : { wrong: `must have at most ${longest} ASCII characters` };
  return text(rule);
}

const prefix: Read<string> = text((written) => {
  const digits = written.replace(/^\+/, '').replace(/[\s()-]/g, '');
  return /^\d{0,20}$/.test(digits)
    ? { value: digits }
    : { wrong: 'must be the first digits of numbers, country code first; "" is for all numbers' };
});

const none = new Map();
const count = (most: number) => wholeNumber(0, most);
const at = (ms: number): Range => ({ min: ms, max: ms });

const serverSettings = {
  host: setting(
    textUpTo(255),
    '127.0.0.1',
    'address',
    'address to listen on; 0.0.0.0 means every address of the machine',
  ),
  port: setting(count(65_535), 2775, 'number', 'the TCP port; 0 picks a free one'),
  systemId: setting(asciiUpTo(15), undefined, 'text', 'the system id of binds; by default any'),
  password: setting(asciiUpTo(64), undefined, 'text', 'the password of binds; by default any'),
  tlsCert: setting(textUpTo(4_096), undefined, 'file', 'certificate (PEM); turns on TLS'),
  tlsKey: setting(textUpTo(4_096), undefined, 'file', 'its key (PEM)'),
  refuseBind: setting(refusalShares, none, 'status', 'refuse all binds, or a share of them: ESME_RBINDFAIL'),
  maxBinds: setting(
    count(1_000),
    0,
    'number',
    'binds at a time; more are refused with ESME_RALYBND; 0: no limit',
  ),
  maxSubmits: setting(
    count(1_000_000),
    0,
    'number',
    'submissions per second; more are refused with ESME_RTHROTTLED; 0: no limit',
  ),
  queueSize: setting(
    count(1_000_000),
    0,
    'number',
    'messages waiting for their receipt; more are refused with ESME_RMSGQFUL; 0: no limit',
  ),
  dropAfter: setting(
    count(1_000_000),
    0,
    'number',
    'break a connection after this many submissions, the last of them taken but not answered; 0: never',
  ),
  dropEveryMs: setting(count(dayMs), 0, 'ms', 'break all connections at this interval; 0: never'),
  enquireLinkMs: setting(
    count(dayMs),
    0,
    'ms',
    'send enquire_link at this interval, and break a connection that has not answered by the next one; 0: never',
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
    'how the parts of a long incoming SMS are marked: udh, sar, payload',
  ),
  seed: setting(count(0xffff_ffff), undefined, 'number', 'random seed; the same seed draws the same again'),
} satisfies { readonly [Name in keyof ServerSettings]: Setting<ServerSettings[Name]> };

const treatment = {
  answerMs: setting(range, at(0), 'ms', 'delay from a submission to its answer: 20, or 20-80'),
  error: setting(
    refusalShares,
    none,
    'status',
    'refuse all submissions, or a share of them: ESME_RSUBMITFAIL, or { ESME_RSYSERR: 5 }',
  ),
  lostAnswers: setting(percent, 0, 'percent', 'take this share of submissions, and never answer them'),
  stat: setting(
    shares(stats),
    none,
    'stat',
    `the status in receipts: ${stats.join(', ')}, or shares: { UNDELIV: 5, none: 1 }; all others are DELIVRD`,
  ),
  err: setting(
    asciiUpTo(10),
    undefined,
    'code',
    'the err of receipts; by default 000, or 001 for a failing stat',
  ),
  receiptMs: setting(range, at(500), 'ms', 'delay from the answer to the receipt: 500, or 200-900'),
  receiptEarly: setting(flag, false, 'true|false', 'whether the receipt comes before the answer'),
  receiptTimes: setting(wholeNumber(1, 10), 1, 'number', 'how many times each receipt is sent'),
  receiptsPerMessage: setting(
    oneOfWords(receiptsPerMessage),
    'part',
    'which',
    'a receipt for each part of a long message (part), or one for all of them, under the id of the first or last part',
  ),
  receiptForm: setting(
    oneOfWords(receiptForms),
    'both',
    'form',
    'where receipts have the status: tlv, text, both',
  ),
  receiptBind: setting(
    oneOfWords(receiptBinds),
    'same',
    'bind',
    'the bind that receipts come by: that of the submission (same), or another of the same system id',
  ),
  intermediate: setting(
    flag,
    false,
    'true|false',
    'whether an intermediate notification (ENROUTE) comes before the receipt',
  ),
  reply: setting(textUpTo(10_000), undefined, 'text', 'the reply of the phone to each message'),
  replyMs: setting(range, at(1_000), 'ms', 'delay from the answer to a submission to the reply of the phone'),
} satisfies { readonly [Name in keyof Treatment]: Setting<Treatment[Name]> };

/** All settings that can also be given as flags. */
export const settings: Readonly<Record<string, Setting<unknown>>> = { ...serverSettings, ...treatment };

/** A setting that the rule omits is undefined. */
const ruleFields = {
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

const readRule = object(ruleFields);
type ReadRule = NonNullable<ReturnType<typeof readRule>>;

const file = object({
  ...serverSettings,
  ...treatment,
  rules: optional(list(readRule), []),
});
