/**
 * Tests the calls by which administrators make types of saved jobs, and the system users who own jobs and are told of their
 * runs: what is in use stays, another company's is unknown, and a callback arrives.
 */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, ifMatch } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { jobsProvisioning, phoneOf } from '../harness/jobs.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

const per = { username: 'per', password: "per's long password" };
const rival = { username: 'rival', password: "rival's long password" };
const types = '/api/v1/jobtypes';
const owners = '/api/v1/systemusers';
const jobs = '/api/v1/savedjobs';
const recipients = { numbers: [phoneOf(20)] };
const secret = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`;

const provisioning = `${jobsProvisioning({
  types: ['{ name: Fast, generic: GMA, reserve: 2, helpText: "Say YES" }'],
  jobs: ['{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Come?" }'],
}).replace(
  '    users:\n',
  `    users:
      - { username: per, password: "per's long password", roles: [send, jobs, companyAdmin], defaultAddressBook: Staff }
`,
)}`.replace(
  'carriers:',
  `  - name: Rivals
    users: [{ username: rival, password: "rival's long password", roles: [companyAdmin] }]
    systemUsers: [{ username: their-jobs }]
carriers:`,
);

eachEngine('owners and types of saved jobs', (engine) => {
  let app: WholeApp;
  let receiver: Receiver;
  let client: ApiClient;
  beforeAll(async () => {
    receiver = await startReceiver();
    const env = { CARILLON_CALLBACK_ALLOW: '127.0.0.0/8' };
    app = await startWholeApp({ engine, provisioning, env });
    client = app.as(per);
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
  });

  const idOf = async (username: string) =>
    (await client.get('/api/v1/users', { name: username })).body.users[0].id as string;
  const callback = (path: string, more: object = {}) => ({
    callback: { type: 'POST', url: `${receiver.url}/${path}`, ...more },
  });
  const posted = (path: string) => receiver.received.filter((one) => one.url === `/hook/${path}`);

  test('[PORT-9] [EVT-1] A system user made by a call owns a job, whose events are posted and signed with the secret that was shown once', async () => {
    const made = await client.post(owners, {
      name: 'ward-jobs',
      ...callback('ward', { events: ['JOB_REPLY'] }),
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'ward-jobs',
        managed: false,
        callback: { type: 'POST', events: ['JOB_REPLY'], isSigned: true },
      },
    });
    const { secret: first } = made.body;
    expect(first).toMatch(/^whsec_/);
    const shown = (await client.get(`${owners}/ward-jobs`)).body;
    expect(shown).not.toHaveProperty('secret');
    const own = { name: 'Ward', type: 'Call', owner: 'ward-jobs', message: 'Come?', recipients };
    const { id } = (await client.post(jobs, own)).body;
    const mine = await client.patch(`/api/v1/users/${await idOf('per')}`, { systemUser: 'ward-jobs' });
    expect(mine.body).toMatchObject({ systemUser: 'ward-jobs' });
    const start = async () => {
      expect((await client.post(`/api/v1/jobs/${id}/start`, {})).status).toBe(201);
    };
    await start();
    await until(() => posted('ward').length > 0);
    const [post] = posted('ward');
    const event = JSON.parse(post?.body ?? '');
    expect(event).toMatchObject({ eventtype: 'JOB_START', userid: Number(shown.userId) });
    expect(() =>
      new Webhook(first).verify(post?.body ?? '', post?.headers as Record<string, string>),
    ).not.toThrow();

    const rotated = await client.post(`/api/v1/webhooks/${shown.callback.webhookId}/rotate`, {});
    expect(rotated.body.secret).toMatch(/^whsec_/);
    expect(rotated.body.secret).not.toBe(first);
    const moved = await client.patch(`${owners}/ward-jobs`, callback('moved'), ifMatch(undefined));
    expect(moved.body).toMatchObject({ callback: { events: [] } });
    expect(moved.body).not.toHaveProperty('secret');
    // The node that posts learns of the change within a second.
    await until(async () => {
      await client.post(`/api/v1/webhooks/${shown.callback.webhookId}/test`);
      return posted('moved').length > 0;
    });
    const [later] = posted('moved');
    for (const one of [first, rotated.body.secret])
      expect(() =>
        new Webhook(one).verify(later?.body ?? '', later?.headers as Record<string, string>),
      ).not.toThrow();
  });

  test('[PORT-9] A callback changes with its system user alone, gets a secret when it first posts, and takes a secret that is given', async () => {
    const made = await client.post(owners, { name: 'quiet-jobs' });
    expect(made.body).toMatchObject({ callback: { type: 'NONE', events: [], isSigned: false } });
    expect(made.body).not.toHaveProperty('secret');
    const { version } = made.body;
    const on = await client.patch(`${owners}/quiet-jobs`, callback('quiet'), ifMatch(version));
    expect(on.body).toMatchObject({ secret: expect.stringMatching(/^whsec_/), callback: { isSigned: true } });
    expect((await client.patch(`${owners}/quiet-jobs`, callback('late'), ifMatch(version))).status).toBe(412);
    const given = await client.patch(`${owners}/quiet-jobs`, callback('quiet', { secret }));
    expect(given.body).not.toHaveProperty('secret');
    expect(given.body.version).not.toBe(on.body.version);
    const own = await client.post(owners, { name: 'own-secret', ...callback('own', { secret }) });
    expect(own).toMatchObject({ status: 201, body: { callback: { isSigned: true } } });
    expect(own.text).not.toContain('whsec_');
    const webhook = `/api/v1/webhooks/${given.body.callback.webhookId}`;
    expect((await client.get(webhook)).body).toMatchObject({ kind: 'callback', managed: false, secrets: 1 });
    const refused = { status: 409, body: { code: 'of_system_user' } };
    expect(await client.patch(webhook, { batch: true })).toMatchObject(refused);
    expect(await client.request('DELETE', webhook)).toMatchObject(refused);
    const off = await client.patch(`${owners}/quiet-jobs`, { callback: { type: 'NONE' } });
    expect(off.body).toMatchObject({ callback: { type: 'NONE', isSigned: false } });
    expect((await client.get(webhook)).status).toBe(404);
    expect((await client.request('DELETE', `${owners}/quiet-jobs`)).status).toBe(200);
  });

  test('[PORT-9] [EVT-1] Of several first callbacks at once, one is stored, and only its secret is shown', async () => {
    await client.post(owners, { name: 'hasty-jobs' });
    const hasty = `${owners}/hasty-jobs`;
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((path) => client.patch(hasty, callback(path), ifMatch(undefined))),
    );
    const shown = answers.filter(({ body }) => body.secret !== undefined);
    // A call that comes after the first was stored changes the address, and keeps the secret.
    expect([shown.length, answers.every(({ status }) => status === 200 || status === 412)]).toEqual([
      1,
      true,
    ]);
    expect((await client.get(hasty)).body.callback).toMatchObject({ type: 'POST', isSigned: true });
  });

  test('[PORT-9] [EVT-3] Addresses inside a network, wrong secrets and half a callback are refused', async () => {
    const refusal = async (given: object) => {
      const { status, body } = await client.post(owners, { name: 'wrong-jobs', callback: given });
      return [status, body.errors?.[0]?.field];
    };
    const url = `${receiver.url}/x`;
    expect(await refusal({ type: 'POST', url: 'http://10.0.0.1/' })).toEqual([400, 'callback.url']);
    expect(await refusal({ type: 'POST', url: 'ftp://receiver.example/' })).toEqual([400, 'callback.url']);
    expect(await refusal({ type: 'POST' })).toEqual([400, 'callback.url']);
    expect(await refusal({ type: 'POST', url, secret: 'mine' })).toEqual([400, 'callback.secret']);
    expect(await refusal({ type: 'POST', url, events: ['JOB_START'] })).toEqual([400, 'callback.events']);
    expect((await client.patch(`${owners}/other-jobs`, { callback: { type: 'NONE' } })).body.code).toBe(
      'managed',
    );
    const taken = await client.post(owners, { name: 'their-jobs' });
    expect(taken).toMatchObject({ status: 409, body: { code: 'name_taken' } });
    const { body: key } = await client.get('/authentication/auth/apikey', { name: 'stolen' });
    const byKey = await app.as({ key: String(key) }).post(owners, { name: 'key-jobs' });
    expect(byKey.status).toBe(401);
  });

  test('[PORT-9] What saved jobs or users still need is not removed, and the answer says what needs it', async () => {
    await client.post(owners, { name: 'used-jobs' });
    await client.post(types, { name: 'Used', generic: 'GMM' });
    const own = { name: 'Last', type: 'Used', owner: 'used-jobs', message: 'Come?', recipients };
    const { id } = (await client.post(jobs, own)).body;
    const bob = `/api/v1/users/${await idOf('bob')}`;
    const refused = async (written: ReturnType<ApiClient['post']>, said: string) =>
      expect(await written).toMatchObject({
        status: 409,
        body: { code: 'in_use', error: expect.stringContaining(said) },
      });
    const remove = (path: string) => client.request('DELETE', path);
    await refused(remove(`${types}/Used`), `${id} Last`);
    await refused(client.patch(`${types}/Used`, { generic: 'GMA' }), `${id} Last`);
    await refused(client.patch(`${types}/Used`, { rename: 'Useful' }), `${id} Last`);
    await refused(remove(`${owners}/used-jobs`), `${id} Last`);
    await client.patch(`${jobs}/${id}`, { owner: 'nordic-jobs', type: 'Call' });
    expect((await client.patch(`${types}/Used`, { generic: 'GMA', rename: 'Useful' })).body).toMatchObject({
      name: 'Useful',
      generic: 'GMA',
    });
    expect((await remove(`${types}/Useful`)).status).toBe(200);
    await client.patch(bob, { systemUser: 'used-jobs' });
    await refused(remove(`${owners}/used-jobs`), 'bob');
    const { version, systemUser } = (await client.patch(bob, { systemUser: '' })).body;
    expect(systemUser).toBeUndefined();
    const late = await client.patch(bob, { partsPerDay: 5 }, ifMatch(version));
    expect(late.body).not.toHaveProperty('systemUser');
    expect((await remove(`${owners}/used-jobs`)).status).toBe(200);
  });

  test('[PORT-9] [JOB-2] A type has every setting of a file, takes the place of a built-in one, and gives it back', async () => {
    const settings = {
      language: 'sv',
      expiryMinutes: 45,
      warningMinutes: 30,
      reminderMinutes: 5,
      globalTagFilter: 'status : active',
      yes: ['JA'],
      no: ['NEJ'],
      digits: true,
      openEarly: false,
      wave: 2,
      waveMinutes: 3,
      reserve: 2,
      tellUnneeded: false,
      poolExhausted: 'refuse',
      category: 'essential',
      helpText: 'Svara {yes} eller {no}.',
    };
    const made = await client.post(types, { name: 'QuickAssign', generic: 'GMA', ...settings });
    const kept = { ...settings, globalTagFilter: 'status:active' };
    expect(made).toMatchObject({ status: 201, body: { generic: 'GMA', ...kept } });
    const listed = (await client.get(types)).body.types as readonly { name: string; builtIn: boolean }[];
    expect(listed.filter(({ builtIn }) => builtIn).map(({ name }) => name)).toEqual([
      'MonitoredMessage',
      'GroundHandling',
    ]);
    const quick = `${types}/QuickAssign`;
    const cleared = { warningMinutes: '', yes: [], digits: null, helpText: '', expiryMinutes: '' };
    const changed = (await client.patch(quick, cleared)).body;
    expect(changed).toMatchObject({ expiryMinutes: 60, digits: false, no: ['NEJ'] });
    for (const name of ['warningMinutes', 'yes', 'helpText']) expect(changed).not.toHaveProperty(name);
    const own = { name: 'Quick', type: 'QuickAssign', owner: 'nordic-jobs', message: 'Come?' };
    const { id } = (
      await client.post(jobs, { ...own, tasks: [{ tagType: 'role', tagValue: 'nurse', goal: 1 }] })
    ).body;
    expect((await client.patch(quick, { generic: 'GMM' })).body.code).toBe('in_use');
    expect((await client.request('DELETE', quick)).status).toBe(200);
    expect((await client.get(`${jobs}/${id}`)).body).toMatchObject({ type: 'QuickAssign' });
    const other = await client.post(types, { name: 'QuickAssign', generic: 'GMM' });
    expect(other.body.code).toBe('in_use');
    await client.request('DELETE', `${jobs}/${id}`);
  });

  test('[PORT-4] [PORT-9] A built-in type that is replaced between two pages of the list has one place in it, and no other is repeated', async () => {
    const first = (await client.get(types, { limit: 2 })).body;
    for (const name of ['MonitoredMessage', 'Another']) await client.post(types, { name, generic: 'GMM' });
    const listed = [...first.types];
    for (let { next } = first; next !== undefined; ) {
      const { body } = await client.get(types, { limit: 1, after: next });
      listed.push(...body.types);
      ({ next } = body);
    }
    const again = (await client.get(types)).body.types;
    for (const name of ['MonitoredMessage', 'Another']) await client.request('DELETE', `${types}/${name}`);
    const named = ({ name, builtIn }: { readonly name: string; readonly builtIn: boolean }) => [
      name,
      builtIn,
    ];
    expect(listed.slice(0, 3).map(named)).toEqual([
      ['QuickAssign', true],
      ['MonitoredMessage', true],
      ['GroundHandling', true],
    ]);
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
    expect(again.slice(0, 3).map(named)).toEqual([
      ['QuickAssign', true],
      ['MonitoredMessage', false],
      ['GroundHandling', true],
    ]);
    expect(again.map(({ name }: { readonly name: string }) => name)).toEqual(listed.map(({ name }) => name));
  });

  test('[PORT-6] What a file sets of a type or a user is refused by name, and the rest can be changed', async () => {
    const fast = `${types}/Fast`;
    expect((await client.get(fast)).body).toMatchObject({
      managed: true,
      managedKeys: ['generic', 'helpText', 'reserve'],
    });
    for (const given of [{ reserve: 3 }, { helpText: '' }, { rename: 'Faster' }])
      expect((await client.patch(fast, given)).body.code).toBe('managed');
    expect((await client.request('DELETE', fast)).body.code).toBe('managed');
    expect((await client.patch(fast, { expiryMinutes: 20 })).body).toMatchObject({
      expiryMinutes: 20,
      reserve: 2,
    });
    const alice = `/api/v1/users/${await idOf('alice')}`;
    expect((await client.get(alice)).body).toMatchObject({ systemUser: 'nordic-jobs' });
    expect((await client.patch(alice, { systemUser: 'other-jobs' })).body.code).toBe('managed');
  });

  test('[PORT-9] [PORT-3] A user starts the jobs of a system user of the own company only', async () => {
    const bob = `/api/v1/users/${await idOf('bob')}`;
    for (const name of ['their-jobs', 'nobody'])
      expect(await client.patch(bob, { systemUser: name })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'systemUser' }] },
      });
    const made = await client.post('/api/v1/users', {
      name: 'new user',
      roles: ['jobs'],
      systemUser: 'other-jobs',
    });
    expect(made.body).toMatchObject({ systemUser: 'other-jobs' });
    const unlike = await client.post('/api/v1/users', { name: 'other user', roles: ['send'] });
    expect(unlike.body).not.toHaveProperty('systemUser');
    expect((await app.as(rival).get(`${owners}/nordic-jobs`)).status).toBe(404);
    expect((await app.as(rival).get(`${types}/Fast`)).status).toBe(404);
  });
});
