/**
 * Searches for the e-mail that is most expensive to read. E-mails are made of runs of repeated tokens, and the most expensive
 * ones are mutated further; this hill climbing finds cases that examples leave out.
 */
import { between, pick, type Random, seeded } from '../crash/random.ts';
import { computedMs } from './awake.ts';
import { bodyTokensOf, frames, headerTokens, signature, type Tokens } from './mail-tokens.ts';

/** Tokens that are repeated until they fill this share of a section; with a share of 0 they appear once. */
interface Run {
  readonly tokens: readonly string[];
  readonly share: number;
}

export interface MailShape {
  /** The header lines that describe the body. */
  readonly frame: readonly string[];
  /** Whether the e-mail is signed by the sender's domain, in a form that has to be examined. */
  readonly isSigned: boolean;
  readonly header: readonly Run[];
  /** Bytes of header, as a multiple of the body's. */
  readonly headerTimes: number;
  readonly body: readonly Run[];
}

export type Reading = (octets: Buffer) => Promise<unknown> | unknown;

export interface Search {
  readonly seed: number;
  /** Whether the search changes the header too, which costs as much for a small e-mail as for a large one. */
  readonly withHeader: boolean;
  /** The search tries many small e-mails, where quadratic cost already stands out, so that few large ones are needed. */
  readonly rounds: { readonly small: number; readonly large: number };
}

export interface Found {
  readonly shape: MailShape;
  readonly costMs: number;
}

const smallOctets = 16 * 1024;
/** More than is ever read of an e-mail. */
export const largeOctets = 512 * 1024;

/** The most expensive shape found, and its processor time as a large e-mail. */
export async function worstMail(read: Reading, { seed, withHeader, rounds }: Search): Promise<Found> {
  const random = seeded(seed);
  const fresh = frames.flatMap((frame) =>
    (withHeader ? [false, true] : [false]).map((isSigned) => freshShape(random, frame, isSigned)),
  );
  // Code that has not run yet is slow whatever it reads.
  for (const shape of fresh) await steadyCostOf(read, rendered(shape, smallOctets));
  const small = await climb(read, fresh, { random, withHeader, octets: smallOctets, rounds: rounds.small });
  const large = await climb(read, small, { random, withHeader, octets: largeOctets, rounds: rounds.large });
  const costs: Found[] = [];
  for (const shape of large) {
    const costMs = await steadyCostOf(read, rendered(shape, largeOctets));
    costs.push({ shape, costMs });
  }
  return costs.reduce((one, other) => (other.costMs > one.costMs ? other : one));
}

interface Climb extends Pick<Search, 'withHeader'> {
  readonly random: Random;
  readonly octets: number;
  readonly rounds: number;
}

/** Keeps the worst e-mail of each kind, so that a kind that is expensive from the start does not displace the others. */
async function climb(
  read: Reading,
  from: readonly MailShape[],
  { random, withHeader, octets, rounds }: Climb,
): Promise<readonly MailShape[]> {
  const worst = new Map<string, Found>();
  const kindOf = ({ frame, isSigned }: MailShape) => JSON.stringify([frame, isSigned]);
  const look = async (shape: MailShape) => {
    const before = worst.get(kindOf(shape))?.costMs ?? -1;
    const mail = rendered(shape, octets);
    let costMs = await costOf(read, mail);
    // The first measurement may have included a garbage collection.
    if (costMs > before) costMs = await steadyCostOf(read, mail);
    if (costMs > before) worst.set(kindOf(shape), { shape, costMs });
  };
  for (const shape of from) await look(shape);
  for (let round = 0; round < rounds; round += 1) {
    const kinds = [...worst.values()] as [Found, ...Found[]];
    const { shape } = pick(random, kinds);
    // Shapes that are expensive on their own must not crowd out those that become so only in combination.
    const isFresh = octets === smallOctets && random() < 0.5;
    await look(
      isFresh ? freshShape(random, shape.frame, shape.isSigned) : changed(random, shape, withHeader),
    );
  }
  return [...worst.values()].map(({ shape }) => shape);
}

/** The minimum of several measurements, because anything else the process does adds to them. */
export async function steadyCostOf(read: Reading, octets: Buffer, tries = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let one = 0; one < tries; one += 1) least = Math.min(least, await costOf(read, octets));
  return least;
}

async function costOf(read: Reading, octets: Buffer): Promise<number> {
  const started = computedMs();
  await read(octets);
  return computedMs() - started;
}

const headerTimes = [0, 0, 1 / 16, 1 / 4, 1] as const;
/** Several times what a server accepts. */
const maxHeaderOctets = 600_000;

function freshShape(random: Random, frame: readonly string[], isSigned: boolean): MailShape {
  return {
    frame,
    isSigned,
    header: [freshRun(random, headerTokens)],
    headerTimes: 0,
    body: [freshRun(random, bodyTokensOf(frame)), freshRun(random, bodyTokensOf(frame))],
  };
}

function freshRun(random: Random, tokens: Tokens): Run {
  const count = pick(random, [1, 1, 1, 2, 3, 4]);
  const share = pick(random, [0, 0, 1, 2, 8]);
  return { tokens: Array.from({ length: count }, () => pick(random, tokens)), share };
}

function changed(random: Random, shape: MailShape, withHeader: boolean): MailShape {
  let next = shape;
  for (let times = between(random, 1, 3); times > 0; times -= 1) {
    const part = between(random, withHeader ? 0 : 4, 9);
    if (part === 4) next = { ...next, frame: pick(random, frames) };
    else if (part === 0) next = { ...next, headerTimes: pick(random, headerTimes) };
    else if (part <= 3) next = { ...next, header: changedRuns(random, next.header, headerTokens) };
    else next = { ...next, body: changedRuns(random, next.body, bodyTokensOf(next.frame)) };
  }
  return next;
}

function changedRuns(random: Random, runs: readonly Run[], tokens: Tokens): readonly Run[] {
  const next = [...runs];
  const at = between(random, 0, next.length - 1);
  const run = next[at];
  const kind = between(random, 0, 4);
  if (run === undefined || kind === 0)
    next.splice(between(random, 0, next.length), 0, freshRun(random, tokens));
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

/** An e-mail with this many octets, not counting the header. */
export function rendered(shape: MailShape, octets: number): Buffer {
  const { frame, isSigned, header, body } = shape;
  const head = ['From: a@care.example', ...frame].join('\r\n') + (isSigned ? signature : '');
  return Buffer.concat([
    Buffer.from(head, 'latin1'),
    ...filled(header, Math.min(maxHeaderOctets, shape.headerTimes * octets)),
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
