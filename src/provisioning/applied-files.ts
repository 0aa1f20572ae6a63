/** Which provisioning files were applied, and when. */
import { literal } from '../storage/sql.ts';
import { bigint, StoredRecord, text } from '../storage/stored-record.ts';
import { readVerb } from '../storage/verb.ts';

/** A service has one file, or a few. */
export const maxFiles = 20;

const appliedFile = new StoredRecord({ source: text, appliedAt: bigint });

/** The latest first. */
export const listAppliedFiles = readVerb(
  'provisioning.listAppliedFiles',
  (reading, _: null) =>
    appliedFile.all(reading)`FROM provisioned ORDER BY applied_at DESC, source LIMIT ${literal(maxFiles)}`,
);
