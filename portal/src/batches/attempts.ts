/**
 * What this browser has tried to send as batches. An attempt is known by the digest of what is sent, and keeps its key over a
 * reload, so that the same table goes out once, whichever tab of the browser it is sent from and however often.
 *
 *   begun ──answer──▶ accepted: what is the same goes again only when somebody says so
 *     │ refused ──▶ gone
 *     └── no answer ──▶ stays begun; what is the same goes again under its key, and nothing else before that is settled
 */
import { isRepeatable, newIdempotencyKey } from '../api/client.ts';
import { serverTime } from '../browser/clock.ts';
import { keep, kept, whenKeptElsewhere } from '../browser/kept.ts';
import { sharedValue } from '../browser/value.ts';

export interface BatchAttempt {
  readonly digest: string;
  readonly key: string;
  readonly begunAt: number;
  readonly messages: number;
  /** Of the batch that it has become; undefined: no answer has come. */
  readonly batchId?: string;
}

const current = sharedValue<readonly BatchAttempt[]>([]);
export const useAttempts = current.use;

/** The keys of those that this very page waits for an answer to. */
const awaited = sharedValue<readonly string[]>([]);

/** That nobody waits for any more, in this tab. */
export function useUnanswered(): BatchAttempt | undefined {
  const keys = awaited.use();
  return useAttempts().find(({ batchId, key }) => batchId === undefined && !keys.includes(key));
}

export async function awaiting<Answer>({ key }: BatchAttempt, answer: Promise<Answer>): Promise<Answer> {
  awaited.set([...awaited.get(), key]);
  try {
    return await answer;
  } finally {
    awaited.set(awaited.get().filter((one) => one !== key));
  }
}

/** Of those with an answer, which are told for as long as the server knows their keys. */
const maxKept = 20;

let owner: string | undefined;
const storedName = () => `batch-attempts.${owner}`;

/** Reads what a page before, or another tab, has left. */
export function recallAttempts(username: string): void {
  if (owner === undefined)
    whenKeptElsewhere((name) => {
      if (name === storedName()) look();
    });
  if (owner === username) return;
  owner = username;
  current.set([]);
  look();
}

function look(): void {
  const text = kept(storedName());
  if (text !== undefined) current.set(JSON.parse(text) as readonly BatchAttempt[]);
}

/** Where the browser keeps nothing, the page itself does. */
function change(to: (before: readonly BatchAttempt[]) => readonly BatchAttempt[]): void {
  const told = to(current.get()).filter((one) => one.batchId === undefined || isRepeatable(one.begunAt));
  current.set(told.slice(-maxKept));
  keep(storedName(), JSON.stringify(current.get()));
}

/** The attempt under whose key it is to be sent: that of whoever began first. */
export function begin(digest: string, messages: number): BatchAttempt {
  look();
  const known = current.get().find((one) => one.digest === digest);
  if (known !== undefined) return known;
  const attempt = { digest, messages, key: newIdempotencyKey(), begunAt: serverTime() };
  change((before) => [...before, attempt]);
  return attempt;
}

export function accept({ digest, key }: BatchAttempt, batchId: string): void {
  change((before) =>
    before.map((one) => (one.digest === digest && one.key === key ? { ...one, batchId } : one)),
  );
}

export function letGo({ key }: BatchAttempt): void {
  change((before) => before.filter((one) => one.key !== key));
}
