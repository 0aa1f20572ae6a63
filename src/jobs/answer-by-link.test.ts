import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { listOutgoing } from '../../test/harness/outbox-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import type { Store } from '../storage/store.ts';
import { theNode } from '../storage/verb.ts';
import { answerByLink, putAnswerByLink, runStatusByLink } from './answer-by-link.ts';
import { answerLinkSecret, writeAnswerLink } from './job-mail.ts';
import { steer } from './steer.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

eachStore('answers by the link of an e-mail', (engine) => {
  const secret = answerLinkSecret('a secret of the tests, long enough to be one');
  const clock = { time: start, now: () => clock.time };
  let store: Store;
  let room: JobsRoom;

  beforeEach(async () => {
    clock.time = start;
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    await store.write(putPool, ['4610001']);
    room = new JobsRoom(store, clock, {
      mail: { baseUrl: 'https://sms.example', domain: 'sms.example', secret },
    });
  });

  const startByMail = (id: number) => room.start({ id, people: 1, emails: { 0: 'p0@care.example' } });

  test('[JOB-9] A question by mail is given up at the end of its run, but the reply to an answer may still be sent after that', async () => {
    await startByMail(1);
    const answer = { runId: 1, place: 0, meaning: 'yes', at: start, mark: 'a' } as const;
    await store.write(putAnswerByLink, answer);
    await room.settle(1);
    expect((await store.read(listOutgoing, null)).map(({ give_up_at }) => give_up_at)).toEqual([
      ...[start + hourMs, start + 48 * hourMs],
    ]);
  });

  test('[JOB-9] [JOB-8] A question in the outbox takes on its run’s new end when the run is extended or called off', async () => {
    await startByMail(8);
    const until = async () =>
      (await store.read(listOutgoing, null)).filter(({ message_id }) => message_id.startsWith('<job.8.0.0@'));
    await steer(
      store,
      clock,
      { runId: 8, owner: theNode(), by: byUser({ username: 'ada', session: undefined }) },
      { kind: 'extend', minutes: 90 },
    );
    await room.settle(8);
    expect(await until()).toMatchObject([{ give_up_at: start + 2.5 * hourMs }]);
    clock.time += minuteMs;
    await steer(
      store,
      clock,
      { runId: 8, owner: theNode(), by: byUser({ username: 'ada', session: undefined }) },
      { kind: 'cancel' },
    );
    await room.settle(8);
    expect(await until()).toMatchObject([{ give_up_at: clock.time }]);
  });

  const linkTo = (runId: number) =>
    writeAnswerLink(secret, { runId, place: 0, expiresAt: start + 73 * hourMs });
  const services = () => ({ store, clock, secret, wake: () => undefined });
  const statusOf = async (runId: number) => {
    const found = await runStatusByLink(services(), linkTo(runId));
    return found.kind === 'found' ? found.runStatus.pending : found.why;
  };
  const answersOf = async (runId: number) =>
    (await room.read(runId)).events.flatMap(({ event }) =>
      event.kind === 'answered' ? [event.meaning] : [],
    );

  test('[JOB-9] YES pressed twice before the first is processed counts as one answer, and a NO after it as another', async () => {
    await startByMail(2);
    const link = linkTo(2);
    await Promise.all([1, 2, 3].map(() => answerByLink(services(), link, 'yes')));
    expect(await answersOf(2)).toEqual(['yes']);
    expect(await statusOf(2)).toBe('yes');
    clock.time += 1;
    await answerByLink(services(), link, 'no');
    await answerByLink(services(), link, 'no');
    expect((await answersOf(2)).sort()).toEqual(['no', 'yes']);
    expect(await statusOf(2)).toBe('no');
    await room.settle(2);
    expect((await room.read(2)).people[0]).toMatchObject({ state: 'no', replies: 2 });
    expect(await statusOf(2)).toBeUndefined();
  });

  test('[JOB-9] An answer by link is accepted even if the status of its run can no longer be read', async () => {
    await startByMail(3);
    let isWritten = false;
    const busy: Pick<Store, 'read' | 'write'> = {
      write: async (verb, input) => {
        const output = await store.write(verb, input);
        isWritten = true;
        return output;
      },
      read: (verb, input) => (isWritten ? Promise.reject(new Error('busy')) : store.read(verb, input)),
    };
    const found = await answerByLink({ ...services(), store: busy as Store }, linkTo(3), 'yes');
    expect(found.kind).toBe('found');
    expect(await answersOf(3)).toEqual(['yes']);
  });

  test('[JOB-9] An answer link lasts until three days after the end of the run, even if the run was extended', async () => {
    await startByMail(4);
    await steer(
      store,
      clock,
      { runId: 4, owner: theNode(), by: byUser({ username: 'bob', session: undefined }) },
      { kind: 'extend', minutes: 100 * 60 },
    );
    await room.settle(4);
    clock.time = start + 73 * hourMs;
    expect(await statusOf(4)).toBeUndefined();
    clock.time = start + 173 * hourMs - 1;
    expect(await statusOf(4)).toBeUndefined();
    clock.time += 1;
    expect(await statusOf(4)).toBe('expired');
    await startByMail(5);
    clock.time += 73 * hourMs;
    expect(await statusOf(5)).toBe('expired');
  });
});
