import { afterAll, afterEach, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { pause, until } from '../harness/awake.ts';
import { describePostgres } from '../harness/engines.ts';
import { acceptedOf, query, recipient, sendOne, sendPath, whenAllAre } from '../harness/messaging.ts';

/** Two carriers for all numbers, the second of which is the failover of the first. */
function provisioning(first: string, second: string, more = ''): string {
  return `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    quotaParts: 100000
    users:
      - { username: alice, password: "alice's long password", roles: [send] }
      - { username: bob, password: "bob's long password", roles: [send] }
carriers:
  - { name: first, type: simulator, receiptDelayMs: 20${first} }
  - { name: second, type: simulator, receiptDelayMs: 20${second} }
routes:
  - { name: main, prefix: "", carriers: [first], priority: 1 }
  - { name: spare, prefix: "", carriers: [second] }
${more}`;
}

const down = ', down: true';

async function carriersOf(app: WholeApp, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await query(
    app,
    `SELECT messages.id, carriers.name FROM messages JOIN carriers ON carriers.id = carrier_id`,
  );
  const names = new Map(rows.map(({ id, name }) => [String(id), String(name)]));
  return [...new Set(ids.map((id) => names.get(id) as string))].sort();
}

/** Waits until the server reports these carriers. */
async function whenCarriersAre(
  app: WholeApp,
  states: Readonly<Record<string, 'up' | 'down'>>,
): Promise<void> {
  await until(async () => {
    const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
    return Object.entries(states).every(([name, state]) =>
      text.includes(`\ncarillon_carrier_up{carrier="${name}"} ${state === 'up' ? 1 : 0}\n`),
    );
  });
}

/** Waits for the carrier states that the nodes have published, which other nodes and the commands rely on. */
async function whenStatesAre(app: WholeApp, nodes: number, states: readonly string[]): Promise<void> {
  const stateQuery = 'SELECT state FROM carrier_states ORDER BY carrier_id, node_id';
  const wanted = states.flatMap((state) => Array<string>(nodes).fill(state));
  await until(
    async () =>
      JSON.stringify((await query(app, stateQuery)).map(({ state }) => state)) === JSON.stringify(wanted),
  );
}

async function sendMany(app: WholeApp, count: number): Promise<readonly string[]> {
  const to = Array.from({ length: count }, (_, index) => recipient(index));
  const answer = await app.as(alice).post(sendPath, { to, message: 'Hello' });
  return acceptedOf(answer).map(({ id }) => id);
}

const env = { CARILLON_FAILOVER_SECONDS: '1' };

describe('routes and carriers that are down', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning('', ''), env });
  });
  afterAll(() => app?.close());

  /** Applies the file and waits until a carrier has gone up or down, which shows that the new routes are in use. */
  async function apply(first: string, second: string, more = ''): Promise<void> {
    const result = await app.apply(provisioning(first, second, more));
    expect(result.stderr).toBe('');
    const state = (settings: string) => (settings === down ? 'down' : 'up');
    await whenCarriersAre(app, { first: state(first), second: state(second) });
  }

  test('[DLV-2] A carrier that is down is passed over until it is up again, and nothing is lost', async () => {
    const client = app.as(alice);
    const before = [await sendOne(client)];
    await apply(down, '');
    const meanwhile = await sendMany(app, 20);
    await apply('', '');
    const after = [await sendOne(client)];
    await whenAllAre(client, [...before, ...meanwhile, ...after], 'DELIVERED');
    expect(await carriersOf(app, before)).toEqual(['first']);
    expect(await carriersOf(app, meanwhile)).toEqual(['second']);
    expect(await carriersOf(app, after)).toEqual(['first']);
  });

  test('[DLV-2] With all carriers down messages wait, and leave by the first that comes up', async () => {
    await apply(down, down);
    const ids = await sendMany(app, 700);
    // Longer than messages stay with a carrier that is down while another carrier is up.
    await pause(1_500);
    expect(await carriersOf(app, ids)).toEqual(['first']);
    await whenAllAre(app.as(alice), ids, 'QUEUED');
    await apply(down, '');
    await whenAllAre(app.as(alice), ids, 'DELIVERED');
    expect(await carriersOf(app, ids)).toEqual(['second']);
    expect(
      await query(app, `SELECT DISTINCT attempts, charge, in_doubt FROM messages WHERE id IN (${ids})`),
    ).toEqual([{ attempts: 1, charge: 1, in_doubt: 0 }]);
  });

  test('[DLV-2] Routes can be chosen by sender and by user, and commands show which one is taken and why', async () => {
    await apply(
      '',
      down,
      `  - { name: shop, prefix: "", carriers: [second], senders: [Shop] }
  - { name: bobs, prefix: "4673", carriers: [second], users: [bob] }
`,
    );
    const byAlice = await sendOne(app.as(alice));
    const byShop = await sendOne(app.as(alice), { from: 'Shop' });
    const byBob = await sendOne(app.as(bob));
    expect(await carriersOf(app, [byAlice])).toEqual(['first']);
    // The message's own carrier is down, and another with the same prefix is up.
    expect(await carriersOf(app, [byShop])).toEqual(['first']);
    // A longer prefix is a deliberate choice, so the message waits.
    expect(await carriersOf(app, [byBob])).toEqual(['second']);
    await whenAllAre(app.as(bob), [byBob], 'QUEUED');

    await whenStatesAre(app, 1, ['up', 'down']);
    const listed = await app.run('routes');
    expect(listed.stdout.split('\n')[1]).toMatch(/^bobs +4673 +any +bob +0 +second$/);
    const explained = await app.run('routes', 'explain', '+46 73 100 00 20', '--user', 'bob');
    expect(explained.stderr).toBe('');
    expect(explained.stdout).toContain('number  46731000020\nuser    bob\nsender  NordicCare\n');
    expect(explained.stdout).toMatch(/^> +bobs .*all carriers are down; it waits here$/m);
    expect(explained.stdout).toMatch(/^ +shop .*only for the sender Shop$/m);
    expect(explained.stdout).toContain('The message waits for second.');
    expect(explained.stdout).toMatch(/^second +down +\S+Z +\d+\n {4}it is set to be down$/m);
    const unknown = await app.run('routes', 'explain', '46731000020', '--user', 'zoe');
    expect(unknown).toMatchObject({ exitCode: 1, stderr: 'There is no user zoe.\n' });

    const carriers = await app.run('carriers');
    expect(carriers.stdout).toMatch(/^first +up +\S+Z +\d+$/m);
    expect(carriers.stdout).toMatch(/^second +simulator +1 +0$/m);
  });

  test('[DLV-2] [SEND-16] A two-way SMS takes the route of its pool number, and the command explains the same', async () => {
    await apply(
      '',
      '',
      `  - { name: north, prefix: "", carriers: [second], senders: ["46731239001"] }
numbers:
  - { number: "46731239001", pool: true }
  - { number: "46731239002", pool: true }
`,
    );
    const ids: string[] = [];
    for (const conversation of ['one', 'two'])
      ids.push(await sendOne(app.as(alice), { twoway: true, conversation }));
    const ways = await query(
      app,
      `SELECT sender, carriers.name AS carrier FROM messages JOIN carriers ON carriers.id = carrier_id
       WHERE messages.id IN (${ids}) ORDER BY sender`,
    );
    expect(ways).toEqual([
      { sender: '46731239001', carrier: 'second' },
      { sender: '46731239002', carrier: 'first' },
    ]);
    await whenStatesAre(app, 1, ['up', 'up']);
    const explained = await app.run('routes', 'explain', '46731000020', '--user', 'alice', '--twoway');
    expect(explained.stdout).toContain('sender  a number in the pool');
    expect(explained.stdout).toContain('From 46731239001: The message goes to second.\n');
    expect(explained.stdout).toContain('From any other number: The message goes to first');
    const both = await app.run('routes', 'explain', '46731000020', '--twoway', '--sender', 'Shop');
    expect(both).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('leave out --sender or --twoway'),
    });
  });
});

test('[DLV-2] [SEND-19] A message that a carrier passes on goes to the next, and after the last it ends without being charged', async ({
  onTestFinished,
}: TestContext) => {
  const passOn = provisioning(', passOn: ["20", "30"]', ', passOn: ["30"]');
  const app = await startWholeApp({ engine: 'sqlite', provisioning: passOn, env });
  onTestFinished(() => app.close());
  const client = app.as(alice);
  const passed = await sendOne(client, { to: ['46731000120'] });
  const refused = await sendOne(client, { to: ['46731000130'] });
  await whenAllAre(client, [passed], 'DELIVERED');
  await whenAllAre(client, [refused], 'REJECTED');
  expect(await carriersOf(app, [passed])).toEqual(['second']);
  const [used] = await query(app, 'SELECT quota_used FROM companies');
  expect(Number(used?.quota_used)).toBe(1);
  const shown = await app.run('message', refused);
  expect(shown.stdout).toMatch(/^\S+Z +passed on +first +to second: it is set to pass this on$/m);
  expect(shown.stdout).toMatch(/^\S+Z +refused +second +REJECTED: it is set to pass this on$/m);
});

describePostgres('routes and carriers that are down, at two nodes', () => {
  const apps: WholeApp[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0).reverse()) await app.close();
  });

  async function start(...serve: readonly string[]): Promise<WholeApp> {
    const [besides] = apps;
    const options = { engine: 'postgres', provisioning: provisioning('', ''), serve, env } as const;
    const app = await startWholeApp({ ...options, ...(besides && { besides }) });
    apps.push(app);
    return app;
  }

  test('[DLV-2] [RUN-2] A node that only accepts knows within seconds which carriers are down at the nodes that dispatch', async () => {
    const front = await start('--roles', 'http');
    const back = await start('--roles', 'dispatch');
    expect((await front.apply(provisioning(down, ''))).stderr).toBe('');
    await whenStatesAre(front, 1, ['down', 'up']);
    // The node checks every two seconds; messages it sends before that may wait for the first carrier or fail over to the
    // second. While a node's heartbeat is late, its state is unknown.
    let ids: readonly string[] = [];
    await until(async () => {
      ids = await sendMany(front, 5);
      return String(await carriersOf(front, ids)) === 'second';
    });
    await whenAllAre(front.as(alice), ids, 'DELIVERED');
    expect(await carriersOf(front, ids)).toEqual(['second']);
    expect(await back.stop()).toBe(0);
    // The state was removed with its node, so it is now unknown.
    expect(await query(front, 'SELECT * FROM carrier_states')).toEqual([]);
  });

  test('[DLV-2] [RUN-2] Messages that wait at one node are led to another carrier once all nodes agree', async () => {
    const first = await start();
    const second = await start();
    expect((await first.apply(provisioning(down, down))).stderr).toBe('');
    await whenStatesAre(first, 2, ['down', 'down']);
    const ids = [...(await sendMany(first, 50)), ...(await sendMany(second, 50))];
    expect((await first.apply(provisioning(down, ''))).stderr).toBe('');
    await whenAllAre(first.as(alice), ids, 'DELIVERED');
    expect(await carriersOf(first, ids)).toEqual(['second']);
  });
});
