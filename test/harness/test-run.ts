/** A job run for tests: of company 1, started by its user 10, and scheduled for time 0 unless a test says otherwise. */
import { standardSettings } from '../../src/jobs/job-type.ts';
import type { Run } from '../../src/jobs/run/run.ts';

export function testRun(values: Partial<Run> = {}): Run {
  return {
    id: 1,
    companyId: 1,
    ownerId: 900,
    userId: 10,
    starter: 'alice',
    savedJobId: 71,
    jobName: 'Night',
    typeName: 'Some',
    message: 'Come?',
    settings: standardSettings('GMA'),
    phase: 'scheduled',
    outcome: null,
    startAt: 0,
    expiryAt: null,
    warned: false,
    tasks: [],
    turns: 0,
    entries: 0,
    ...values,
  };
}
