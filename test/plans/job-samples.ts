/** Sample inputs for the verbs of saved jobs and their runs. */
import { operator } from '../../src/audit/audit-log.ts';
import { readNamedPeople } from '../../src/contacts/people.ts';
import * as links from '../../src/jobs/answer-by-link.ts';
import { companyJobs, listCompanyJobs, readDraftType } from '../../src/jobs/company-job.ts';
import { companyTypes } from '../../src/jobs/company-type.ts';
import type { JobMail } from '../../src/jobs/job-mail.ts';
import { keepMailsAfterEnd, readMailsLeft, takeMailOutcomes } from '../../src/jobs/mails-store.ts';
import * as visibleRuns from '../../src/jobs/management/runs.ts';
import { clearGoneRun, purgeRuns } from '../../src/jobs/purge-runs.ts';
import { readRecord } from '../../src/jobs/record.ts';
import { newPerson } from '../../src/jobs/run/run.ts';
import { tallyOf } from '../../src/jobs/run/tally.ts';
import * as runs from '../../src/jobs/run-store.ts';
import * as savedJobs from '../../src/jobs/saved-job.ts';
import { findSteered, readLastComment, readRuns } from '../../src/jobs/stored-runs.ts';
import { systemUsers } from '../../src/jobs/system-user.ts';
import { testRun } from '../harness/test-run.ts';
import { acceptance } from './message-samples.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const { companyId, userId } = big;
const limit = 20;

const run = testRun({
  id: 3_999,
  companyId,
  userId,
  typeName: 'type5',
  phase: 'open',
  startAt: now,
  expiryAt: now,
  entries: 1_000,
});
const people = [5, 6].map((place) =>
  newPerson({ place, phone: `467${place}`, name: 'A', contactId: '1', candidacies: [[0, 0]] }),
);
const answer = {
  id: 5,
  runId: 3_999,
  companyId,
  userId,
  sender: '1',
  recipient: '2',
  text: 'Yes',
  questionId: 7,
  receivedAt: now,
  code: null,
  clarity: 1,
  before: null,
  optedOut: false,
};
const claim = { key: 'once', requestHash: 'hash', now, answer: '{}', expiresAt: now + 1 };
const waiting = { sender: '46701000001', recipient: '4675100001', conversation: '3999', text: 'Yes' };
const step = {
  run,
  version: 1,
  dueAt: null,
  now,
  people,
  tally: tallyOf({ run, people }),
  entries: [{ kind: 'end', at: now, by: 'system' }] as const,
  callbacks: [],
  events: ['e1'],
  answers: [answer],
  comments: [answer],
  withdraw: [1, 2],
  mailed: [2],
  leases: { phones: ['46701000001'], endsAt: now },
  acceptance: null,
  sentTo: [],
  mails: [],
  claim: null,
  audited: { companyId, at: now, by: operator, act: 'run.start', object: '3999' } as const,
  unclear: [waiting],
  elsewhere: [
    { runId: 3_999, name: 'stopped 7', at: now, event: { kind: 'stopped', phone: '1', text: 'STOP' } },
  ] as const,
};
const mail: JobMail = {
  messageId: '<job.4000.1.1@sms.example>',
  companyId,
  kind: 'question',
  place: 1,
  isQuestion: true,
  said: 'Come?',
  content: {
    from: { name: '', address: 'no-reply@sms.example' },
    to: { name: 'A', address: 'a@care.example' },
    subject: 'Night',
    text: 'Come?',
    html: '',
    references: [],
    autoSubmitted: 'auto-generated',
  },
};
const selection = { numbers: ['46701000001'], filters: [], savedFilters: [], groups: [] };

const act = {
  runId: 4_000,
  name: 'act',
  at: now,
  act: { kind: 'cancel' },
  by: 'a',
  audited: { companyId, at: now, by: operator, act: 'run.cancel', object: '4000' },
  claim: null,
} as const;
const all = { among: null, savedJob: null, before: 4_000, limit };
const company = { companyId, userId: null };
const people4000 = { runId: 4_000, companyId, among: null, isUnclear: false, after: 3, limit };

const acting = { companyId, scopeId: companyId, username: 'user10', session: undefined, now };
const draft = { message: 'Come?', tasks: [{ tagType: 'role', tagValue: 'nurse', goal: 1, escalations: [] }] };
const callback = { url: 'https://receiver.example/jobs', secret: 'sealed', events: ['JOB_WARNING'] } as const;
const known = { ...acting, key: 71, ifMatch: undefined };
const english = { language: 'en' } as const;
const behind = (name: string) => ({ language: 'sv', name, id: 5 }) as const;
const pageOfJobs = { companyId, owner: undefined, from: english, limit };

export const jobSamples: readonly Sample[] = [
  sample(
    systemUsers.list,
    { scopeId: companyId, limit },
    { scopeId: companyId, from: behind('jobs7'), limit },
  ),
  sample(systemUsers.find, { scopeId: companyId, key: 'jobs7' }),
  sample(systemUsers.create, {
    ...acting,
    companyId: 7,
    scopeId: 7,
    name: 'new jobs',
    values: {},
    more: { callback },
  }),
  sample(
    systemUsers.change,
    { ...known, key: 'jobs7', values: {}, rename: undefined, more: { callback } },
    { ...known, key: 'jobs7', values: {}, rename: undefined, more: { callback: null } },
  ),
  sample(systemUsers.remove, { ...known, key: 'jobs7' }),
  sample(
    companyTypes.list,
    { scopeId: companyId, limit },
    { scopeId: companyId, from: behind('type3'), limit },
  ),
  sample(companyTypes.find, { scopeId: companyId, key: 'type5' }),
  sample(companyTypes.create, {
    ...acting,
    companyId: 7,
    scopeId: 7,
    name: 'New type',
    values: {},
    more: { generic: 'GMM' },
  }),
  sample(
    companyTypes.change,
    { ...known, key: 'type5', values: {}, rename: undefined, more: { generic: 'GMA' } },
    { ...known, key: 'type5', values: {}, rename: undefined, more: { generic: 'GMM' } },
    { ...known, key: 'type5', values: {}, rename: 'type five', more: undefined },
  ),
  sample(companyTypes.remove, { ...known, key: 'type5' }),
  sample(companyJobs.list, { scopeId: companyId, limit }, { scopeId: companyId, from: behind('job'), limit }),
  sample(companyJobs.find, { scopeId: companyId, key: 71 }),
  sample(companyJobs.create, {
    ...acting,
    companyId: 7,
    scopeId: 7,
    name: undefined,
    values: { name: 'New', type: 'QuickAssign' },
    more: { owner: 'jobs7', ...draft },
  }),
  sample(companyJobs.change, {
    ...known,
    values: { name: 'Other', type: 'QuickAssign' },
    rename: undefined,
    more: { owner: 'jobs7', ...draft },
  }),
  sample(companyJobs.remove, { ...known, key: 72 }),
  sample(listCompanyJobs, pageOfJobs, { ...pageOfJobs, owner: 'jobs7', from: behind('job') }),
  sample(readDraftType, { companyId, type: 'type7', content: draft }),
  sample(
    readNamedPeople,
    { companyId, userId, selections: [selection], limit },
    {
      companyId,
      userId,
      selections: [{ ...selection, filters: [[{ tagType: 'skill', tagValues: ['v7'] }]], groups: ['g7'] }],
      limit,
    },
  ),
  sample(savedJobs.findSavedJob, { userId, id: 71 }),
  sample(
    savedJobs.listStartableJobs,
    { userId, from: english, limit },
    { userId, from: behind('job'), limit },
  ),
  sample(savedJobs.listSavedJobs, { userId, type: undefined }, { userId, type: 'QuickAssign' }),
  sample(readRuns, [4_000], [2, 3_002, 3_003, 9_000]),
  sample(runs.listReadyRuns, { now, limit }, { now: now + 5_000, limit }),
  sample(
    runs.keepStep,
    step,
    { ...step, version: 0, run: { ...run, id: 9_001 } },
    { ...step, version: 0, run: { ...run, id: 9_002 }, claim },
    {
      ...step,
      version: 2,
      acceptance: { ...acceptance(2_000_009, true), jobUntil: now },
      sentTo: [{ place: 1, isQuestion: true }],
      mails: [mail],
    },
  ),
  sample(links.findCompanyOfRun, 4_000),
  sample(links.readRunStatus, { runId: 4_000, place: 1, companyId }),
  sample(links.isAnswerPending, { runId: 4_000, place: 1, mark: 'a' }),
  sample(links.putAnswerByLink, { runId: 4_000, place: 1, meaning: 'yes', at: now, mark: 'a' }),
  sample(runs.putAct, act, { ...act, claim: { ...claim, companyId, userId } }, { ...act, runId: 9_999 }),
  sample(
    findSteered,
    { runId: 4_000, owner: { companyId, userId }, whom: null },
    { runId: 4_000, owner: { companyId, userId }, whom: { phone: '46701000001' } },
    { runId: 4_000, owner: { companyId, userId }, whom: { contactId: '7' } },
  ),
  sample(readLastComment, { runId: 4_000, owner: { companyId, userId }, place: 3 }),
  sample(runs.putFailures, [{ companyId, messageId: 150_000, status: 'EXPIRED', at: now }]),
  sample(keepMailsAfterEnd, {
    run: { ...run, id: 4_000 },
    mails: [{ ...mail, messageId: '<job.4000.1.resolved@sms.example>' }],
    now,
  }),
  sample(takeMailOutcomes, { limit }),
  sample(readMailsLeft, { companyId, now }),
  sample(
    visibleRuns.listVisibleRuns,
    { ...all, visible: company },
    { ...all, visible: { companyId, userId } },
    { ...all, visible: company, among: ['open', 'finished'] },
    { ...all, visible: company, among: ['scheduled'] },
    { ...all, visible: company, savedJob: 71 },
    { ...all, visible: company, savedJob: 71, among: ['ended'] },
    { ...all, visible: { companyId, userId }, among: ['open'] },
    { ...all, visible: { companyId, userId }, savedJob: 71, among: ['open', 'ended'] },
  ),
  sample(
    visibleRuns.findVisibleRun,
    { visible: { companyId, userId: null }, id: 4_000 },
    { visible: { companyId, userId }, id: 4_000 },
  ),
  sample(
    visibleRuns.listPeopleOfRun,
    people4000,
    { ...people4000, among: ['asked', 'yes'] },
    { ...people4000, isUnclear: true },
    { ...people4000, isUnclear: true, among: ['asked'] },
  ),
  sample(visibleRuns.listEntries, { runId: 4_000, before: 30, limit }),
  sample(clearGoneRun, 4_000, 5_000),
  sample(purgeRuns, { before: now - 19 * 86_400_000 }, { before: 0 }),
  sample(readRecord, { runId: 4_000, owner: { companyId, userId } }),
  sample(
    visibleRuns.concernsRuns,
    { companyId, messageIds: [5, 150_000] },
    { companyId: 7, messageIds: [5] },
  ),
  sample(visibleRuns.findRunOf, { companyId, id: 5 }),
  sample(savedJobs.listAllJobs, limit),
  sample(visibleRuns.listLatestRuns, limit),
  sample(visibleRuns.listScheduledRuns, { companyId, userId: null, limit }, { companyId, userId, limit }),
];
