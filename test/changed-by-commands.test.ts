/** Tests that commands report their changes to programs: one object each, and nothing else on standard output. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaVersion } from '../src/storage/schema.ts';
import { databasePath } from '../src/storage/sqlite/database.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { jsonPath } from './harness/batch-calls.ts';
import { inAnHour, keyPath, sendOne } from './harness/messaging.ts';
import { makeOlderStore, olderVersion } from './harness/older-store.ts';
import { runHere } from './harness/run-here.ts';

const provisioning = standardProvisioning.replace(
  '    users:',
  '    addressBooks: [{ id: 5, name: Staff }]\n    users:',
);
let app: WholeApp;
beforeAll(async () => {
  app = await startWholeApp({ engine: 'sqlite', provisioning });
});
afterAll(() => app?.close());

async function json(...words: readonly string[]) {
  const { exitCode, stdout, stderr } = await runHere(app.env, ...words, '--json');
  expect({ exitCode, stderr }, words.join(' ')).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

test('[RUN-3] [AUTH-5] With --json, commands that change API keys and links of users print the result as one JSON object', async () => {
  await app.as(alice).get(keyPath, { name: 'work' });
  expect(await json('keys', 'expire', 'alice', 'work', '2099-12-31T23:59Z')).toMatchObject({
    name: 'work',
    state: 'enabled',
    expiresAt: '2099-12-31T23:59:00.000Z',
  });
  expect(await json('keys', 'revoke', 'alice', 'work')).toMatchObject({ name: 'work', state: 'revoked' });
  expect(await json('keys', 'enable', 'alice', 'work')).toMatchObject({ name: 'work', state: 'enabled' });
  const { username, link } = await json('user', 'link', 'alice');
  expect([username, new URL(link).pathname]).toEqual(['alice', '/portal/link']);
});

test('[RUN-3] With --json, applying a provisioning file and importing contacts print the changes as one JSON object', async () => {
  const file = join(app.env.CARILLON_DATA as string, 'more.yaml');
  writeFileSync(file, 'companies: [{ name: Nordic Care, quotaParts: 5000 }]\n');
  const changes = ['~ company Nordic Care: quotaParts unlimited -> 5000'];
  const dry = await app.run('apply', file, '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toEqual({ changes, warnings: [], dryRun: true });
  expect(await json('apply', file)).toEqual({ changes, warnings: [], dryRun: false });
  expect(await json('apply', file)).toEqual({ changes: [], warnings: [], dryRun: false });
  const people = join(app.env.CARILLON_DATA as string, 'people.csv');
  writeFileSync(people, 'id,phone\n1,46701740640\n2,46701740641\n');
  expect(await json('contacts', 'import', people, '--book', 'Staff')).toEqual({
    created: 2,
    changed: 0,
    unchanged: 0,
    skipped: 0,
    dryRun: false,
  });
});

test('[RUN-3] [HOOK-1] With --json, commands that change webhooks print the result as one JSON object', async () => {
  const settings = ['--url', 'https://receiver.example/', '--events', 'message.status'];
  const added = await json('webhooks', 'add', 'desk', '--company', 'Nordic Care', ...settings);
  expect(added).toEqual({
    webhook: 'desk',
    changes: [expect.stringMatching(/^\+ webhook desk/)],
    secret: expect.stringMatching(/^whsec_/),
  });
  const rotated = await json('webhooks', 'rotate', 'desk');
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(added.secret);
  expect(await json('webhooks', 'rotate', 'desk', '--finish')).not.toHaveProperty('secret');
  expect(await json('webhooks', 'change', 'desk', '--batch')).toMatchObject({
    changes: [expect.stringContaining('batch')],
  });
  expect(await json('webhooks', 'change', 'desk', '--batch')).toEqual({ webhook: 'desk', changes: [] });
  expect(await json('webhooks', 'disable', 'desk')).toEqual({ webhook: 'desk', enabled: false });
  expect(await json('webhooks', 'enable', 'desk')).toEqual({ webhook: 'desk', enabled: true, lost: 0 });
  const time = ['--from', '2020-01-01T00:00Z', '--to', '2020-01-02T00:00Z'];
  expect(await json('webhooks', 'replay', 'desk', ...time)).toEqual({ webhook: 'desk', events: 0 });
  expect(await json('webhooks', 'remove', 'desk')).toMatchObject({
    changes: [expect.stringMatching(/^- webhook desk/)],
  });
});

test('[RUN-3] With --json, commands for messages, batches, e-mails, the secret and the schema print the result as one JSON object', async () => {
  const id = await sendOne(app.as(alice), { scheduletime: inAnHour() });
  expect(await json('message', 'cancel', id)).toEqual({ id, status: 'CANCELED' });
  const batch = [{ t: '46701740699', m: 'Hi' }];
  const { batchid } = (await app.as(alice).post(jsonPath, { batch, scheduletime: inAnHour() })).body;
  expect(await json('batch', 'abort', batchid)).toEqual({
    id: Number(batchid),
    outcome: expect.stringMatching(/^(aborted|takingBack)$/),
  });
  expect(await json('mail', 'outbox', 'replay', '--all')).toEqual({ mails: 0 });
  const sms = ['--to', '46731230001', '--from', '46701740699', '--text', 'Hi'];
  expect(await json('simulate', 'incoming', ...sms)).toMatchObject({
    id: expect.stringMatching(/^\d+$/),
    routed: true,
    processId: expect.any(Number),
  });
  expect(await json('secret', 'accept')).toEqual({ accepted: false, unreadableCarriers: [] });
  expect(await json('migrate')).toEqual({ schemaVersion });
});

test('[RUN-3] [RUN-5] With --json, a migration prints its result as one JSON object, and its progress on standard error', async ({
  onTestFinished,
}) => {
  const older = await makeOlderStore('sqlite');
  onTestFinished(() => older.remove());
  const { exitCode, stdout, stderr } = await runHere(older.env, 'migrate', '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    schemaVersion,
    migratedFrom: olderVersion,
    copy: `${databasePath(older.folder)}.before-${schemaVersion}`,
  });
  expect(stderr).toMatch(/^migrating the schema of the store.*\n.*migrated.*\n$/);
});
