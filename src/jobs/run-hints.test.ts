import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { putQuestionOutcome } from '../../test/harness/job-verbs.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { clearJournal, listChanges } from '../../test/harness/journal-verbs.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { claim, ended, record } from '../../test/harness/outcomes.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import { changeKind } from '../changes/journal.ts';
import { LiveHints } from '../changes/live-hints.ts';
import { claimMessages } from '../messages/dispatch/claim.ts';
import { recordOutcomes } from '../messages/dispatch/store.ts';
import { status } from '../messages/message.ts';
import type { Store } from '../storage/store.ts';
import { theNode } from '../storage/verb.ts';
import { answerLinkSecret } from './job-mail.ts';
import { takeMailOutcomes } from './mails-store.ts';
import { concernsRuns } from './management/runs.ts';
import { steer } from './steer.ts';

const patience = { timeout: 100_000, interval: 20 };
const minuteMs = 60_000;

eachStore('live hints of runs', (engine) => {
  const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
  const secret = answerLinkSecret('a secret of the tests, long enough to be one');
  let store: Store;
  let room: JobsRoom;
  let hints: LiveHints;

  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    await store.write(putPool, ['4610001', '4610002']);
    await store.write(clearJournal, null);
    const mail = { baseUrl: 'https://sms.example', domain: 'sms.example', secret };
    room = new JobsRoom(store, clock, { mail });
    const log = { warn: () => undefined };
    hints = new LiveHints({ store, clock, log, concernsRuns: (some) => store.read(concernsRuns, some) });
  });
  afterEach(() => hints.stop());

  const ofRuns = async () =>
    (await store.read(listChanges, null)).filter(({ kind }) => kind === changeKind.run);

  test('[PORT-4] [PORT-9] A run is hinted at when it starts, is answered, is steered, and when its question arrives', async () => {
    let heard = 0;
    await hints.subscribe(1, ({ topic }) => {
      if (topic === 'runs') heard += 1;
    });
    const isHinted = async (act: () => Promise<unknown>) => {
      const before = heard;
      await act();
      await vi.waitFor(() => expect(heard).toBeGreaterThan(before), patience);
    };
    await isHinted(() => room.start({ id: 1, people: 2 }));
    await isHinted(async () => {
      await room.answer(1, 0, 'Yes');
      await room.settle(1);
    });
    const by = byUser({ username: 'ada', session: undefined });
    const steered = { runId: 1, owner: theNode(), by };
    await isHinted(() => steer(store, clock, steered, { kind: 'extend', minutes: 5 }));
    await isHinted(() => room.settle(1));
    await isHinted(async () => {
      const questions = (await room.texts(1)).map(({ id }) => id);
      await store.write(claimMessages, { ...claim, now: clock.time + minuteMs });
      const [id = 0] = questions;
      await store.write(recordOutcomes, { ...record(7), advances: [ended(id, status.DELIVERED)] });
    });
    await isHinted(async () => {
      await steer(store, clock, steered, { kind: 'cancel' });
      await room.settle(1);
    });
  });

  test('[PORT-4] [JOB-9] A question by mail that was taken is a change of its run', async () => {
    await hints.subscribe(1, () => undefined);
    await room.start({ id: 1, people: 1, emails: { 0: 'p0@care.example' } });
    const before = (await ofRuns()).length;
    await store.write(putQuestionOutcome, '<job.1.0.0@sms.example>');
    await store.write(takeMailOutcomes, { limit: 10 });
    expect((await ofRuns()).slice(before)).toMatchObject([{ company_id: 1, subject_id: 1 }]);
  });

  test('[PORT-4] Nothing is written for runs of a company that nobody watches', async () => {
    await room.start({ id: 1, people: 1 });
    await room.answer(1, 0, 'Yes');
    await room.settle(1);
    expect(await ofRuns()).toEqual([]);
  });
});
