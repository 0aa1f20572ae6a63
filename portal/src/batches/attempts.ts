/**
 * The batches that this browser has tried to send. An attempt is identified by the digest of what is sent, and keeps
 * its key across a reload, so that the same table goes out only once, however often and from whichever tab of the
 * browser it is sent.
 *
 *   begun ──answer──▶ accepted: the same content goes out again only if the user says so
 *     │ refused ──▶ gone
 *     └── no answer ──▶ stays begun; the same content goes out again under its key, and nothing else before that is settled
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
  /** Id of the resulting batch; undefined until an answer arrives. */
  readonly batchId?: string;
}

const current = sharedValue<readonly BatchAttempt[]>([]);
export const useAttempts = current.use;

/** Keys of the attempts whose answer this page is waiting for. */
const awaited = sharedValue<readonly string[]>([]);

/** Returns an unanswered attempt that this tab is no longer waiting for. */
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

/** Maximum number of attempts kept. Answered attempts are kept only as long as the server knows their keys. */
const maxKept = 20;

let owner: string | undefined;
const storedName = () => `batch-attempts.${owner}`;

/** Reads the attempts that a previous page or another tab has left. */
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

/** If the browser stores nothing, the page itself keeps the attempts. */
function change(to: (before: readonly BatchAttempt[]) => readonly BatchAttempt[]): void {
  const remaining = to(current.get()).filter((one) => one.batchId === undefined || isRepeatable(one.begunAt));
  current.set(remaining.slice(-maxKept));
  keep(storedName(), JSON.stringify(current.get()));
}

/** Returns the attempt whose key must be used. If the same content was begun before, this is the earlier attempt. */
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
