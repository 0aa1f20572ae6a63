/** Whose an answer from a phone to a number of the pool is, and which of the jobs that share the number it is to (JOB-7). */
import { holder } from './lease-book.ts';
import { codeIn } from './reply-codes.ts';

/** The holder of a lease, and the message that an answer belongs to. */
export interface Tenant {
  readonly companyId: number;
  readonly userId: number;
  readonly conversation: string;
  readonly messageId: number;
  /** One of `holder`. */
  readonly holder: number;
}

export interface FoundLease extends Tenant {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly code: number | null;
  readonly unclear: string | null;
}

export interface Answered<Found extends FoundLease = FoundLease> {
  readonly lease: Found;
  /** By which the answer names its job. */
  readonly code: number | null;
  /** It may be to any of several jobs. */
  readonly isUnclear: boolean;
  /** What was answered before without a code, and waits for it. */
  readonly waiting: string | null;
}

/** `leases`: those of the phone and the number, whose the number is first (see `findAnswered`). */
export function answeredOf<Found extends FoundLease>(
  leases: readonly Found[],
  { text, at }: { readonly text: string; readonly at: number },
): Answered<Found> | undefined {
  const [first] = leases;
  if (first === undefined) return undefined;
  const clear = { code: null, isUnclear: false, waiting: null };
  if (first.holder !== holder.job) return { lease: first, ...clear };
  const jobs = leases.filter((one) => one.holder === holder.job && one.companyId === first.companyId);
  const live = jobs.filter(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
  const waiting = live.find(({ unclear }) => unclear !== null)?.unclear ?? null;
  const code = codeIn(text, new Set(jobs.flatMap((one) => one.code ?? [])));
  const named = code === undefined ? undefined : jobs.find((one) => one.code === code);
  if (named !== undefined) return { lease: named, code: named.code, isUnclear: false, waiting };
  const isUnclear = new Set(live.map(({ conversation }) => conversation)).size > 1;
  return { lease: live[0] ?? first, code: null, isUnclear, waiting };
}
