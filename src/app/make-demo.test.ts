import pg from 'pg';
import { expect, test } from 'vitest';
import { countPersonalRows } from '../../test/harness/contact-verbs.ts';
import { FaultyStore } from '../../test/harness/faulty-store.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { Passwords } from '../accounts/password.ts';
import { changeContacts } from '../contacts/contact-store.ts';
import { systemClock } from '../foundation/clock.ts';
import { openLog } from '../foundation/log.ts';
import { NonBlockingOutput } from '../foundation/non-blocking-output.ts';
import { keepLink } from '../portal/session-store.ts';
import { demoAddressBook } from '../provisioning/demo.ts';
import { applyPlan, readUse } from '../provisioning/store.ts';
import { News } from '../storage/news.ts';
import { databasePath, openDatabase } from '../storage/sqlite/database.ts';
import type { Store } from '../storage/store.ts';
import { makeDemo } from './make-demo.ts';
import { firstLink } from './portal-work.ts';

function trackingLog() {
  const logged: { readonly msg: string }[] = [];
  const output = new NonBlockingOutput(String, (bytes) => {
    logged.push(JSON.parse(bytes.toString()));
    return bytes.length;
  });
  return { logged, log: openLog('info', output).log };
}

function demoOf(store: Store, demo = true) {
  const { logged, log } = trackingLog();
  const needs = { store, news: new News(store), clock: systemClock, log };
  const make = () => makeDemo({ provisioningFile: undefined, dataFolder: '/data', demo }, needs);
  return { make, logged };
}

eachStore('the demo of a first start', (engine) => {
  async function change(place: string, statement: string): Promise<void> {
    if (engine.name === 'sqlite') {
      const database = openDatabase(databasePath(place));
      database.exec(statement);
      database.close();
      return;
    }
    const client = new pg.Client({ connectionString: place });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  test('[RUN-1] The demo’s password is given even when its contacts cannot be written', async () => {
    const { store, place } = await engine.openFreshStore();
    await change(place, 'ALTER TABLE contacts RENAME TO contacts_out_of_reach');
    const { make, logged } = demoOf(store);
    const demo = await make();
    expect(logged).toMatchObject([
      { level: 'warn', msg: 'the demo company was created, but its address book may be empty' },
    ]);
    const account = await store.read(findAccountByUsername, 'demo');
    expect(await new Passwords().matches(demo?.password ?? '', account?.user.passwordHash)).toBe(true);
  });

  test('[RUN-1] The demo is made once and its password is given, even if the store is too busy at first', async () => {
    const { store } = await engine.openFreshStore();
    const busy = new FaultyStore(store);
    busy.refuse(readUse.name, 1);
    busy.refuse(applyPlan.name, 1);
    busy.loseAnswers(applyPlan.name, 1);
    busy.refuse(changeContacts.name, 1);
    const { make, logged } = demoOf(busy);
    const demo = await make();
    expect(logged).toEqual([]);
    expect(busy.calls.filter((name) => name === applyPlan.name)).toHaveLength(3);
    const account = await store.read(findAccountByUsername, 'demo');
    expect(await new Passwords().matches(demo?.password ?? '', account?.user.passwordHash)).toBe(true);
    expect(await store.read(countPersonalRows, demoAddressBook.id)).toMatchObject({ contacts: 3 });
  });

  test('[RUN-1] The demo’s sign-in link is made even if the store is too busy at first', async () => {
    const { store } = await engine.openFreshStore();
    const { username } = (await demoOf(store).make()) as { readonly username: string };
    const busy = new FaultyStore(store);
    busy.refuse(keepLink.name, 1);
    const { log, logged } = trackingLog();
    const link = await firstLink(username, { store: busy, secret: 'a secret of the tests', log });
    expect(link).toMatch(/^\/portal\/link#./);
    expect(busy.calls.filter((name) => name === keepLink.name)).toHaveLength(2);
    expect(logged).toEqual([]);
  });

  test('[RUN-1] The demo has no sign-in link when the store cannot keep one, and the log says so', async () => {
    const { store } = await engine.openFreshStore();
    const { username } = (await demoOf(store).make()) as { readonly username: string };
    const broken = new FaultyStore(store);
    broken.reject(keepLink.name, 1);
    const { log, logged } = trackingLog();
    expect(
      await firstLink(username, { store: broken, secret: 'a secret of the tests', log }),
    ).toBeUndefined();
    expect(logged).toMatchObject([
      { level: 'warn', msg: 'the sign-in link for the demo user could not be created' },
    ]);
  });

  test('[RUN-1] No demo is made when it is switched off, and the log says what to do instead', async () => {
    const { store } = await engine.openFreshStore();
    const { make, logged } = demoOf(store, false);
    expect(await make()).toBeUndefined();
    expect(logged).toMatchObject([{ level: 'warn', remedy: expect.stringContaining('carillon apply FILE') }]);
    expect(await store.read(readUse, null)).not.toBe('in use');
  });

  test('[RUN-1] Of nodes that start together only one makes the demo, and none mistakes the store for an emptied one', async () => {
    const fresh = await engine.openFreshStore();
    const nodes = [fresh.store, await fresh.openAnother(), await fresh.openAnother()].map((store) =>
      demoOf(store),
    );
    const made = await Promise.all(nodes.map(({ make }) => make()));
    expect(made.filter((demo) => demo !== undefined)).toHaveLength(1);
    expect(nodes.flatMap(({ logged }) => logged)).toEqual([]);
  });

  test('[RUN-1] The demo is made only in a new store, neither in a store in use nor in an emptied one', async () => {
    const { store } = await engine.openFreshStore();
    const { linesOf } = provisioningOf(() => store);
    const { make, logged } = demoOf(store);
    expect(await store.read(readUse, null)).toBe('new');
    await linesOf('companies: [{ name: A }]');
    expect(await store.read(readUse, null)).toBe('in use');
    expect(await make()).toBeUndefined();
    expect(logged).toEqual([]);
    await linesOf('companies: [{ name: A, remove: true }]');
    expect(await store.read(readUse, null)).toBe('emptied');
    expect(await make()).toBeUndefined();
    expect(logged).toMatchObject([{ level: 'warn', msg: expect.stringContaining('in use before') }]);
  });
});
