/** Tests what accounts may send: parts are reserved before anything is sent, and never more than the account was granted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  type AcceptedItem,
  acceptedOf,
  inAnHour,
  query,
  recipient,
  sendPath,
  whenAllAre,
} from '../harness/messaging.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

const password = 'a password of all of them';

interface Company {
  readonly name: string;
  /** The company's own limits. */
  readonly limits?: string;
  /** Each user's limits, by username. */
  readonly users: Readonly<Record<string, string>>;
}

/** Every test has its own company. */
const companies: readonly Company[] = [
  { name: 'Of a user', users: { anna: 'quotaParts: 7', bo: '' } },
  { name: 'Of all', limits: 'quotaParts: 6', users: { cleo: 'quotaParts: 1000', dan: '' } },
  { name: 'Of both', limits: 'quotaParts: 20', users: { eva: 'quotaParts: 25' } },
  { name: 'Whole calls', users: { finn: 'quotaParts: 4' } },
  { name: 'Parts', users: { gry: 'quotaParts: 4' } },
  { name: 'Later', limits: 'quotaParts: 2', users: { hal: '' } },
  { name: 'Paid', limits: 'quotaParts: 1', users: { ida: '' } },
  { name: 'Nothing', users: { jon: 'quotaParts: 0' } },
  { name: 'Days', limits: 'limits: { partsPerDay: 2 }', users: { kim: '', leo: '' } },
];

/** `changed` replaces the limits of users. */
function provisioning(changed: Readonly<Record<string, string>> = {}): string {
  const userLine = (name: string, quota: string) => {
    const settings = [`username: ${name}`, `password: ${password}`, 'roles: [send]', changed[name] ?? quota];
    return `      - { ${settings.filter((setting) => setting !== '').join(', ')} }`;
  };
  const companyLines = ({ name, limits = '', users }: Company) => `
  - name: ${name}
    defaultSender: Clinic
    ${limits}
    users:
${Object.entries(users)
  .map(([user, quota]) => userLine(user, quota))
  .join('\n')}`;
  return `
companies:${companies.map(companyLines).join('')}
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;
}

const exceeded = { status: 400, body: { result: 'ERROR', code: 'quota_exceeded' } };

function send(app: WholeApp, username: string, body: object = {}): Promise<Answer> {
  const client = app.as({ username, password });
  return client.post(sendPath, { to: [recipient(1)], message: 'Hello', ...body });
}

/** Returns how many answers are successes; all others must say that the quota is exceeded. */
function countSuccesses(answers: readonly Answer[]): number {
  for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(exceeded);
  return answers.filter(({ status }) => status === 200).length;
}

async function countStored(app: WholeApp, ...usernames: readonly string[]): Promise<number> {
  const names = usernames.map((name) => `'${name}'`).join(', ');
  const rows = await query(
    app,
    `SELECT 1 FROM messages WHERE user_id IN (SELECT id FROM users WHERE username IN (${names}))`,
  );
  return rows.length;
}

async function usedOf(app: WholeApp, table: 'users' | 'companies', name: string): Promise<number> {
  const column = table === 'users' ? 'username' : 'name';
  const [row] = await query(app, `SELECT quota_used FROM ${table} WHERE ${column} = '${name}'`);
  return Number(row?.quota_used);
}

/** Sends concurrent calls to each of the nodes. */
function exactTests(nodes: () => readonly WholeApp[]): void {
  const sendConcurrently = (count: number, usernames: readonly string[]) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const node = nodes()[index % nodes().length] as WholeApp;
        return send(node, usernames[(index >> 1) % usernames.length] as string);
      }),
    );
  const first = () => nodes()[0] as WholeApp;

  test('[SEND-19] Concurrent calls use up a quota exactly, and never exceed it', async () => {
    expect(countSuccesses(await sendConcurrently(40, ['anna']))).toBe(7);
    expect(await countStored(first(), 'anna')).toBe(7);
    expect(await usedOf(first(), 'users', 'anna')).toBe(7);
    expect(await usedOf(first(), 'companies', 'Of a user')).toBe(7);
    expect(await usedOf(first(), 'users', 'bo')).toBe(0);
  });

  test('[SEND-19] The quota of a company binds users with and without their own quota', async () => {
    expect(countSuccesses(await sendConcurrently(30, ['cleo', 'dan']))).toBe(6);
    expect(await usedOf(first(), 'companies', 'Of all')).toBe(6);
    for (const username of ['cleo', 'dan']) expect(await send(first(), username)).toMatchObject(exceeded);
    expect(countSuccesses(await sendConcurrently(60, ['eva']))).toBe(20);
    expect(await countStored(first(), 'eva')).toBe(20);
  });
}

describe('quota', () => {
  let app: WholeApp;
  async function grant(changed: Readonly<Record<string, string>>) {
    const result = await app.apply(provisioning(changed));
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  }
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning() });
  });
  afterAll(() => app?.close());

  exactTests(() => [app]);

  test('[SEND-19] Applying a provisioning file again does not reset the quota that is used', async () => {
    expect(await send(app, 'anna')).toMatchObject(exceeded);
    expect(await send(app, 'jon')).toMatchObject(exceeded);
    await grant({ anna: 'quotaParts: 9', jon: 'quotaParts: 0' });
    expect(countSuccesses([await send(app, 'anna'), await send(app, 'anna'), await send(app, 'anna')])).toBe(
      2,
    );
  });

  test('[SEND-19] An account whose quota is below what it has used sends nothing, and one without a quota has no limit', async () => {
    await grant({ anna: 'quotaParts: 5', jon: '' });
    expect(await send(app, 'anna')).toMatchObject(exceeded);
    expect(countSuccesses(await Promise.all(Array.from({ length: 50 }, () => send(app, 'jon'))))).toBe(50);
  });

  test('[SEND-19] A call that the quota does not wholly cover sends nothing at all', async () => {
    const five = { to: [1, 2, 3, 4, 5].map(recipient) };
    const refused = await send(app, 'finn', five);
    expect(refused).toMatchObject(exceeded);
    expect(refused.body.error).toMatch(/quota/i);
    expect(await countStored(app, 'finn')).toBe(0);
    expect(acceptedOf(await send(app, 'finn', { to: five.to.slice(1) }))).toHaveLength(4);
    expect(await send(app, 'finn')).toMatchObject(exceeded);
  });

  test('[SEND-19] A quota is counted in SMS parts', async () => {
    expect(await send(app, 'gry', { message: 'x'.repeat(5 * 153) })).toMatchObject(exceeded);
    expect(await send(app, 'gry', { message: 'x'.repeat(3 * 153) })).toMatchObject({ status: 200 });
    expect(await send(app, 'gry', { message: 'ж'.repeat(71) })).toMatchObject(exceeded);
    expect(await send(app, 'gry', { message: 'ж'.repeat(70) })).toMatchObject({ status: 200 });
    expect(await send(app, 'gry')).toMatchObject(exceeded);
  });

  test('[SEND-19] [SEND-21] A scheduled message reserves its parts of the quota, and cancelling it gives them back', async () => {
    const answer = await send(app, 'hal', { scheduletime: inAnHour(), message: 'x'.repeat(161) });
    const { id } = acceptedOf(answer)[0] as AcceptedItem;
    expect(await send(app, 'hal')).toMatchObject(exceeded);
    const cancel = () => app.as({ username: 'hal', password }).post(`/api/v1/messages/${id}/cancel`);
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'CANCELED' } });
    expect(await usedOf(app, 'companies', 'Later')).toBe(0);
    expect((await cancel()).body.code).toBe('too_late');
    expect(await usedOf(app, 'companies', 'Later')).toBe(0);
    expect(countSuccesses(await Promise.all([1, 2, 3].map(() => send(app, 'hal'))))).toBe(2);
  });

  test('[SEND-19] A message that was handed to a carrier counts against the quota, whatever became of it', async () => {
    const undeliverable = `${recipient(1).slice(0, -2)}06`;
    const answer = await send(app, 'ida', { to: [undeliverable] });
    const { id } = acceptedOf(answer)[0] as AcceptedItem;
    await whenAllAre(app.as({ username: 'ida', password }), [id], 'UNDELIVERABLE');
    expect(await send(app, 'ida')).toMatchObject(exceeded);
  });

  test('[CONV-11] [CONV-10] Sending more than the daily limit is answered with 429, when to retry and what is left of the day', async () => {
    const first = await send(app, 'kim');
    expect(first.status).toBe(200);
    const policy = '"parts-per-day";q=2;qu="sms-parts";w=86400';
    expect(first.headers.get('ratelimit-policy')).toBe(policy);
    expect(first.headers.get('ratelimit')).toMatch(/^"parts-per-day";r=1;t=\d+$/);
    const refused = await send(app, 'leo', { to: [1, 2].map(recipient) });
    const body = { result: 'ERROR', code: 'rate_exceeded', left: { day: 1 } };
    expect(refused).toMatchObject({ status: 429, body });
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(24 * 3_600);
    expect(refused.body.error).toContain(`try again in ${retryAfter} s`);
    expect(refused.headers.get('ratelimit-policy')).toBe(policy);
    expect(refused.headers.get('ratelimit')).toBe(`"parts-per-day";r=1;t=${retryAfter}`);
    expect((await send(app, 'hal', { to: ['12'] })).headers.get('ratelimit')).toBeNull();
    expect(await send(app, 'leo', { to: [1, 2, 3].map(recipient) })).toMatchObject({
      status: 400,
      body: { code: 'too_many_parts' },
    });
  });
});

describeTwoNodes('quota', provisioning(), (nodes) => {
  exactTests(() => [nodes.first, nodes.second]);
});
