/** A dry run of a batch: its outcome, its cost, and the quota left; nothing is sent. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type FieldError, ServiceError } from '../../foundation/errors.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import { readQuotaLeft } from '../../messages/charging.ts';
import { chooseSender } from '../../messages/sending/prepare.ts';
import type { Upload } from '../intake/intake.ts';
import type { BatchPreview } from '../intake/preview.ts';
import { type Batching, type BatchSubmission, requestOf, scheduledAt } from '../intake/submit.ts';

interface PreviewedBatch extends BatchPreview {
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
  const previewed = await upload.preview({ ...request, understood: undefined });
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
    faults: [...ofWhole, ...previewed.faults],
    faultCount: ofWhole.length + previewed.faultCount,
  };
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
