/**
 * Messages that are stored but missing from every list, as left by a server of an earlier version running next to a migrated
 * store.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { eachEngine } from './harness/engines.ts';
import { inAnHour, query, sendOne } from './harness/messaging.ts';
import { dumpOf } from './harness/older-store.ts';

const phone = '46701740699';
const other = '46701740640';

eachEngine('messages that the log of messages misses', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({
      engine,
      provisioning: standardProvisioning.replace('roles: [send] }', 'roles: [send, companyAdmin] }'),
    });
  });
  afterAll(() => app?.close());

  const stored = async (table: string, number: string) =>
    (await query(app, `SELECT id FROM ${table} WHERE recipient = '${number}' ORDER BY id`)).map(({ id }) =>
      Number(id),
    );
  const listed = async () => {
    const { body } = await app.as(alice).get('/api/v1/messages');
    return body.messages.map(({ id }: { id: number }) => id).sort();
  };
  const lose = () => query(app, engine === 'sqlite' ? 'DELETE FROM message_log' : 'TRUNCATE message_log');

  test('[RUN-5] [PORT-4] Messages missing from the message log are found by carillon check, and put into it', async () => {
    for (const to of [phone, phone, other]) await sendOne(app.as(alice), { to: [to] });
    await sendOne(app.as(alice), { to: [phone], scheduletime: inAnHour() });
    const all = await listed();
    expect(all).toHaveLength(4);
    const logged = await query(app, 'SELECT * FROM message_log ORDER BY id');
    expect((await app.run('check')).stdout).toBe(
      'Every message is in the lists. There is nothing to repair.\n',
    );
    await lose();
    expect(await listed()).toEqual([]);
    expect((await app.run('check', '--dry-run')).stdout).toBe(
      'Messages missing from the lists: 4. Nothing was changed.\n',
    );
    expect(await listed()).toEqual([]);
    expect((await app.run('check', '--json')).stdout).toBe('{"damage":[],"unlogged":4,"mended":4}\n');
    expect(await query(app, 'SELECT * FROM message_log ORDER BY id')).toEqual(logged);
    expect(await listed()).toEqual(all);
  });

  test('[RUN-5] [PORT-7] Messages missing from the message log are erased with their person too', async () => {
    await lose();
    const path = `/api/v1/people/${phone}`;
    const asked = await app.as(alice).post(`${path}/erase`, {});
    expect([asked.status, asked.text]).toEqual([200, expect.any(String)]);
    const erasure = async () => (await app.as(alice).get(path)).body.erasure;
    await until(async () => (await erasure()).done !== undefined);
    expect(await erasure()).toMatchObject({ kept: [] });
    const dump = await dumpOf(app.env);
    expect(dump.filter((row) => row.includes(phone))).toEqual([]);
    expect(await stored('messages', other)).toHaveLength(1);
  });

  test('[RUN-5] [PORT-4] Messages missing from the message log are put into it at the next start, which reports this', async () => {
    expect(await stored('message_log', other)).toEqual([]);
    await app.restart();
    await until(() =>
      app.stderr.includes(
        '"messages":1,"msg":"messages that were missing from the lists have been added to them"',
      ),
    );
    expect(await stored('message_log', other)).toEqual(await stored('messages', other));
  });
});
