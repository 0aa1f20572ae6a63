/** Tests what administrators may do with the saved jobs of their company, and what provisioning files hold back. */
import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listAudit } from '../audit/audit-log.ts';
import { isRefused } from '../resources/declaration.ts';
import type { Store } from '../storage/store.ts';
import {
  type CompanyJob,
  companyJobs,
  type GivenJob,
  listCompanyJobs,
  maxJobsOfCompany,
} from './company-job.ts';
import { listStartableJobs } from './saved-job.ts';

const file = `
companies:
  - name: Nordic Care
    id: 1
    systemUsers: [{ username: night-jobs }, { username: day-jobs }]
    jobTypes: [{ name: Call, generic: GMM }]
    users: [{ username: per, id: 13, systemUser: night-jobs }]
    savedJobs:
      - { id: 71, owner: night-jobs, name: Of the file, type: Call, message: "Come?", responseGoal: 2 }
  - { name: Others, id: 2, systemUsers: [{ username: their-jobs }], jobTypes: [{ name: Theirs, generic: GMA }] }
`;
const tasks = [{ tagType: 'role', tagValue: 'nurse', goal: 1, escalations: [] }];
const recipients = { numbers: ['46701740620'], savedTagFilters: [], groups: [] };

eachStore('saved jobs that administrators keep', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await linesOf(file);
  });
  const { linesOf } = provisioningOf(() => store);
  const by = { companyId: 1, scopeId: 1, username: 'per', session: undefined, now: 1_000 };
  const make = (name: string, more: GivenJob & { readonly type?: string } = {}) => {
    const { type = 'Call', ...given } = more;
    return store.write(companyJobs.create, {
      ...by,
      name: undefined,
      values: { name, type },
      more: { owner: 'night-jobs', message: 'Come?', ...given },
    });
  };
  const made = async (name: string, more?: Parameters<typeof make>[1]) =>
    (await make(name, more)) as CompanyJob;
  const change = (key: number, more: GivenJob, values: object = {}, version?: string) => {
    const ifMatch = version === undefined ? undefined : [version];
    return store.write(companyJobs.change, { ...by, key, ifMatch, rename: undefined, values, more });
  };
  const remove = (key: number) => store.write(companyJobs.remove, { ...by, key, ifMatch: undefined });
  const find = (key: number) => store.read(companyJobs.find, { scopeId: 1, key });
  const listed = async (owner?: string) =>
    (await store.read(listCompanyJobs, { companyId: 1, owner, from: { language: 'en' }, limit: 50 })).map(
      ({ name, owner: of, managed }) => `${name} of ${of}${managed ? ', managed' : ''}`,
    );

  test('[PORT-9] [JOB-3] A job is made, changed and removed, and is startable by those of its owner at once', async () => {
    const night = await made('Night', { recipients, responseGoal: 1 });
    expect(night).toMatchObject({ owner: 'night-jobs', type: 'Call', managed: false });
    const startable = () => store.read(listStartableJobs, { userId: 13, from: { language: 'en' }, limit: 9 });
    expect((await startable()).map(({ name }) => name)).toEqual(['Night', 'Of the file']);
    await change(night.key, { owner: 'day-jobs', exclude: { numbers: ['46701740621'] } });
    expect((await startable()).map(({ name }) => name)).toEqual(['Of the file']);
    expect((await find(night.key))?.content).toEqual({
      message: 'Come?',
      recipients,
      responseGoal: 1,
      exclude: { numbers: ['46701740621'] },
    });
    await change(night.key, { exclude: null, responseGoal: null });
    expect((await find(night.key))?.content).toEqual({ message: 'Come?', recipients });
    expect(await listed()).toEqual(['Night of day-jobs', 'Of the file of night-jobs, managed']);
    expect(await listed('day-jobs')).toEqual(['Night of day-jobs']);
    expect(await listed('their-jobs')).toEqual([]);
    expect(await remove(night.key)).toBeNull();
    expect(await find(night.key)).toBeNull();
    const entries = await store.read(listAudit, { companyId: 1, before: null, limit: 20 });
    expect(entries.map(({ act, object, details }) => `${act} ${object}: ${details}`)).toEqual([
      `job.remove ${night.key} Night: `,
      `job.change ${night.key} Night: exclude, responseGoal`,
      `job.change ${night.key} Night: owner, exclude`,
      `job.make ${night.key} Night: `,
    ]);
  });

  test('[PORT-9] [JOB-2] What does not fit the type is refused, and a change of type takes along what it needs', async () => {
    const refused = async (written: ReturnType<typeof make>) => {
      const outcome = await written;
      return isRefused(outcome) ? `${outcome.refused.field}: ${outcome.refused.error}` : 'taken';
    };
    expect(await refused(make('Night', { tasks }))).toBe(
      'tasks: It does not apply to jobs of type “Call”, which derives from GMM.',
    );
    expect(await refused(make('Night', { type: 'QuickAssign', recipients }))).toMatch(/^recipients: /);
    expect(await refused(make('Night', { type: 'Theirs', tasks }))).toBe(
      'type: The company has no job type “Theirs”.',
    );
    expect(await refused(make('Night', { owner: 'their-jobs' }))).toBe(
      'owner: The company has no system user “their-jobs”.',
    );
    const { key } = await made('Night', { recipients });
    const toTasks = { type: 'QuickAssign' };
    expect(await refused(change(key, { tasks }, toTasks))).toMatch(/^recipients: /);
    expect(await refused(change(key, { tasks, recipients: null }, toTasks))).toBe('taken');
    expect((await find(key))?.content).toEqual({ message: 'Come?', tasks });
  });

  test('[PORT-6] What a file sets is refused, what it leaves out is not, and a file keeps what was changed', async () => {
    const managed = { refused: { code: 'managed' } };
    expect(await change(71, { message: 'Go?' })).toMatchObject(managed);
    expect(await change(71, { responseGoal: 3 })).toMatchObject(managed);
    expect(await change(71, {}, { name: 'Mine' })).toMatchObject(managed);
    expect(await change(71, { recipients })).toMatchObject({ managed: true, content: { recipients } });
    expect(await remove(71)).toMatchObject({ refused: { code: 'managed' } });
    await linesOf(file.replace('responseGoal: 2', 'responseGoal: 3'));
    expect((await find(71))?.content).toMatchObject({ recipients, responseGoal: 3 });
  });

  test('[PORT-9] Of two who change a job, the later is told; another company has no such job', async () => {
    const { key, version } = await made('Night');
    expect(await change(key, { message: 'Now?' }, {}, version)).toMatchObject({
      content: { message: 'Now?' },
    });
    expect(await change(key, { message: 'Later?' }, {}, version)).toMatchObject({
      refused: { code: 'changed_meanwhile' },
    });
    const ofOthers = { ...by, companyId: 2, scopeId: 2, key, ifMatch: undefined };
    expect(await store.write(companyJobs.remove, ofOthers)).toMatchObject({ refused: { code: 'not_found' } });
  });

  test('[PORT-9] [CONV-12] Calls make only so many jobs', async () => {
    const jobs = Array.from(
      { length: maxJobsOfCompany - 1 },
      (_, at) => `{ id: ${at + 100}, owner: night-jobs, name: Job, type: Call, message: "Come?" }`,
    );
    await linesOf(`companies: [{ name: Nordic Care, savedJobs: [${jobs.join(', ')}] }]`);
    expect(await make('One more')).toMatchObject({ refused: { code: 'too_many_jobs' } });
  });
});
