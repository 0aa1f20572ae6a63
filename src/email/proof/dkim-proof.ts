/**
 * Verifies the signatures that could prove an e-mail's sender, and the keys they are verified with (RFC 6376, section
 * 6).
 */
import { Readable } from 'node:stream';
import type { TaskOwner, Turns } from '../../foundation/turns.ts';
import type { MailHeader } from '../../wire/mail/header-fields.ts';
import type { ResolveDns } from './bounded-dns.ts';
import { type DkimCandidate, tagsIn } from './dkim-candidates.ts';
import { mailDomain } from './mail-domain.ts';

export interface DkimVerdict {
  /** The valid candidates, in their original order. */
  readonly valid: readonly DkimCandidate[];
  /** Sentences about the invalid candidates. */
  readonly faults: readonly string[];
  /** A key could not be queried just now. */
  readonly isUndecided: boolean;
}

/** RFC 8301, section 3.2. */
const minKeyBits = 1_024;

/** The result of mailauth 4 for each signature; its declarations omit some of it. */
interface Verified {
  readonly signingDomain?: string;
  readonly selector?: string;
  readonly signature?: string;
  /** The key's DNS record. */
  readonly rr?: string;
  readonly status: { readonly result: string; readonly comment?: string | false };
}

interface DkimOptions {
  readonly resolve: ResolveDns;
  readonly turns: Turns;
  readonly owner: TaskOwner;
  readonly nowMs: number;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

export async function verifyDkim(
  octets: Uint8Array,
  header: MailHeader,
  candidates: readonly DkimCandidate[],
  options: DkimOptions,
): Promise<DkimVerdict> {
  if (candidates.length === 0) return { valid: [], faults: [], isUndecided: false };
  const form = await options.turns.run(options.owner, faultOfLines(octets));
  if (form !== undefined) return { valid: [], faults: [form], isUndecided: false };
  const results: Verified[] = [];
  for (const form of ['relaxed', 'simple'] as const) {
    const ofForm = candidates.filter(({ bodyForm }) => bodyForm === form);
    if (ofForm.length > 0) results.push(...(await verified(piecesOf(octets, header, ofForm), options)));
  }
  const valid: DkimCandidate[] = [];
  const faults: string[] = [];
  let isUndecided = false;
  for (const candidate of candidates) {
    const result = results.find(
      ({ signingDomain, selector, signature }) =>
        mailDomain(signingDomain ?? '') === candidate.domain &&
        selector === candidate.selector &&
        signature === candidate.signature,
    );
    const fault = result === undefined ? 'could not be read' : faultOf(result, candidate);
    isUndecided ||= result?.status.result === 'temperror';
    if (fault === undefined) valid.push(candidate);
    else faults.push(`The DKIM signature of ${candidate.domain} ${fault}.`);
  }
  return { valid, faults, isUndecided };
}

/** mailauth is loaded on demand because loading takes half a second, which a server without mail need not spend. */
async function verified(pieces: Iterable<Uint8Array>, options: DkimOptions): Promise<readonly Verified[]> {
  const { resolve, nowMs } = options;
  const { dkimVerify } = await import('mailauth');
  try {
    const { results } = await dkimVerify(Readable.from(inTurns(pieces, options)), {
      resolver: resolve as (name: string, type: string) => Promise<string[]>,
      minBitLength: minKeyBits,
      curTime: new Date(nowMs),
      // Otherwise mailauth takes a sender from the header.
      sender: '<>',
    });
    return results as unknown as readonly Verified[];
  } catch {
    // An e-mail that mailauth cannot read proves nothing.
    return [];
  }
}

/**
 * RFC 5322, section 2.1.1, allows 998, and programs allow more. mailauth scans a line again with each piece that
 * extends it.
 */
const maxLineOctets = 64 * 1024;

/**
 * Returns a sentence about lines over which no signature can be verified. RFC 5321, section 2.3.8, forbids line feeds
 * without a carriage return; 25 MB of them keep a core busy in mailauth for 14 s, and a line of 25 MB for 19 s.
 */
function* faultOfLines(octets: Uint8Array): Generator<void, string | undefined> {
  let start = 0;
  for (let at = 0; at < octets.length; at += 1) {
    if (at % octetsInStep === 0) yield;
    if (octets[at] !== 0x0a) continue;
    if (at - start > maxLineOctets) return lineTooLong;
    if (octets[at - 1] !== 0x0d) return 'The e-mail has lines that do not end in CR LF, as DKIM requires.';
    start = at + 1;
  }
  return octets.length - start > maxLineOctets ? lineTooLong : undefined;
}

const lineTooLong = 'The e-mail has a line that is too long for DKIM.';
const octetsInStep = 256 * 1024;

/**
 * Hashing 25 MB takes half a second, so other tasks get turns in between. Passing all pieces at once would leave no
 * turns for other tasks.
 */
async function* inTurns(
  pieces: Iterable<Uint8Array>,
  { turns, owner, signal }: DkimOptions,
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await turns.next(owner);
    if (signal.aborted) return;
    yield piece;
  }
}

const pieceOctets = 16 * 1024;

/**
 * Yields the e-mail without its other signatures and seals, each of which would cost DNS queries and a pass over the body. All
 * candidates share one body form, which is applied here.
 */
function* piecesOf(
  octets: Uint8Array,
  header: MailHeader,
  candidates: readonly DkimCandidate[],
): Generator<Uint8Array, void> {
  const kept = new Set(candidates.map(({ field }) => field));
  const pieces = header.fields
    .filter((field) => kept.has(field) || !(field.name === 'dkim-signature' || field.name.startsWith('arc-')))
    .map(({ start, end }) => octets.subarray(start, end));
  yield Buffer.concat(pieces);
  yield octets.subarray(header.fields.at(-1)?.end ?? 0, header.bodyStart);
  const body = octets.subarray(header.bodyStart);
  if (candidates[0]?.bodyForm === 'relaxed') yield* relaxedBody(body, pieceOctets);
  else for (let at = 0; at < body.length; at += pieceOctets) yield body.subarray(at, at + pieceOctets);
}

const cr = 0x0d;
const lf = 0x0a;
const space = 0x20;
const tab = 0x09;

/**
 * Yields the body in DKIM's relaxed form (RFC 6376, section 3.4.4), in pieces. mailauth would produce the same, but
 * lines that end in a space cost it 0.4 ms per kilobyte, and an e-mail may consist of nothing else. The body's lines
 * must end in CR LF.
 */
export function* relaxedBody(body: Uint8Array, pieceOctets: number): Generator<Uint8Array, void> {
  const out = new OutputPiece(pieceOctets);
  let isEmpty = true;
  // Line ends and spaces are held back until it is clear that they are not at the end of the body or of a line.
  let lineEnds = 0;
  let isSpaceDue = false;
  for (let at = 0; at < body.length; at += 1) {
    const octet = body[at] as number;
    if (octet === space || octet === tab) {
      isSpaceDue = true;
      continue;
    }
    if (octet === cr && body[at + 1] === lf) {
      at += 1;
      lineEnds += 1;
      isSpaceDue = false;
      continue;
    }
    for (; lineEnds > 0; lineEnds -= 1) {
      out.write(cr);
      out.write(lf);
      if (out.isFull) yield out.taken();
    }
    if (isSpaceDue) out.write(space);
    isSpaceDue = false;
    out.write(octet);
    isEmpty = false;
    if (out.isFull) yield out.taken();
  }
  if (isEmpty) return;
  out.write(cr);
  out.write(lf);
  yield out.taken();
}

class OutputPiece {
  readonly #octets: number;
  #buffer: Buffer;
  #length = 0;

  constructor(octets: number) {
    this.#octets = octets;
    this.#buffer = Buffer.allocUnsafe(octets);
  }

  /** A space, a character and a line end might no longer fit. */
  get isFull(): boolean {
    return this.#length > this.#octets - 4;
  }

  write(octet: number): void {
    this.#buffer[this.#length] = octet;
    this.#length += 1;
  }

  taken(): Uint8Array {
    const piece = this.#buffer.subarray(0, this.#length);
    this.#buffer = Buffer.allocUnsafe(this.#octets);
    this.#length = 0;
    return piece;
  }
}

/** Returns the end of a sentence. */
function faultOf({ status, rr }: Verified, candidate: DkimCandidate): string | undefined {
  if (status.result !== 'pass') {
    if (status.result === 'temperror') return 'could not be verified because DNS does not answer';
    if (status.result === 'policy') return `has a key of less than ${minKeyBits} bits`;
    return `is not valid (${wordsFor(status.comment)})`;
  }
  const tags = tagsIn(rr ?? '', anySign);
  if (tags === undefined) return 'has a key that cannot be read';
  return keyFault(tags, candidate);
}

/** Notes in keys (n=) may hold anything. */
const anySign = /(?!)/;

function wordsFor(comment: string | false | undefined): string {
  return (comment || 'no reason given').replace(/[^\x20-\x7E]/g, '?').slice(0, 100);
}

/** Checks the key tags that mailauth ignores (RFC 6376, section 3.6.1). */
function keyFault(key: ReadonlyMap<string, string>, candidate: DkimCandidate): string | undefined {
  const listed = (name: string) =>
    key
      .get(name)
      ?.split(':')
      .map((one) => one.trim().toLowerCase());
  const flags = listed('t') ?? [];
  if (flags.includes('y')) return 'has a key in test mode (t=y)';
  if (flags.includes('s') && candidate.identityDomain !== candidate.domain)
    return 'is for a subdomain, which its key forbids (t=s)';
  const services = listed('s') ?? ['*'];
  if (!services.includes('*') && !services.includes('email')) return 'has a key that is not for mail (s=)';
  const hashes = listed('h') ?? ['sha256'];
  return hashes.includes('sha256') ? undefined : 'has a key that is not for SHA-256 (h=)';
}
