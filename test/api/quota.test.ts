/** What accounts may send: parts are reserved before anything leaves, never more than were granted. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import {
  type AcceptedItem,
  acceptedOf,
  query,
  recipient,
  sendPath,
  storedMessages,
  whenAllAre,
} from '../harness/messaging.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

const password = 'a password of all of them';

function provisioning(userQuota: number | undefined, companyQuota: number | undefined): string {
  const quota = (parts: number | undefined) => (parts === undefined ? '' : `, quotaParts: ${parts}`);
  return `
companies:
  - name: Clinic
    defaultSender: Clinic
    ${companyQuota === undefined ? '' : `quotaParts: ${companyQuota}`}
    users:
      - { username: anna, password: ${password}, roles: [send]${quota(userQuota)} }
      - { username: bo, password: ${password}, roles: [send] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;
}

const exceeded = { status: 400, body: { result: 'ERROR', code: 'quota_exceeded' } };

function send(app: WholeApp, body: object = {}, username = 'anna'): Promise<Answer> {
  const client = app.as({ username, password });
  return client.post(sendPath, { to: [recipient(1)], message: 'Hello', ...body });
}

/** How many of the answers are successes; all others must say that the quota is exceeded. */
function countSuccesses(answers: readonly Answer[]): number {
  for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(exceeded);
  return answers.filter(({ status }) => status === 200).length;
}

async function used(app: WholeApp): Promise<readonly number[]> {
  const rows = await query(
    app,
    `SELECT quota_used FROM users UNION ALL SELECT quota_used FROM companies ORDER BY quota_used`,
  );
  return rows.map((row) => Number(row.quota_used));
}

eachEngine('quota', (engine) => {
  let app: WholeApp;
  async function grant(userQuota: number | undefined, companyQuota?: number) {
    const result = await app.apply(provisioning(userQuota, companyQuota));
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  }
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning: provisioning(7, undefined) });
  });
  afterAll(() => app?.close());

  test('[SEND-19] is exact under concurrency, and applying the file again does not reset what is used', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(app)));
    expect(countSuccesses(answers)).toBe(7);
    expect((await storedMessages(app)).length).toBe(7);
    expect(await used(app)).toEqual([0, 7, 7]);
    await grant(7);
    expect(await send(app)).toMatchObject(exceeded);
    await grant(9);
    expect(countSuccesses([await send(app), await send(app), await send(app)])).toBe(2);
    await grant(5);
    expect(await send(app)).toMatchObject(exceeded);
  });

  test('[SEND-19] a call that is not wholly affordable sends nothing at all', async () => {
    await grant(9 + 4);
    const before = (await storedMessages(app)).length;
    const five = { to: [1, 2, 3, 4, 5].map(recipient) };
    const refused = await send(app, five);
    expect(refused).toMatchObject(exceeded);
    expect(refused.body.error).toMatch(/quota/i);
    expect((await storedMessages(app)).length).toBe(before);
    expect(acceptedOf(await send(app, { to: five.to.slice(1) }))).toHaveLength(4);
    expect(await send(app)).toMatchObject(exceeded);
  });

  test('[SEND-19] is counted in parts', async () => {
    await grant(13 + 4);
    expect(await send(app, { message: 'x'.repeat(5 * 153) })).toMatchObject(exceeded);
    expect(await send(app, { message: 'x'.repeat(3 * 153) })).toMatchObject({ status: 200 });
    expect(await send(app, { message: 'ж'.repeat(71) })).toMatchObject(exceeded);
    expect(await send(app, { message: 'ж'.repeat(70) })).toMatchObject({ status: 200 });
    expect(await send(app)).toMatchObject(exceeded);
  });

  test("[SEND-19] the company's quota binds users with and without one of their own", async () => {
    await grant(1_000, 17 + 6);
    const calls = Array.from({ length: 30 }, (_, index) => send(app, {}, index % 2 === 0 ? 'anna' : 'bo'));
    expect(countSuccesses(await Promise.all(calls))).toBe(6);
    expect((await used(app)).at(-1)).toBe(23);
    for (const username of ['anna', 'bo']) expect(await send(app, {}, username)).toMatchObject(exceeded);
  });

  test('[SEND-19] [SEND-21] a scheduled message is reserved, and cancelling it gives its parts back', async () => {
    await grant(undefined, 23 + 2);
    const scheduletime = new Date(Date.now() + 3_600_000).toISOString();
    const answer = await send(app, { scheduletime, message: 'x'.repeat(161) });
    const { id } = acceptedOf(answer)[0] as AcceptedItem;
    expect(await send(app)).toMatchObject(exceeded);
    expect(await app.run('message', 'cancel', id)).toMatchObject({ exitCode: 0 });
    expect((await used(app)).at(-1)).toBe(23);
    expect(await app.run('message', 'cancel', id)).toMatchObject({ exitCode: 1 });
    expect((await used(app)).at(-1)).toBe(23);
    expect(countSuccesses(await Promise.all([send(app), send(app), send(app)]))).toBe(2);
  });

  test('[SEND-19] what a carrier had is paid for, whatever became of it', async () => {
    await grant(undefined, 25 + 1);
    const undeliverable = `${recipient(1).slice(0, -2)}06`;
    const answer = await send(app, { to: [undeliverable] });
    const { id } = acceptedOf(answer)[0] as AcceptedItem;
    await whenAllAre(app.as({ username: 'anna', password }), [id], 'UNDELIVERABLE');
    expect(await send(app)).toMatchObject(exceeded);
  });

  test('[SEND-19] a quota of nothing sends nothing, and none at all is no limit', async () => {
    await grant(0);
    expect(await send(app)).toMatchObject(exceeded);
    await grant(undefined);
    expect(countSuccesses(await Promise.all(Array.from({ length: 50 }, () => send(app))))).toBe(50);
  });

  test('[CONV-11] [CONV-10] over what may be sent in a day: 429, with when to come again and what is left', async () => {
    const limited = provisioning(undefined, undefined).replace(
      'users:',
      'limits: { partsPerDay: 2 }\n    users:',
    );
    expect(await app.apply(limited)).toMatchObject({ exitCode: 0 });
    expect(await send(app)).toMatchObject({ status: 200 });
    const refused = await send(app, { to: [1, 2].map(recipient) }, 'bo');
    const body = { result: 'ERROR', code: 'rate_exceeded', left: { day: 1 } };
    expect(refused).toMatchObject({ status: 429, body });
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(24 * 3_600);
    expect(refused.body.error).toContain(`try again in ${retryAfter} s`);
    expect(await send(app, { to: [1, 2, 3].map(recipient) })).toMatchObject({
      ...{ status: 400, body: { code: 'too_many_parts' } },
    });
  });
});

describeTwoNodes('quota', provisioning(25, 20), (nodes) => {
  test('[SEND-19] is exact however many nodes reserve from it at once', async () => {
    const { first, second } = nodes;
    const calls = Array.from({ length: 60 }, (_, index) => send(index % 2 === 0 ? first : second));
    expect(countSuccesses(await Promise.all(calls))).toBe(20);
    expect((await storedMessages(first)).length).toBe(20);
  });
});
