import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { listOutgoing } from '../../test/harness/outbox-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import { answerLinkSecret } from './by-mail/answer-link.ts';
import { putAnswerByLink } from './link-store.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

eachStore('answers by the link of a mail', (engine) => {
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

  test('[JOB-9] a question is given up at the end of its run, and what becomes of an answer is told after it too', async () => {
    await startByMail(1);
    const answer = { runId: 1, place: 0, meaning: 'yes', at: start, mark: 'a' } as const;
    await store.write(putAnswerByLink, answer);
    await room.settle(1);
    expect((await store.read(listOutgoing, null)).map(({ give_up_at }) => give_up_at)).toEqual([
      ...[start + hourMs, start + 48 * hourMs],
    ]);
  });
});
