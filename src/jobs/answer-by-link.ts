/** Answers a run by the link of a mail, as an SMS does: the answer is an event of the run, which its next step takes in. */

import type { KeyObject } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import type { Store } from '../storage/store.ts';
import { type AnswerLink, readAnswerLink } from './by-mail/answer-link.ts';
import type { Standing } from './by-mail/answer-page.ts';
import { putAnswerByLink, readStanding } from './link-store.ts';
import { maxReplies } from './run/run.ts';

export interface LinkServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly secret: KeyObject;
  /** A run has something to do. */
  readonly wake: () => void;
}

export type FoundStanding =
  | { readonly kind: 'found'; readonly link: AnswerLink; readonly standing: Standing }
  | { readonly kind: 'lost'; readonly why: 'unknown' | 'expired' };

/** A link that this server has not written leads to no look into the store. */
export async function standingBy(
  { store, clock, secret }: LinkServices,
  text: string,
): Promise<FoundStanding> {
  const link = readAnswerLink(secret, text);
  if (link === undefined) return { kind: 'lost', why: 'unknown' };
  const stored = link.expiresAt > clock.now() ? await store.read(readStanding, link) : null;
  if (stored === null) return { kind: 'lost', why: 'expired' };
  const { run, person, people, found, rank, pending } = stored;
  const needed = run.tasks.reduce((sum, { goal }) => sum + (goal ?? people), 0);
  const mayAnswer = person.replies < maxReplies && pending < maxPending;
  return {
    kind: 'found',
    link,
    standing: { run, person, found, needed, rank, isPending: pending > 0, mayAnswer },
  };
}

/** Of one person: more can't be taken back as fast as they come. */
const maxPending = 5;
const takenInMs = 1_000;
const lookEveryMs = 25;

/** What is said already is not said again. Waits a moment until the run has taken it in, if it does. */
export async function answerByLink(
  services: LinkServices,
  text: string,
  meaning: 'yes' | 'no',
): Promise<FoundStanding> {
  const before = await standingBy(services, text);
  if (before.kind === 'lost' || !isNews(before.standing, meaning)) return before;
  const { store, clock, wake } = services;
  const { runId, place } = before.link;
  await store.write(putAnswerByLink, { runId, place, meaning, at: clock.now(), mark: randomUUID() });
  wake();
  const until = performance.now() + takenInMs;
  for (;;) {
    const after = await standingBy(services, text);
    if (after.kind === 'lost' || !after.standing.isPending || performance.now() >= until) return after;
    await delay(lookEveryMs);
  }
}

/** After the end, only the first YES is: its sender is told that it is too late. */
function isNews({ run, person, isPending, mayAnswer }: Standing, meaning: 'yes' | 'no'): boolean {
  if (!mayAnswer) return false;
  if (run.phase === 'ended') return meaning === 'yes' && person.state !== 'yes' && !person.late && !isPending;
  return isPending || person.state !== meaning;
}
