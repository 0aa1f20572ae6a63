/** Tests commands in the name of a user: over the operator's socket without a password, and at an address with a key. */
import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../src/app/control.ts';
import { alice, bob, type CommandResult, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { jsonPath } from './harness/batch-calls.ts';
import { answer, jobsProvisioning, phoneOf, runOf } from './harness/jobs.ts';
import { inAnHour, keyPath, recipient, sendOne, whenAllAre } from './harness/messaging.ts';
import { program } from './harness/program.ts';
import { runHere } from './harness/run-here.ts';

describe('commands in the name of a user', () => {
  let app: WholeApp;
  let key = '';
  let keyFile = '';
  beforeAll(async () => {
    const job = `{ id: 71, owner: nordic-jobs, name: Night, type: MonitoredMessage, message: "Come?", recipients: { numbers: ["${phoneOf(20)}", "${phoneOf(21)}"] }, responseGoal: 2 }`;
    const provisioning = jobsProvisioning({ jobs: [job] })
      .replace(
        'password: "alice\'s long password", roles: [send, jobs]',
        'password: "alice\'s long password", roles: [send, jobs, companyAdmin]',
      )
      .replace(
        'numbers:\n  - { number',
        'numbers:\n  - { number: "46731230001", rentedBy: alice }\n  - { number',
      );
    app = await startWholeApp({ engine: 'sqlite', provisioning });
    key = (await app.as(alice).get(keyPath, { name: 'laptop' })).body;
    keyFile = join(app.env.CARILLON_DATA as string, 'key');
    writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  });
  afterAll(() => app?.close());

  const here = (...words: readonly string[]) => runHere(app.env, ...words, '--user', 'alice');
  const there = (...words: readonly string[]) =>
    runHere(app.env, ...words, '--url', app.baseUrl, '--key-file', keyFile);
  const both = [
    ['over the socket', here],
    ['at an address', there],
  ] as const;

  function jsonOf({ exitCode, stdout, stderr }: CommandResult) {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  function phoneSends(to: string, text: string) {
    const sms = { to, from: '46701740699', text };
    return command(app.env.CARILLON_DATA as string, 'simulate-incoming', sms);
  }

  test.each(both)(
    '[RUN-3] [SEND-1] Commands in the name of a user send, follow and cancel SMS %s',
    async (_, run) => {
      const sent = jsonOf(await run('send', recipient(1), recipient(2), '--message', 'Hi', '--json'));
      const ids = sent.accepted.map(({ id }: { id: string }) => id);
      expect(sent.accepted).toMatchObject([{ to: recipient(1), parts: '1' }, { to: recipient(2) }]);
      await whenAllAre(app.as(alice), ids, 'DELIVERED');
      const status = await run('status', ...ids, '7');
      expect(status).toMatchObject({ exitCode: 1, stderr: 'There is no message 7.\n' });
      expect(status.stdout).toMatch(/^ID +TO +FROM +STATUS +SINCE +CONVERSATION\n.*DELIVERED.*\n.*DELIVERED/);
      const unread = jsonOf(await run('status', '--mark-as-read', '--json'));
      expect(unread.statuses.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(ids));
      expect((await run('status')).stdout).toBe('There are no unread changes of status.\n');

      const shown = await run('message', ids[0]);
      expect(shown.stdout).toMatch(/^message +\d+\nof +alice\n[\s\S]*^status +DELIVERED since .*Z$/m);
      expect(shown.stdout).toMatch(/^AT +WHAT +PART +CARRIER +DETAIL$/m);
      expect(jsonOf(await run('message', ids[0], '--json'))).toMatchObject({ id: ids[0], message: 'Hi' });
      const later = jsonOf(await run('send', recipient(3), '--message', 'Hi', '--at', inAnHour(), '--json'));
      const [{ id }] = later.accepted;
      expect((await run('message', 'cancel', id)).stdout).toBe(`Message ${id} is CANCELED.\n`);
      expect(await run('message', 'cancel', id)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('already CANCELED'),
      });
    },
  );

  test('[RUN-3] [SEND-4] The send command reports recipients that are not accepted, and exits with a failure', async () => {
    const some = await here('send', recipient(1), '12', '--message', 'Hi');
    expect(some).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(recipient(1)) });
    expect(some.stderr).toContain('12');
    const none = await there('send', '12', '13', '--message', 'Hi');
    expect(none).toMatchObject({ exitCode: 1, stdout: '' });
    expect(none.stderr).toContain('to[1]: ');
    const once = ['send', recipient(1), '--message', 'Hi', '--idempotency-key', 'once', '--json'];
    expect(jsonOf(await there(...once))).toEqual(jsonOf(await here(...once)));
  });

  test('[RUN-3] Commands in the name of a user read incoming SMS', async () => {
    await phoneSends('46731230001', 'Hi there');
    expect((await here('incoming')).stdout).toMatch(/46701740699 +46731230001 +"Hi there"/);
    expect(jsonOf(await here('incoming', '--mark-as-read', '--json')).incoming).toMatchObject([
      { from: '46701740699', message: 'Hi there' },
    ]);
    expect(await here('incoming', '7')).toMatchObject({
      exitCode: 1,
      stderr: 'There is no incoming SMS 7.\n',
    });
    expect((await here('incoming')).stdout).toBe('There are no unread incoming SMS.\n');
  });

  test('[RUN-3] [BATCH-8] Commands in the name of a user show batches and abort them', async () => {
    const batch = [{ t: recipient(1), m: 'Hi' }];
    const { batchid } = (await app.as(alice).post(jsonPath, { batch })).body;
    const watched = await there('batch', batchid, '--watch');
    expect(watched).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 of 1 messages') });
    expect(jsonOf(await there('batch', batchid, '--json'))).toMatchObject({ id: batchid, messages: 1 });
    expect(jsonOf(await there('batch', 'list', '--limit', '1', '--json'))).toMatchObject([{ id: batchid }]);
    expect((await there('batch', 'list')).stdout).toMatch(/^BATCH +OF +ACCEPTED +STATE/);
    // All of the batch has been sent already.
    expect((await there('batch', 'abort', batchid)).stdout).toMatch(
      /^Batch \d+ is 0 Ok \((sent|done)\)\.\n$/,
    );
  });

  test('[RUN-3] Commands in the name of a user import contacts from a file and export them', async () => {
    const file = join(app.env.CARILLON_DATA as string, 'people.csv');
    writeFileSync(file, 'id,name,phone\n1,Anna,46701740640\n2,Bo,nonsense\n');
    const book = ['--book', 'Staff'];
    const faulty = await there('contacts', 'import', file, ...book);
    expect(faulty).toMatchObject({ exitCode: 1, stdout: '' });
    const dry = await there('contacts', 'import', file, ...book, '--dry-run', '--skip-faulty');
    expect(dry.exitCode).toBe(0);
    expect(dry.stderr).toMatch(/^line 3: [\s\S]*Dry run: nothing was imported\.\n$/);
    const done = jsonOf(await there('contacts', 'import', file, ...book, '--skip-faulty', '--json'));
    const counts = { created: 1, changed: 0, unchanged: 0, managed: 0, skipped: 1 };
    expect(done).toEqual({ id: expect.stringMatching(/^\d+$/), ...counts });
    const again = await there('contacts', 'import', file, ...book, '--skip-faulty');
    expect(again.stdout).toMatch(
      /^0 created, 0 changed, 1 unchanged, 1 skipped\nThis is import \d+\. It can be undone for a day/,
    );
    const preview = await there('contacts', 'import', file, ...book, '--dry-run', '--skip-faulty', '--json');
    expect(JSON.parse(preview.stdout)).toMatchObject({ faulty: 1, faults: [{ line: 3 }], changes: [] });
    const { stdout } = await there('contacts', 'export', ...book);
    expect(stdout).toContain('1,Anna,46701740640');
    expect(await there('contacts', 'export', '--book', 'None')).toMatchObject({
      exitCode: 1,
      stderr: 'There is no address book None that the user may read.\n',
    });
  });

  test('[RUN-3] [HOOK-1] Commands manage a user’s webhooks, but an API key may not do what takes a password', async () => {
    const hook = { name: 'desk', url: 'https://receiver.example/', events: ['message.status'] };
    expect((await app.as(alice).post('/api/v1/webhooks', hook)).status).toBe(201);
    expect((await there('webhooks', 'list')).stdout).toMatch(
      /^WEBHOOK +OF +STATE[\s\S]*^desk +company +works/m,
    );
    expect(jsonOf(await there('webhooks', 'disable', 'desk', '--json'))).toEqual({
      webhook: 'desk',
      enabled: false,
    });
    expect((await there('webhooks', 'test', 'desk')).exitCode).toBe(1);
    expect(jsonOf(await there('webhooks', 'enable', 'desk', '--json'))).toMatchObject({ enabled: true });
    const time = ['--from', '2020-01-01T00:00Z', '--to', '2020-01-02T00:00Z'];
    expect((await there('webhooks', 'replay', 'desk', ...time)).stdout).toBe(
      'No events from that period are kept.\n',
    );
    expect(jsonOf(await there('webhooks', 'attempts', 'desk', '--json'))).toEqual([]);
    expect(await there('webhooks', 'enable', 'none')).toMatchObject({ exitCode: 1 });
    // A password allows what a key does not. The --url option of these commands is the webhook's URL.
    const env = { CARILLON_USER: 'alice', CARILLON_PASSWORD: alice.password, CARILLON_KEY: key };
    const run = (...words: readonly string[]) => runHere(env, 'webhooks', ...words, '--server', app.baseUrl);
    const changed = await run('change', 'desk', '--batch', '--no-user', '--json');
    expect(jsonOf(changed)).toMatchObject({ name: 'desk', batch: true });
    const settings = ['--url', 'https://shop.example/', '--events', 'message.status'];
    expect((await run('add', 'shop', ...settings)).stdout).toMatch(
      /^shop has been created\.\nsecret: whsec_/,
    );
    expect((await there('webhooks', 'rotate', 'desk')).stderr).toContain('not an API key');
    expect((await here('webhooks', 'rotate', 'desk')).stdout).toMatch(/^secret: whsec_/m);
    expect((await here('webhooks', 'rotate', 'desk', '--finish')).exitCode).toBe(0);
    expect((await here('webhooks', 'remove', 'desk')).stdout).toBe('desk has been removed.\n');
  });

  test('[RUN-4] The log and the audit log record what an operator does in a user’s name as done by command', async () => {
    const id = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    // An option before the command's name must not be dropped, because the operator would then be the one who acts.
    expect(await runHere(app.env, 'message', '--user', 'bob', 'cancel', id)).toMatchObject({
      exitCode: 1,
      stderr: 'Give --user after cancel.\n',
    });
    expect((await runHere(app.env, 'batch', '--url', app.baseUrl, 'list')).stderr).toBe(
      'Give --url after list.\n',
    );
    expect((await runHere(app.env, 'message', 'cancel', '--user', 'bob', id)).exitCode).toBe(0);
    const audit = jsonOf(await here('audit', '--json'));
    expect(audit[0]).toMatchObject({
      channel: 'command',
      username: 'bob',
      act: 'message.cancel',
      object: id,
    });
    await until(() =>
      app.stderr.split('\n').some((line) => {
        const found = line.includes('/api/v1/messages/{id}/cancel') && JSON.parse(line);
        return found && found.event === 'operator_command' && /^carillon, by ./.test(found.object);
      }),
    );
  });

  test('[AUTH-9] [RUN-4] Over the operator’s socket a user sees no more than elsewhere, and no other account may open the socket', async () => {
    expect(statSync(join(app.env.CARILLON_DATA as string, 'control.sock')).mode & 0o777).toBe(0o600);
    const id = await sendOne(app.as(alice));
    const asBob = await runHere(app.env, 'message', id, '--user', 'bob');
    expect(asBob).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(id) });
    expect(await runHere(app.env, 'send', recipient(1), '--message', 'Hi', '--user', 'dave')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('role'),
    });
    expect(await runHere(app.env, 'status', '--user', 'nobody')).toMatchObject({
      exitCode: 1,
      stderr: 'There is no user nobody.\n',
    });
  });

  /** Runs the command as its own process, with this standard input. */
  function runWith(env: Readonly<Record<string, string>>, input: string, ...words: readonly string[]) {
    return new Promise<CommandResult>((resolve) => {
      const options = { env: { PATH: process.env.PATH ?? '', ...env } };
      const child = execFile(process.execPath, [program(), ...words], options, (_, stdout, stderr) => {
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
      });
      child.stdin?.end(input);
    });
  }

  test('[RUN-3] The environment gives commands their address and credentials, and standard input the text to send', async () => {
    const env = { CARILLON_URL: app.baseUrl, CARILLON_KEY: key };
    const sent = jsonOf(await runWith(env, 'From a pipe\n', 'send', recipient(1), '--json'));
    const [{ id }] = sent.accepted;
    expect(jsonOf(await runHere(env, 'message', id, '--json'))).toMatchObject({ message: 'From a pipe' });
    expect(await runHere({ CARILLON_URL: app.baseUrl }, 'status', id)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('A key is missing'),
    });
    // Setting only the address, as for curl, does not turn the operator's command into a caller's.
    const beside = { ...app.env, CARILLON_URL: app.baseUrl };
    expect((await runHere(beside, 'message', id)).stdout).toContain('alice (Nordic Care)');
    const credentials = { CARILLON_USER: alice.username, CARILLON_PASSWORD: alice.password };
    for (const caller of [credentials, { CARILLON_KEY: key }]) {
      expect((await runHere({ ...beside, ...caller }, 'message', id)).stdout).toMatch(/^of +alice$/m);
      expect((await runHere({ ...beside, ...caller }, 'message', id, '--operator')).stdout).toContain(
        'alice (Nordic Care)',
      );
    }
    const wrong = await runHere({ ...env, CARILLON_KEY: `${key}x` }, 'message', id);
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).not.toContain(key);
    expect(await runHere({}, 'status', id)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('This command acts as a user'),
    });
  });

  /** The heading and a line that each listing command shows. */
  const lists: readonly (readonly [words: string, head: RegExp, line: RegExp])[] = [
    [
      'usage',
      /^USER +COST CENTRE +MONTH +MESSAGES +PARTS +SIMULATED$/m,
      /^alice +\d{4}-\d\d +\d+ +\d+ +\d+$/m,
    ],
    ['numbers', /^NUMBER +USE$/m, /^46731230001 +rented by alice$/m],
    ['unrouted', /^ID +RECEIVED +FROM +TO +TEXT$/m, /^\d+ +\S+Z +46701740699 +46101 +"Lost"$/m],
    ['audit', /^AT +WHO +BY +ACT +OBJECT +DETAILS$/m, /^\S+Z +alice +\w+ +message\.cancel +\d+$/m],
    ['carriers', /^CARRIER +STATE +SINCE +NODE$/m, /^sim +up +\S+Z +\d+$/m],
    ['user list', /^USER +STATE +ROLES +PASSWORD +ID$/m, /^bob +active +send jobs +set +\d+$/m],
    ['user show bob', /^username +bob$/m, /^roles +send jobs$/m],
    ['keys list bob', /^NAME +STATE +CREATED +USED +EXPIRES$/m, /^till +enabled +\S+Z +never +never$/m],
  ];

  test('[RUN-3] [PORT-7] By command, administrators see of their company what operators see of all companies', async () => {
    await phoneSends('46101', 'Lost');
    await app.as(bob).get(keyPath, { name: 'till' });
    const id = await sendOne(app.as(alice), { scheduletime: inAnHour() });
    await here('message', 'cancel', id);
    for (const [words, head, line] of lists) {
      const shown = await there(...words.split(' '));
      expect(shown, words).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(head) });
      expect(shown.stdout, words).toMatch(line);
      const printed = jsonOf(await here(...words.split(' '), '--json'));
      expect(Array.isArray(printed), words).toBe(words !== 'user show bob');
    }
    const csv = await there('usage', '--format', 'csv', '--from', '2026-01');
    expect(csv.stdout).toMatch(/^\ufeffmonth,username,costcenter,messages,parts,simulated\n/);
    expect((await here('user', 'list', '--operators')).stderr).toContain('Give --operator');
    expect((await here('user', 'show', 'nobody')).stderr).toBe('The company has no user nobody.\n');
  });

  test('[RUN-3] [AUTH-9] By command, users without the administrator role see only what belongs to them', async () => {
    const asBob = (...words: readonly string[]) => runHere(app.env, ...words, '--user', 'bob');
    await app.as(bob).get(keyPath, { name: 'till' });
    await sendOne(app.as(bob));
    const used = await asBob('usage');
    expect(used).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/^bob +\d{4}-/m) });
    expect(used.stdout).not.toContain('alice');
    expect((await asBob('keys', 'list', 'bob')).stdout).toContain('till');
    const listed = lists.map(([words]) => words.replace('bob', 'alice'));
    for (const words of listed.filter((one) => one !== 'usage'))
      expect(await asBob(...words.split(' ')), words).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringContaining('companyAdmin'),
      });
  });

  test('[RUN-3] [AUTH-5] API keys can be revoked by their user or an administrator by command, but not with an API key', async () => {
    const asBob = (...words: readonly string[]) =>
      runHere(app.env, 'keys', ...words, '--user', 'bob', '--json');
    for (const name of ['till', 'desk']) await app.as(bob).get(keyPath, { name });
    const end = '2099-12-31T23:59:00.000Z';
    expect(jsonOf(await asBob('expire', 'bob', 'till', end))).toMatchObject({ name: 'till', expires: end });
    expect(jsonOf(await asBob('expire', 'bob', 'till', 'never'))).not.toHaveProperty('expires');
    expect(jsonOf(await asBob('revoke', 'bob', 'till'))).toMatchObject({ name: 'till', state: 'revoked' });
    expect((await here('keys', 'revoke', 'bob', 'desk')).stdout).toMatch(/^desk +revoked/m);
    expect(jsonOf(await here('keys', 'expire', 'bob', 'till', end, '--json'))).toMatchObject({
      expires: end,
    });
    expect((await here('keys', 'revoke', 'bob', 'none')).stderr).toContain('no API key named "none"');
    // A stolen key can't revoke another, and nothing reveals whose it is.
    const late = ['expire', 'alice', 'laptop', 'now'];
    for (const words of [['revoke', 'bob', 'desk'], ['revoke', 'alice', 'laptop'], late, ['list']])
      expect(await there('keys', ...words), words.join(' ')).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: 'This requires a password. Set CARILLON_USER and CARILLON_PASSWORD, or give --user.\n',
      });
    expect((await asBob('enable', 'bob', 'desk')).stderr).toBe(
      'Only the operator can enable a key. Give --operator.\n',
    );
    const enabled = await runHere(
      { ...app.env, CARILLON_URL: app.baseUrl, CARILLON_KEY: key },
      'keys',
      'enable',
      'bob',
      'desk',
      '--operator',
    );
    expect(enabled.stdout).toMatch(/^desk +enabled/m);
    expect(jsonOf(await asBob('expire', 'bob', 'desk', 'now'))).toMatchObject({ state: 'expired' });
    const password = { CARILLON_URL: app.baseUrl, CARILLON_USER: 'bob', CARILLON_PASSWORD: bob.password };
    const own = await runHere({ ...password, CARILLON_KEY: key }, 'keys', 'list');
    expect(own.stdout).toMatch(/^desk +expired/m);
  });

  test('[RUN-3] [JOB-8] [JOB-14] Commands list, start and control saved jobs, and show the record of a run', async () => {
    const run = async (...words: readonly string[]) => jsonOf(await there('jobs', ...words, '--json'));
    expect(await run('list')).toEqual([{ id: '71', name: 'Night', type: 'MonitoredMessage' }]);
    expect(await run('rehearse', '71')).toMatchObject({
      job: 'Night',
      parts: { first: 2, all: 2, left: null },
    });
    const { run: id } = await run('start', '71', '--name', 'Tonight');
    expect(await run('list', '--runs')).toMatchObject([{ id, name: 'Tonight', username: 'alice' }]);
    expect(await run('extend', id, '15')).toEqual({ run: id, act: 'extend' });
    expect(await run('tell', id, 'Bring boots', '--to', 'all')).toEqual({ run: id, act: 'tell' });
    expect(await run('accept', id, phoneOf(20))).toEqual({ run: id, act: 'accept' });
    await answer(app, Number(id), phoneOf(21), 'Yes');
    await until(async () => (await runOf(app, Number(id))).phase !== 'open');
    expect(await run('cancel', id)).toEqual({ run: id, act: 'cancel' });
    await until(async () => (await runOf(app, Number(id))).phase === 'ended');
    const inWords = await app.run('jobs', 'watch', id, '--user', 'alice');
    expect(inWords.stdout).toMatch(/^\S+Z {2}start +by alice/m);
    const watched = await app.run('jobs', 'watch', id, '--user', 'alice', '--json');
    const entries = watched.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries[0]).toMatchObject({ what: 'start', by: 'alice' });
    expect(entries.at(-1)).toMatchObject({ what: 'finish' });
    const record = await run('record', id);
    expect(record).toMatchObject({ run: id, phase: 'ended', outcome: 'CANCELED' });
    expect(record.timeline.map(({ what }: { what: string }) => what)).toEqual(
      entries.map(({ what }) => what),
    );
    expect(record.people).toMatchObject([{ phone: phoneOf(20), state: 'yes' }, { phone: phoneOf(21) }]);
    const { stdout } = await here('jobs', 'record', id);
    expect(stdout).toMatch(
      /^Tonight, run \d+: ended \(CANCELED\)\n\nNAME +PHONE OR MAIL +STATE +LAST MESSAGE +LAST ANSWER\n/,
    );
    expect(stdout).toMatch(/^AT +WHAT +BY +WHO +DETAIL\n\S+Z +start +alice$/m);
    expect((await here('jobs', 'record', id, '--format', 'html')).stdout).toMatch(
      /^<!doctype html>[\s\S]*<\/html>\n$/,
    );
    expect((await here('jobs', 'record', id, '--format', 'csv')).stdout).toContain(
      'at,what,by,people,detail\n',
    );
  });
});
