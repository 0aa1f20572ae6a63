/** How much of the room that a claim has is taken by messages: counted in SMS parts, or in messages. */
import type { Claim } from './dispatch-store.ts';

interface Sized {
  readonly parts: number;
}

/** The same claim beside what was taken. */
export function less(claim: Claim, taken: readonly Sized[]): Claim {
  const room = claim.room - roomOf(claim, taken);
  const { mostParts } = claim;
  return mostParts === undefined
    ? { ...claim, room }
    : { ...claim, room, mostParts: mostParts - partsOf(taken) };
}

export function roomOf({ countsMessages }: Pick<Claim, 'countsMessages'>, rows: readonly Sized[]): number {
  return countsMessages ? rows.length : partsOf(rows);
}

function partsOf(rows: readonly Sized[]): number {
  let parts = 0;
  for (const row of rows) parts += row.parts;
  return parts;
}
