/** A dry run of a batch: its outcome, its cost, and the quota left; nothing is sent. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type FieldError, ServiceError } from '../../foundation/errors.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import { readQuotaLeft } from '../../messages/charging.ts';
import { findBarred } from '../../messages/opted-out.ts';
import { chooseSender } from '../../messages/sending/prepare.ts';
import type { Upload } from '../intake/intake.ts';
import type { BatchPreview } from '../intake/preview.ts';
import { type Batching, type BatchSubmission, requestOf, scheduledAt } from '../intake/submit.ts';

interface PreviewedBatch extends Omit<BatchPreview, 'numbers'> {
  /** How many of the messages would be rejected since their recipients have opted out. */
  readonly optedOut: number;
  readonly maxRecipients: number;
  /** SMS parts; null when there is no quota. */
  readonly quotaLeft: number | null;
}

/** Includes faults of the whole batch, such as a faulty sender. */
export async function preview(
  batching: Batching,
  caller: Caller,
  submission: BatchSubmission,
  upload: Upload,
): Promise<PreviewedBatch> {
  requireRole(caller, 'send');
  const ofWhole: FieldError[] = [];
  const sender =
    keepFault(ofWhole, 'from', () => chooseSender(caller, submission.from, batching.routes().senderOwners)) ??
    '';
  keepFault(ofWhole, 'scheduletime', () => scheduledAt(submission.scheduletime, batching.clock.now()));
  const request = requestOf(batching, caller, submission, sender);
  const listsNumbers = (caller.optOuts ?? 'off') !== 'off';
  const { numbers, ...previewed } = await upload.preview({
    ...request,
    understood: undefined,
    listsNumbers,
  });
  const { maxRecipients } = request;
  const { recipients } = previewed;
  if (recipients > maxRecipients) {
    const said = { sentence: 'batch_recipients', recipients, most: maxRecipients } as const;
    ofWhole.push({ field: 'batch', code: 'invalid_value', error: inEnglish(said), values: said });
  }
  const quotaLeft = await batching.store.read(readQuotaLeft, caller.userId);
  return {
    ...previewed,
    maxRecipients,
    quotaLeft,
    optedOut: numbers === undefined ? 0 : await countOptedOut(batching, caller, submission, numbers),
    faults: [...ofWhole, ...previewed.faults],
    faultCount: ofWhole.length + previewed.faultCount,
  };
}

/** About as many as a call of `/send` may have. */
const atATime = 10_000;

async function countOptedOut(
  { store, personSecret: secret = '' }: Batching,
  caller: Caller,
  { category }: BatchSubmission,
  numbers: Float64Array,
): Promise<number> {
  let optedOut = 0;
  for (let from = 0; from < numbers.length; from += atATime) {
    const some = [...numbers.subarray(from, from + atATime)].map(String);
    const barred = await findBarred(store, caller, { phones: [...new Set(some)], category, secret });
    optedOut += some.filter((phone) => barred.has(phone)).length;
  }
  return optedOut;
}

function keepFault<Value>(faults: FieldError[], field: string, work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    faults.push({ field, code: error.code, error: error.message, values: error.values });
    return undefined;
  }
}
