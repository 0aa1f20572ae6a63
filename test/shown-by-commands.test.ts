/** What commands show: the same to programs as to people, and no control characters that a terminal would obey. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  alice,
  type CommandResult,
  standardProvisioning,
  startWholeApp,
  type WholeApp,
} from './harness/app.ts';
import { jsonPath } from './harness/batch-calls.ts';
import { keyPath, sendOne, whenAllAre } from './harness/messaging.ts';
import { runHere } from './harness/run-here.ts';

/** Clears the screen, sets colours and reverses the writing direction. */
const hostile = 'a\u001b[2J\u009b31m\u202eb';
/** A line feed ends each line. */
const unseen = /(?!\n)[\p{Cc}\u202e]/u;

describe('what commands show', () => {
  let app: WholeApp;
  let id = '';
  let batchId = '';
  /** What each command has shown to people and to programs. */
  const forPeople = new Map<string, CommandResult>();
  const forPrograms = new Map<string, CommandResult>();
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
    const client = app.as(alice);
    await client.get(keyPath, { name: hostile });
    id = await sendOne(client, { costcenter: hostile, conversation: hostile });
    await whenAllAre(client, [id], 'DELIVERED');
    const batch = [{ t: '46701740699', m: 'Hi' }];
    const named = { batchconversation: hostile, costcenter: hostile };
    batchId = (await client.post(jsonPath, { batch, ...named })).body.batchid;
    const incoming = ['--to', '46101', '--from', '46701740699', '--text', hostile];
    expect((await app.run('simulate', 'incoming', ...incoming)).exitCode).toBe(0);
    for (const command of commands()) {
      forPeople.set(command.join(' '), await runHere(app.env, ...command));
      forPrograms.set(command.join(' '), await runHere(app.env, ...command, '--json'));
    }
  });
  afterAll(() => app.close());

  const commands = () => [
    ['user', 'list'],
    ['user', 'show', 'alice'],
    ['keys', 'list', 'alice'],
    ['message', id],
    ['batch', batchId],
    ['batch', 'list'],
    ['carriers'],
    ['routes'],
    ['routes', 'explain', '46701740699'],
    ['routes', 'explain', '46701740699', '--twoway'],
    ['numbers'],
    ['usage'],
    ['receipts', 'unmatched'],
    ['unrouted'],
  ];

  test('[RUN-3] With --json, commands show programs what people see', () => {
    const shown = new Map<string, unknown>();
    for (const [command, { exitCode, stdout, stderr }] of forPrograms) {
      expect([exitCode, stderr], command).toEqual([0, '']);
      shown.set(command, JSON.parse(stdout));
    }
    expect(shown.size).toBe(commands().length);
    expect(shown.get('keys list alice')).toMatchObject([
      { name: hostile, state: 'enabled', expiresAt: null },
    ]);
    expect(shown.get('batch list')).toMatchObject([
      { username: 'alice', conversation: hostile, messages: 1 },
    ]);
    expect(shown.get('numbers')).toMatchObject([{ number: '46731230001', rentedBy: 'alice', pool: false }]);
    expect(shown.get('unrouted')).toMatchObject([{ sender: '46701740699', recipient: '46101' }]);
    expect(shown.get('usage')).toMatchObject([{ username: 'alice', costCenter: hostile }]);
    expect(shown.get('routes')).toMatchObject([{ name: 'all', prefix: '', carriers: ['sim'] }]);
    expect(shown.get('routes explain 46701740699')).toMatchObject({ carriers: ['sim'], waits: false });
    expect(shown.get('carriers')).toMatchObject([{ name: 'sim', type: 'simulator', waiting: 0 }]);
    expect(shown.get('receipts unmatched')).toEqual({ receipts: [], idRules: [] });
  });

  test('[RUN-4] Neither commands nor the log print control characters, whatever callers have named or written', () => {
    for (const [command, { stdout, stderr }] of [...forPeople, ...forPrograms]) {
      expect(stdout + stderr, command).not.toMatch(unseen);
    }
    expect(forPeople.get('keys list alice')?.stdout).toContain('a\\u001b[2J\\u009b31m\\u202eb');
    expect(app.stderr + app.stdout).not.toMatch(unseen);
  });

  test('[DLV-3] A delivered message shows no reason, whatever code came with its receipt', () => {
    const stdout = forPeople.get(`message ${id}`)?.stdout;
    expect(stdout).toMatch(/^status +DELIVERED since /m);
    expect(stdout).toMatch(/^reason$/m);
    expect(stdout).not.toContain('code is');
    expect(JSON.parse(forPrograms.get(`message ${id}`)?.stdout ?? '')).not.toHaveProperty('reason');
  });
});
