/** Which runs a caller of the management API sees, and what he does to them (JOB-8). */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { byUser } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import { theCaller } from '../../storage/verb.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import type { JobSending } from '../job-mail.ts';
import type { Act, Run } from '../run/run.ts';
import { steer } from '../steer.ts';
import { findVisibleRun } from './runs-store.ts';

export function runsVisibleTo(caller: Caller): Visibility {
  requireRole(caller, 'jobs', 'companyAdmin');
  return visibilityOf(caller);
}

export async function visibleRun({ store }: JobSending, caller: Caller, id: number): Promise<Run> {
  const run = await store.read(findVisibleRun, { visible: runsVisibleTo(caller), id });
  if (run !== null) return run;
  throw new ServiceError('not_found', `There is no run ${id} that you see.`);
}

export async function actOnRun(sending: JobSending, caller: Caller, id: number, act: Act): Promise<void> {
  await visibleRun(sending, caller, id);
  await steer(sending.store, sending.clock, { runId: id, owner: theCaller(caller) }, act, byUser(caller));
}

export function phoneIn(given: string): string {
  const number = cleanNumber(given);
  if (number.ok) return number.value;
  throw new ServiceError(number.code, `${quoted(given)}: ${number.error}`, {
    errors: [{ field: 'phone', code: number.code, error: number.error }],
  });
}
