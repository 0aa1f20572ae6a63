/**
 * Looks for the mail whose reading costs the most: mails are made of tokens in runs that are repeated, and those that cost
 * more than others are changed further. What examples leave out is found by climbing.
 */
import { between, pick, type Random, seeded } from '../crash/random.ts';
import { computedMs } from './awake.ts';

/** Tokens that are repeated until they fill their share of a section; a share of 0: they stand there once. */
interface Run {
  readonly tokens: readonly string[];
  readonly share: number;
}

export interface MailShape {
  /** What the header says about the body. */
  readonly frame: readonly string[];
  /** By the domain of its sender, in a form that is looked into. */
  readonly isSigned: boolean;
  readonly header: readonly Run[];
  readonly headerOctets: number;
  readonly body: readonly Run[];
}

export type Reading = (octets: Buffer) => Promise<unknown> | unknown;

export interface Search {
  readonly seed: number;
  readonly octets: number;
  readonly rounds: number;
}

export interface Found {
  readonly shape: MailShape;
  readonly costMs: number;
}

/** The most costly shape that was found, and what it costs in CPU time. */
export async function worstMail(read: Reading, { seed, octets, rounds }: Search): Promise<Found> {
  const random = seeded(seed);
  /** The worst of each kind, lest one that costs much from the beginning keeps all others from growing. */
  const worst = new Map<string, Found>();
  const kindOf = ({ frame, isSigned }: MailShape) => JSON.stringify([frame, isSigned]);
  const look = async (shape: MailShape) => {
    const before = worst.get(kindOf(shape))?.costMs ?? -1;
    const mail = rendered(shape, octets);
    let costMs = await costOf(read, mail);
    // The first look may have been at a collection of garbage.
    if (costMs > before) costMs = Math.min(costMs, await steadyCostOf(read, mail));
    if (costMs > before) worst.set(kindOf(shape), { shape, costMs });
  };
  for (const frame of frames)
    for (const isSigned of [false, true]) await look(freshShape(random, frame, isSigned));
  for (let round = 0; round < rounds; round += 1) {
    const kinds = [...worst.values()] as [Found, ...Found[]];
    await look(changed(random, pick(random, kinds).shape));
  }
  return [...worst.values()].reduce((one, other) => (other.costMs > one.costMs ? other : one));
}

/** The least of several, since whatever else the process does comes on top. */
export async function steadyCostOf(read: Reading, octets: Buffer): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3; tries += 1) least = Math.min(least, await costOf(read, octets));
  return least;
}

async function costOf(read: Reading, octets: Buffer): Promise<number> {
  const started = computedMs();
  await read(octets);
  return computedMs() - started;
}

/** The largest header that a server takes, and more. */
const headerSizes = [0, 0, 1_000, 30_000, 125_000, 500_000] as const;

function freshShape(random: Random, frame: readonly string[], isSigned: boolean): MailShape {
  return {
    frame,
    isSigned,
    header: [freshRun(random, headerTokens)],
    headerOctets: 0,
    body: [{ tokens: ['\r\n--b\r\n'], share: 0 }, freshRun(random, bodyTokens)],
  };
}

function freshRun(random: Random, tokens: Tokens): Run {
  const count = between(random, 1, 4);
  return { tokens: Array.from({ length: count }, () => pick(random, tokens)), share: between(random, 1, 8) };
}

function changed(random: Random, shape: MailShape): MailShape {
  let next = shape;
  for (let times = between(random, 1, 3); times > 0; times -= 1) {
    const part = between(random, 0, 9);
    if (part === 0) next = { ...next, frame: pick(random, frames) };
    else if (part === 1) next = { ...next, headerOctets: pick(random, headerSizes) };
    else if (part <= 4) next = { ...next, header: changedRuns(random, next.header, headerTokens) };
    else next = { ...next, body: changedRuns(random, next.body, bodyTokens) };
  }
  return next;
}

function changedRuns(random: Random, runs: readonly Run[], tokens: Tokens): readonly Run[] {
  const next = [...runs];
  const at = between(random, 0, next.length - 1);
  const run = next[at];
  const kind = between(random, 0, 4);
  if (run === undefined || kind === 0) next.splice(at, 0, freshRun(random, tokens));
  else if (kind === 1) next.splice(at, 1);
  else if (kind === 2) next[at] = { ...run, share: pick(random, [0, 1, 2, 8]) };
  else next[at] = { ...run, tokens: changedTokens(random, run.tokens, tokens) };
  return next;
}

const maxTokens = 64;

function changedTokens(random: Random, given: readonly string[], tokens: Tokens): readonly string[] {
  const next = [...given];
  const at = between(random, 0, next.length);
  const kind = between(random, 0, 4);
  if (kind === 0) next.push(...given);
  else if (kind === 1) next.splice(at, 1);
  else if (kind === 2) next.splice(at, 1, pick(random, tokens));
  else if (kind === 3) next.splice(at, 0, pick(random, tokens));
  else next.splice(at, 0, ...Array<string>(8).fill(pick(random, tokens)));
  return next.slice(0, maxTokens);
}

/** Of so many octets, the header aside. */
export function rendered(shape: MailShape, octets: number): Buffer {
  const { frame, isSigned, header, headerOctets, body } = shape;
  const head = ['From: a@care.example', ...frame].join('\r\n') + (isSigned ? signature : '');
  return Buffer.concat([
    Buffer.from(head, 'latin1'),
    ...filled(header, headerOctets),
    Buffer.from('\r\n\r\n'),
    ...filled(body, octets),
  ]);
}

function filled(runs: readonly Run[], octets: number): Buffer[] {
  const shares = runs.reduce((sum, { share }) => sum + share, 0);
  return runs.map(({ tokens, share }) => {
    const unit = Buffer.from(tokens.join(''), 'latin1');
    if (share === 0 || unit.length === 0) return unit;
    return Buffer.alloc(Math.floor((octets * share) / shares), unit);
  });
}

type Tokens = readonly [string, ...string[]];

const frames: readonly [readonly string[], ...(readonly string[])[]] = [
  ['Content-Type: text/plain; charset=utf-8'],
  ['Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable'],
  ['Content-Type: text/plain', 'Content-Transfer-Encoding: base64'],
  ['Content-Type: text/plain; format=flowed; delsp=yes'],
  ['Content-Type: text/html'],
  ['Content-Type: text/html; charset=utf-7', 'Content-Transfer-Encoding: quoted-printable'],
  ['Content-Type: multipart/mixed; boundary=b'],
  ['Content-Type: multipart/alternative; boundary=b'],
  ['Content-Type: text/plain; charset=utf-7'],
  ['Content-Type: text/plain; charset=iso-2022-jp'],
  ['Content-Type: text/plain; charset=gb18030'],
  ['Content-Type: text/html; charset=windows-1252'],
];

/** Well formed, of the sender's domain, and of a key that nobody has. */
const signature =
  '\r\nDKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=care.example; s=s1; h=from:subject:x; bh=eA==; b=eA==';

const headerTokens: Tokens = [
  ...([
    '\r\nFrom: ',
    '\r\nTo: ',
    '\r\nSubject: ',
    '\r\nX: ',
    '\r\nPrecedence: ',
    '\r\nReturn-Path: ',
  ] as const),
  ...['\r\nContent-Type: ', '\r\nDKIM-Signature: ', signature, '\r\nAuto-Submitted: no', '\r\nDate: '],
  ...['\r\n ', '\r\n\t', ' ', '\t', '<', '>', '"', '(', ')', '\\', '@', '.', ',', ';', ':', '=', '-', 'a'],
  ...['a@b.example', '=?utf-8?q?', '=?x?b?', '?=', 'x=1; ', '\0', '\xff', '\xc3', '\r\n\r', 'b=c;'],
];

const bodyTokens: Tokens = [
  ...([
    '\t',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '<',
    '>',
    '"',
    '&',
    "'",
    '/',
    '=',
    '-',
    ':',
    '_',
    'a',
    'a b',
    '\0',
  ] as const),
  ...['\xff', '\xc3\xa9', '\xa0', '\xe2\x80\x8b', '\xf0\x9f\x98\x80', '&#x', '&amp;', '&#x26;', '&am'],
  ...['\r\n--', '\r\n--b\r\n', '\r\n--b--\r\n', '--c\r\n', 'Content-Type: multipart/mixed; boundary=c\r\n'],
  ...['Content-Type: text/html\r\n\r\n', 'Content-Type: text/plain\r\n\r\n', 'X: ', 'Content-Type: '],
  ...[
    '-----Original Message-----',
    '\nFrom: ',
    '\nTo: ',
    '\nSubject: ',
    '\n*Sent:*',
    ' wrote:\n',
    '\n-- \n',
    '\n--',
  ],
  ...[
    'On 2024-01-01 10:00, a@b.example wrote:',
    '\nOn ',
    '> ',
    '\n>',
    'skrev',
    '10:00',
    '@',
    '2024',
    '<a@b>:',
  ],
  ...['=\r\n', '=41', '=4', '+AGE-', '+', '\x1b$B', '\x81', 'Sent from my iPhone', '\n____', '(', ')'],
  ...[
    '<div>',
    '</div>',
    '<b>',
    '</b>',
    '<i>',
    '</i>',
    '<br>',
    '<p>',
    '<p style="margin:0">',
    '<a href="http://a">',
  ],
  ...[
    '<blockquote type="cite">',
    '</blockquote>',
    '</a>',
    '<td>',
    '<li>',
    '<pre>',
    '</pre>',
    '<!--',
    '-->',
    '<b ',
  ],
  ...[
    '<style>',
    '</style>',
    '<script>',
    '<title>',
    'x=y ',
    'style="',
    'class="a b"',
    '<img alt="',
    '<![CDATA[',
    '<?',
  ],
];
