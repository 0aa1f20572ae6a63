/**
 * The erasure of everything about one phone number (GDPR, article 17): a walk through what rooms keep of it, a set of rows in a
 * transaction, again and again until a walk has found nothing.
 *
 *   (asked for) ──▶ UNDER WAY ──a walk that finds nothing──▶ DONE: the number is known by its digest alone
 *                     │   ▲
 *                     ▼   │ after a while
 *                    WAITING: something still needs the number, or still tells it
 *
 * A walk that has found nothing ends with a search through all that the company keeps (`search-left.ts`), whose finds are
 * told and never removed: a text that somebody wrote about the person is not ours to change.
 *
 * Why it is so: docs/decisions/0050-a-person-is-erased-in-walks.md.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** What may still need the number, or still tells it, and is left until the next walk. */
export const keepers = [
  'messages',
  'runs',
  'batches',
  'contacts',
  'imports',
  'jobs',
  'templates',
  'mails',
  'webhooks',
  'answers',
  'settings',
] as const;
export type Keeper = (typeof keepers)[number];

export interface Erasure {
  readonly id: number;
  readonly companyId: number;
  readonly digest: string;
  readonly requestedAt: number;
  readonly username: string | null;
  /** Rows so far. */
  readonly erased: number;
  /** How much the latest whole walk has left, by what needs it. */
  readonly kept: Readonly<Partial<Record<Keeper, number>>>;
  /** Null: it goes on. */
  readonly doneAt: number | null;
}

/** The key of the digests by which erased numbers are known; the same on all nodes. */
export function personSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon person 1', 32)));
}

/** Keyed, since all numbers there are can be tried in minutes. */
export function digestOf(secret: KeyObject, companyId: number, number: string): string {
  return createHmac('sha256', secret).update(`${companyId} ${number}`).digest('hex').slice(0, 32);
}

const firstPauseMs = 5_000;
const longestPauseMs = 10 * 60_000;
/** What the search finds stays until somebody changes it, or it is purged. */
export const pauseAfterSearchMs = 6 * 3_600_000;

/** Before the next walk, after so many. */
export function pauseAfter(walks: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(walks, 10));
}
