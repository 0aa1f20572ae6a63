/** Answers a run by the link of a mail, as an SMS does: the answer is an event of the run, which its next step takes in. */

import type { KeyObject } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import type { Store } from '../storage/store.ts';
import { type AnswerLink, afterEndMs, readAnswerLink } from './by-mail/answer-link.ts';
import type { Standing } from './by-mail/answer-page.ts';
import {
  findCompanyOfRun,
  isAnswerPending,
  type Meaning,
  maxPending,
  putAnswerByLink,
  readStanding,
} from './link-store.ts';
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

/** A link that this server has not written leads to no look into the store. It lasts as its run does, which may be extended. */
export async function standingBy(
  { store, clock, secret }: LinkServices,
  text: string,
): Promise<FoundStanding> {
  const link = readAnswerLink(secret, text);
  if (link === undefined) return { kind: 'lost', why: 'unknown' };
  const companyId = await store.read(findCompanyOfRun, link.runId);
  const { runId, place } = link;
  const stored = companyId === undefined ? null : await store.read(readStanding, { runId, place, companyId });
  const endsAt = Math.max(link.expiresAt, (stored?.run.expiryAt ?? 0) + afterEndMs);
  if (stored === null || endsAt <= clock.now()) return { kind: 'lost', why: 'expired' };
  const { run, person, people, found, rank, pending } = stored;
  const needed = run.tasks.reduce((sum, { goal }) => sum + (goal ?? people), 0);
  const mayAnswer = person.replies < maxReplies && pending.length < maxPending;
  return {
    kind: 'found',
    link,
    standing: { run, person, found, needed, rank, pending: pending[0], mayAnswer },
  };
}

const takenInMs = 1_000;
const lookEveryMs = 25;

/** What is said already is not said again. Waits a moment until the run has taken it in, if it does. */
export async function answerByLink(
  services: LinkServices,
  text: string,
  meaning: Meaning,
): Promise<FoundStanding> {
  const before = await standingBy(services, text);
  if (before.kind === 'lost' || !isNews(before.standing, meaning)) return before;
  const { store, clock, wake } = services;
  const { runId, place } = before.link;
  const answer = { runId, place, meaning, at: clock.now(), mark: randomUUID() };
  if (!(await store.write(putAnswerByLink, answer))) return before;
  wake();
  const until = performance.now() + takenInMs;
  // The answer is there, whether or not it can be looked at now.
  const isPending = () => store.read(isAnswerPending, answer).catch(() => false);
  while (performance.now() < until && (await isPending())) await delay(lookEveryMs);
  return before;
}

/** After the end, only the first YES is: its sender is told that it is too late. */
function isNews({ run, person, pending, mayAnswer }: Standing, meaning: Meaning): boolean {
  if (!mayAnswer || (pending ?? person.state) === meaning) return false;
  return run.phase !== 'ended' || (meaning === 'yes' && !person.late && pending === undefined);
}
