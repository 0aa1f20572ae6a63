import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { byOperator, disableEndpoint, listQueued, tellOfJob } from '../../../test/harness/webhook-verbs.ts';
import { findAccountByUsername, findCompanyId } from '../../accounts/account.ts';
import type { Store } from '../../storage/store.ts';
import { codeOf } from '../endpoint.ts';
import { enableEndpoint, listEndpoints } from '../management/administration-store.ts';
import type { JobEvent } from './queue-job-events.ts';

const file = `companies:
  - name: Care
    users: [{ username: alice }, { username: bob }]
    systemUsers:
      - { username: jobs, id: 900, callback: { type: POST, url: "https://a.example", events: [JOB_REPLY] } }
      - { username: others, id: 901, callback: { type: POST, url: "https://a.example" } }
      - { username: silent, id: 902 }
    webhooks:
      - { id: hook-all, url: "https://a.example", events: [job.start, job.warning] }
      - { id: hook-bob, url: "https://a.example", events: [job.start], user: bob }
      - { id: hook-off, url: "https://a.example", events: [job.start], active: false }
  - name: Taxi
    webhooks: [{ id: hook-taxi, url: "https://a.example", events: [job.start] }]
`;

eachStore('what is told of jobs', (engine) => {
  let store: Store;
  let companyId: number;
  let userId: number;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await provisioningOf(() => store).linesOf(file);
    companyId = (await store.read(findCompanyId, 'Care')) ?? 0;
    userId = (await store.read(findAccountByUsername, 'alice'))?.user.id ?? 0;
  });

  const event = (name: JobEvent['name'], more: Partial<JobEvent> = {}): JobEvent => ({
    companyId,
    systemUserId: 900,
    userId,
    name,
    runtimeId: 7,
    at: 1_000,
    body: { eventtype: name },
    ...more,
  });
  const tell = (...events: readonly JobEvent[]) => store.write(tellOfJob, { events, now: 2_000 });
  const queued = async () =>
    (await store.read(listQueued, null)).map(({ endpoint, seq, data }) => `${endpoint} ${seq} ${data}`);

  test('[EVT-1] [EVT-2] A job event goes to the callback of its owner, and to the webhooks that ask for it', async () => {
    expect(await tell(event('JOB_START'), event('JOB_WARNING'), event('JOB_REPLY'))).toBe(4);
    expect(await queued()).toEqual([
      'hook-all 1 {"eventtype":"JOB_START"}',
      'hook-all 2 {"eventtype":"JOB_WARNING"}',
      'jobs 1 {"eventtype":"JOB_START"}',
      'jobs 2 {"eventtype":"JOB_REPLY"}',
    ]);
    const [first] = await store.read(listQueued, null);
    expect(first).toMatchObject({ subject_id: 7, type: codeOf('job.start') });
    expect(await tell(event('JOB_FINISH', { systemUserId: 902 }))).toBe(0);
  });

  test('[EVT-2] Job events are numbered without gaps, however many are queued at once', async () => {
    const tellers = Array.from({ length: 40 }, (_, place) => tell(event('JOB_START', { runtimeId: place })));
    await Promise.all(tellers);
    const rows = await store.read(listQueued, null);
    const seqs = rows.filter(({ endpoint }) => endpoint === 'jobs').map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 40 }, (_, place) => place + 1));
  });

  test('[HOOK-4] A job event does not reach an endpoint that is disabled', async () => {
    await store.write(disableEndpoint, 'jobs');
    expect(await tell(event('JOB_ASSIGN'))).toBe(0);
    expect(await tell(event('JOB_START', { userId: undefined }))).toBe(1);
    const [jobs] = await store.read(listEndpoints, { company: 'Care', name: 'jobs' });
    expect(jobs).toMatchObject({ lost: 2, lastSeq: 2, doneSeq: 2 });
    await store.write(enableEndpoint, byOperator(jobs?.id ?? 0));
    await tell(event('JOB_FINISH'));
    // The gap in the numbers corresponds to the events that the webhook missed.
    expect((await queued()).at(-1)).toBe('jobs 3 {"eventtype":"JOB_FINISH"}');
  });
});
