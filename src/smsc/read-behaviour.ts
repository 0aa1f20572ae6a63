/**
 * Reads the behaviour of the SMSC for tests from a file and from flags; a flag says it after the file. What may be set stands
 * in two tables, which the file, the flags and their help follow from.
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
  /** A line for each. */
  | { readonly faults: readonly string[] };

type Flags = Readonly<Record<string, unknown>>;

/** The file's content, if there is one, and flags by the names of the settings; a flag without a value is true. */
export function readBehaviour(content: string | undefined, flags: Flags): ReadBehaviour {
  const { tree, faults: yamlFaults } = parseYaml(content ?? '{}');
  const faults: Fault[] = [...yamlFaults];
  const read = tree && file(asMap(tree), faults);
  const flagFaults: Fault[] = [];
  const flagged = readFlags(flags, flagFaults);
  if (read !== undefined) faults.push(...unreachableRules(read.rules));
  // Each of its values was read by the table that is made for this type; it is used only where all were right.
  const general = { ...read, ...flagged } as unknown as Behaviour;
  if (faults.length + flagFaults.length === 0) faults.push(...halfTls(general));
  if (faults.length + flagFaults.length > 0)
    return { faults: [...sortedFaults(faults), ...flagFaults].map(faultLine) };
  const forAll = given(general) as Treatment;
  const rules = (read?.rules ?? []).map((rule) => ({ ...forAll, ...given(rule), prefix: rule.prefix }));
  return { behaviour: { ...general, rules } };
}

/** An empty file asks for nothing in particular. */
function asMap(tree: Tree): Tree {
  return tree.kind === 'nothing' ? { kind: 'map', place: tree.place, entries: new Map() } : tree;
}

/** What a rule leaves out is as for all others. */
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

/** The first rule that fits is the one: what an earlier one takes never comes to a later. */
function unreachableRules(rules: readonly ReadRule[]): readonly Fault[] {
  return rules.flatMap(({ prefix, fieldPlaces }, index) => {
    if (fieldPlaces.prefix === undefined) return [];
    const earlier = rules.slice(0, index).findIndex((other) => prefix.startsWith(other.prefix));
    if (earlier === -1) return [];
    const sentence = `rules[${earlier}] takes all of these numbers already; put the longer prefix first`;
    return [{ place: fieldPlaces.prefix, sentence }];
  });
}

function halfTls({ tlsCert, tlsKey }: Behaviour): readonly Fault[] {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return [];
  return [{ place: noPlace, sentence: 'tlsCert and tlsKey go together: a certificate, and its key' }];
}

/** Values of these are what they are, even where they look like a number or a word of YAML. */
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

/** Lines and columns are nothing to a flag. */
function placeOfFlag(name: string, { path }: Place): Place {
  return { ...noPlace, path: path === '' ? flagOf(name) : `${flagOf(name)}: ${path}` };
}

/** As the help names it: `receiptMs` is `--receipt-ms`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export interface Setting<Value> extends Field<Value> {
  /** The form of the value, for the help of flags. */
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

const dayMs = 86_400_000;

/** `500`, or `200-900`. */
const range: Read<Range> = (tree, faults) => {
  const written = text((given) => {
    const [min, max] = bounds(given);
    return min <= max && max <= dayMs
      ? { value: given }
      : { wrong: `must be milliseconds such as 500, or a range such as 200-900, up to ${dayMs}` };
  })(tree, faults);
  if (written === undefined) return undefined;
  const [min, max] = bounds(written);
  return { min, max };
};

/** NaN where it is none. */
function bounds(written: string): readonly [number, number] {
  const [, min = 'none', max = min] = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(written.trim()) ?? [];
  return [Number(min), Number(max)];
}

const percent: Read<number> = (tree, faults) => {
  if (tree.kind === 'number' && tree.value >= 0 && tree.value <= 100) return tree.value;
  faults.push({
    place: tree.place,
    sentence: 'must be a percentage from 0 to 100, without a sign behind it',
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

/** One of the words for all, or percent for each of several: `UNDELIV`, `{ UNDELIV: 5, EXPIRED: 1 }`. */
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
      faults.push({ place: tree.place, sentence: `the shares come to ${sum} percent; 100 is all` });
    return found;
  };
}

const refusals = Object.keys(commandStatus).filter((name) => name !== 'ESME_ROK');

/** Each a refusal, by the name of its command_status. */
const refusalShares = shares(
  refusals,
  'the command_status names such as ESME_RSYSERR or ESME_RINVDSTADR (SMPP 3.4, 5.1.3)',
);

/** Undefined as well: a text that is left empty is none. */
function textUpTo(longest: number): Read<string> {
  return text((written) =>
    written.length <= longest ? { value: written } : { wrong: `must have at most ${longest} characters` },
  );
}

/** Nothing that a field of a PDU could not carry. */
function asciiUpTo(longest: number): Read<string> {
  const rule: TextRule = (written) =>
    written.length <= longest && /^[ -~]*$/.test(written)
      ? { value: written }
      : { wrong: `must have at most ${longest} characters of ASCII` };
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
  dropEveryMs: setting(count(dayMs), 0, 'ms', 'break all connections each time so long has passed; 0: never'),
  enquireLinkMs: setting(
    count(dayMs),
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

const treatment = {
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
