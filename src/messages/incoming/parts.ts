/**
 * Puts an incoming SMS of several parts together. Its parts come in any order, twice, or not at all, and the reference
 * that they share is soon used again for another SMS (3GPP TS 23.040 9.2.3.24.1).
 *
 *   first part ──▶ open ──last missing part──▶ ended: whole
 *                   └──an hour, or a part that contradicts──▶ ended: with gaps
 */
import { joinPartTexts } from '../../wire/sms/part-texts.ts';

/** What is known about the SMS that a part belongs to. */
export interface IncomingAssembly {
  /** By position; null for a part that is still to come. */
  readonly texts: readonly (string | null)[];
  readonly startedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
}

/** Phones send the parts within seconds; an hour leaves time for a carrier that repeats what was not confirmed. */
export const assemblyMs = 60 * 60 * 1_000;
/**
 * For so long after its end a part that comes again is known as such. Carriers repeat what they saw no answer to after
 * a time-out and a new bind, within minutes. Longer would cost SMS: a sender that numbers badly, or has started again,
 * uses the reference again, and the same long text sent once more would be taken for a repetition.
 */
export const rememberedMs = 10 * 60 * 1_000;

/** Replaces each part that never came. */
const gap = '[…]';

export interface NewPart {
  /** From 1. */
  readonly part: number;
  readonly parts: number;
  readonly text: string;
}

export type PartResult =
  /** The part has come before. */
  | { readonly kind: 'known' }
  | { readonly kind: 'added'; readonly texts: IncomingAssembly['texts']; readonly isWhole: boolean }
  /** The part begins another SMS; the assembly ends here if it is open. */
  | { readonly kind: 'begins'; readonly texts: IncomingAssembly['texts'] };

export function addPart(assembly: IncomingAssembly, { part, parts, text }: NewPart, now: number): PartResult {
  const begins: PartResult = {
    kind: 'begins',
    texts: Array.from({ length: parts }, (_, index) => (index === part - 1 ? text : null)),
  };
  const known = assembly.texts[part - 1] ?? null;
  const isLate = isPast(assembly, now);
  // An assembly that is open beyond its time waits to be ended, with this part included.
  if (known === text && !(isLate && assembly.endedAt !== null)) return { kind: 'known' };
  if (known !== null || isLate || assembly.endedAt !== null) return begins;
  const texts = Array.from({ length: parts }, (_, index) =>
    index === part - 1 ? text : (assembly.texts[index] ?? null),
  );
  return { kind: 'added', texts, isWhole: !texts.includes(null) };
}

/** A time in the future came from a clock that has been set back since, and says nothing. */
function isPast({ startedAt, endedAt }: IncomingAssembly, now: number): boolean {
  return endedAt === null ? Math.abs(now - startedAt) >= assemblyMs : Math.abs(now - endedAt) >= rememberedMs;
}

/** Parts are joined first, since a part may end in half a character that the next one completes. */
export function joinParts(texts: IncomingAssembly['texts']): string {
  return joinPartTexts(texts.map((text) => text ?? gap));
}
