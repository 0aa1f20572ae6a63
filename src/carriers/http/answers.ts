/** Interprets the carrier's answer to a submission, for the message and for the carrier. */
import { printable } from '../../foundation/terminal.ts';
import { usableId } from '../../wire/smpp/receipt-text.ts';
import { type FailureStatus, refusalStatuses } from '../carrier.ts';
import type { HttpAnswer } from './exchange.ts';
import { Reading } from './reading.ts';
import type { SubmitSettings } from './settings.ts';

export type Verdict =
  /** `carrierMessageId` is undefined when the carrier takes our id; `parts` is how many SMS it says that it made. */
  | {
      readonly kind: 'accepted';
      readonly carrierMessageId: string | undefined;
      readonly parts: number | undefined;
    }
  /** The carrier is busy or throttles us; it took nothing. `afterMs` is how long it asked us to wait. */
  | { readonly kind: 'retry'; readonly answer: string; readonly afterMs: number | undefined }
  | { readonly kind: 'rejected' | 'passOn'; readonly status: FailureStatus; readonly answer: string }
  /** The carrier refuses everything from us, because of a wrong password, for example; unless `isCertain`, perhaps only this message. */
  | { readonly kind: 'down'; readonly answer: string; readonly isCertain: boolean }
  /** The answer does not say whether the carrier took the message. */
  | { readonly kind: 'unclear'; readonly answer: string };

interface Condition {
  readonly status?: readonly number[] | undefined;
  readonly at?: string | undefined;
  readonly is?: readonly string[] | undefined;
}

/**
 * In verdicts, `answer` is a short name such as `HTTP 400, 21211`, in which only a declared place is repeated; `shown` removes from
 * it what people must not see.
 */
export function verdictOf(
  { accepted, refusals = [] }: SubmitSettings,
  answer: HttpAnswer,
  now: number,
  shown = (value: string) => value,
): Verdict {
  const reading = Reading.of(answer);
  const afterMs = retryAfterMs(answer.retryAfter, now);
  for (const refusal of refusals) {
    if (!meets(refusal, answer.status, reading)) continue;
    const value = refusal.at === undefined ? undefined : reading.at(refusal.at);
    const name = nameOf(answer.status, value && shown(value));
    if (refusal.then === 'accepted') return acceptedBy(accepted, reading) ?? byStatus(answer.status, afterMs);
    if (refusal.then === 'retry') return { kind: 'retry', answer: name, afterMs };
    if (refusal.then === 'down') return { kind: 'down', answer: name, isCertain: true };
    return { kind: refusal.then, status: refusalStatuses[refusal.as ?? 'REJECTED'], answer: name };
  }
  const status = accepted.status ?? (isSuccess(answer.status) ? undefined : []);
  const taken = meets({ ...accepted, status }, answer.status, reading)
    ? acceptedBy(accepted, reading)
    : undefined;
  return taken ?? byStatus(answer.status, afterMs);
}

/** Undefined if the answer lacks the carrier's id. */
function acceptedBy({ id, parts }: SubmitSettings['accepted'], reading: Reading): Verdict | undefined {
  const isOurs = id === 'own' || id === 'key';
  const carrierMessageId = isOurs ? undefined : usableId(reading.at(id));
  if (!isOurs && carrierMessageId === undefined) return undefined;
  const count = parts === undefined ? undefined : Number(reading.at(parts) ?? Number.NaN);
  return { kind: 'accepted', carrierMessageId, parts: Number.isSafeInteger(count) ? count : undefined };
}

function meets({ status, at, is }: Condition, answered: number, reading: Reading): boolean {
  if (status !== undefined && !status.includes(answered)) return false;
  if (at === undefined) return true;
  const value = reading.at(at);
  return value !== undefined && (is === undefined || is.includes(value));
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What a status means where the declaration says nothing (RFC 9110, section 15; 429: RFC 6585, section 4). */
function byStatus(status: number, afterMs: number | undefined): Verdict {
  const answer = nameOf(status, undefined);
  if (status === 429 || status === 503) return { kind: 'retry', answer, afterMs };
  if ([400, 413, 414, 422].includes(status))
    return { kind: 'rejected', status: refusalStatuses.REJECTED, answer };
  if (status >= 300 && status < 500 && status !== 408 && status !== 409) {
    // A firewall in front of a service may refuse single texts, by any other status.
    return { kind: 'down', answer, isCertain: status === 401 || status === 407 };
  }
  return { kind: 'unclear', answer };
}

const maxValue = 80;

function nameOf(status: number, value: string | undefined): string {
  const shown = printable(value ?? '').slice(0, maxValue);
  return shown === '' ? `HTTP ${status}` : `HTTP ${status}, ${shown}`;
}

const maxAskedMs = 3_600_000;

/** Seconds, or the time of day (RFC 9110, section 10.2.3); at most an hour. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(maxAskedMs, Math.max(0, ms)) : undefined;
}
