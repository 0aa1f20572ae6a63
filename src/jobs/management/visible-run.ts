/** Who may see and steer which runs: administrators all of the company, others those of the jobs that they may start. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { integer } from '../../http/parameters/kinds.ts';
import type { Store } from '../../storage/store.ts';
import { findVisibleRun, type TalliedRun } from './runs.ts';

export const runId = integer({ get: 'id', min: 1, required: true, description: 'Id of the run.' });

export const errorsOfRun = ['role_missing', 'not_found'] as const;

export function runsVisibleTo(caller: Caller): Visibility {
  requireRole(caller, 'jobs', 'companyAdmin');
  return visibilityOf(caller);
}

export async function visibleRun(store: Store, caller: Caller, id: number): Promise<TalliedRun> {
  const run = await store.read(findVisibleRun, { visible: runsVisibleTo(caller), id });
  if (run !== null) return run;
  throw new ServiceError('not_found', { sentence: 'none_seen', noun: 'run', id });
}
