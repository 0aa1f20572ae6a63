/**
 * Tests what is the same for every noun of the API whose objects are listed, created, changed and removed one at a time, using
 * the documented examples. A noun is tested as soon as it is declared, without its own line here. A noun that provisioning
 * files manage has an object in the file below: a company's resource is written from its example, any other has a line.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import type { Method } from '../../src/http/endpoints/endpoint.ts';
import { type ApiClient, ifMatch } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { beginSession, ownPage } from '../harness/browser-session.ts';
import { managedResources } from '../harness/company-resources.ts';
import { eachEngine } from '../harness/engines.ts';

const user = (username: string, roles: string) =>
  `{ username: ${username}, password: "${username}'s long password", roles: [${roles}], addressBooks: [Staff] }`;

const provisioning = `
companies:
  - name: Demo
    allowedDomainEndings: [.example]
    addressBooks:
      - id: 11
        name: Staff
        contacts: [{ id: 9001, name: Anna, phone: "+46701740620" }]
        savedTagFilters: { nurses: "role:nurse" }
        groups: { board: [{ contact: 9001 }] }
    emailSenders: [{ email: "@wards.example", payinguser: demo, sender: Wards }]
${managedResources}
    webhooks: [{ id: desk, url: "https://receiver.example/", events: [message.status], active: false }]
    systemUsers: [{ username: demo-jobs, callback: { type: NONE } }]
    alertReceivers: [{ name: ops, source: alertmanager, user: demo, send: { numbers: ["46701740620"] } }]
    jobTypes: [{ name: Demo call, generic: GMM, expiryMinutes: 30 }]
    savedJobs: [{ id: 71, owner: demo-jobs, name: Night alarm, type: QuickAssign, message: "Can you come?", tasks: [{ tagType: role, tagValue: nurse, goal: 1 }] }]
    users: [${user('demo', 'send, companyAdmin, jobs')}, ${user('nobody', '')}]
  - name: Other
    allowedDomainEndings: [.example]
    users: [{ username: rival, password: "rival's long password", roles: [send, companyAdmin] }]
`;

type Json = Readonly<Record<string, unknown>>;

const at = (method: Method, path: string) =>
  allEndpoints.find((one) => one.path === path && (one.methods as readonly Method[]).includes(method));
const propertiesOf = (answer: object) =>
  (answer as { readonly properties?: Readonly<Record<string, object>> }).properties ?? {};

/** Only the fields that these tests use. */
interface AuditAnswer {
  readonly properties: {
    readonly entries: {
      readonly items: { readonly properties: { readonly act: { readonly enum: string[] } } };
    };
  };
}
const audit = at('GET', '/api/v1/audit')?.answer as unknown as AuditAnswer | undefined;
const documentedActs = audit?.properties.entries.items.properties.act.enum;

/** The nouns, each with its calls. */
const nouns = allEndpoints.flatMap((create) => {
  const { creates: key = '', example } = create;
  const item = `${create.path}/{${key}}`;
  const [list, get, change, remove] = [
    at('GET', create.path),
    at('GET', item),
    at('PATCH', item),
    at('DELETE', item),
  ];
  if (list === undefined || get === undefined || change === undefined) return [];
  const path = create.path.replace(/\{(\w+)\}/g, (_, name: string) => String(example?.url?.[name]));
  const [plural = ''] = Object.keys(propertiesOf(list.answer)).filter((name) => name !== 'next');
  return {
    noun: plural,
    template: create.path,
    key,
    path,
    making: (example?.json ?? {}) as Json,
    changing: (change.example?.json ?? {}) as Json,
    hasVersion: change.takesVersion === true,
    hasManaged: 'managed' in propertiesOf(get.answer),
    canGo: remove !== undefined,
  };
});

/** Opt-outs are never changed, and are removed only with a reason, so test/api/opt-outs.test.ts tests them. */
const testedElsewhere = ['/api/v1/optouts'];

test('[PORT-4] Every kind of object that calls make and then change or remove is covered by the tests of objects', () => {
  const changeable = allEndpoints.flatMap(({ path, creates }) => {
    const item = `${path}/{${creates}}`;
    return creates !== undefined && (at('PATCH', item) ?? at('DELETE', item)) !== undefined ? [path] : [];
  });
  const covered = [...nouns.map(({ template }) => template), ...testedElsewhere];
  expect(covered.sort()).toEqual(changeable.sort());
});

/** Resolves once the stream of hints is open; the returned function counts the hints so far for a list. */
async function followHints(app: WholeApp, signal: AbortSignal): Promise<(list: string) => number> {
  const { cookie } = await beginSession(app, { username: 'demo', password: "demo's long password" });
  const headers = { ...ownPage, cookie };
  const { body } = await fetch(`${app.baseUrl}/portal/api/hints`, { headers, signal });
  let text = '';
  const reading = body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(chunk) {
        text += chunk;
      },
    }),
  );
  reading?.catch(() => {});
  await until(() => text.includes(': open'));
  return (list) => text.split(`"topic":"${list}"`).length - 1;
}

eachEngine('by the management API', (engine) => {
  let app: WholeApp;
  let hintsOf: (list: string) => number;
  const page = new AbortController();
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
    hintsOf = await followHints(app, page.signal);
  });
  afterAll(() => {
    page.abort();
    return app?.close();
  });

  const as = (username: string) => app.as({ username, password: `${username}'s long password` });
  const lately = async (): Promise<readonly Json[]> =>
    (await as('demo').get('/api/v1/audit', { limit: 20 })).body.entries;

  describe.each(nouns)('$noun', (of) => {
    const { noun, template, key, path, making, changing, hasVersion, hasManaged, canGo } = of;
    let made = 0;
    /** An object whose key differs from all earlier keys. */
    const another = (): Json => {
      made += 1;
      const vary = ([name, value]: [string, unknown]) => {
        if (name === 'phone') return [name, `467017406${made + 30}`] as const;
        return [name, name === key || name === 'name' ? `t${made}${value}` : value] as const;
      };
      return Object.fromEntries(Object.entries(making).map(vary));
    };
    async function make() {
      const { status, body, headers, text } = await as('demo').post(path, another());
      expect(status, text).toBe(201);
      const { [key]: id = '', version } = body as Readonly<Record<string, string>>;
      return { at: headers.get('location') ?? '', version, id, body: body as Json };
    }
    const remove = (client: ApiClient, target: string, version?: string) =>
      client.request('DELETE', target, { headers: ifMatch(version) });
    const keysOf = async (query: Readonly<Record<string, string | number>>) => {
      const { body } = await as('demo').get(path, query);
      return { keys: body[noun].map((one: Json) => one[key]) as string[], next: body.next as string };
    };

    test('[PORT-4] A new object is found at its own path and in its list until it is removed', async () => {
      const { at, id, version } = await make();
      expect(at).toBe(`${path}/${encodeURIComponent(id)}`);
      const read = await as('demo').get(at);
      expect(read).toMatchObject({ status: 200, body: { [key]: id } });
      expect(read.headers.get('etag')).toBe(hasVersion ? `"${version}"` : null);
      expect((await keysOf({ limit: 200 })).keys).toContain(id);
      if (!canGo) return;
      expect((await remove(as('demo'), at)).status).toBe(200);
      expect((await keysOf({ limit: 200 })).keys).not.toContain(id);
      for (const gone of [
        await as('demo').get(at),
        await as('demo').patch(at, changing),
        await remove(as('demo'), at),
      ])
        expect(gone).toMatchObject({ status: 404, body: { code: 'not_found' } });
    });

    test('[PORT-4] A list of objects comes in pages, with each object once and in one order', async () => {
      for (const _ of [1, 2]) await make();
      const { keys: all } = await keysOf({ limit: 200 });
      const inPages: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const { keys, next } = await keysOf(after === '' ? { limit: 1 } : { limit: 1, after });
        expect(keys.length).toBe(1);
        inPages.push(...keys);
        after = next;
      }
      expect(inPages).toEqual(all);
      expect(new Set(all).size).toBe(all.length);
    });

    test.runIf(hasVersion)(
      '[PORT-4] Of two concurrent changes to an object, the second is refused and nothing is lost',
      async () => {
        const { at, version } = await make();
        const first = await as('demo').patch(at, changing, ifMatch(version));
        expect(first.status, first.text).toBe(200);
        expect(first.body.version).not.toBe(version);
        expect(first.headers.get('etag')).toBe(`"${first.body.version}"`);
        const late = { status: 412, body: { code: 'changed_meanwhile' } };
        expect(await as('demo').patch(at, changing, ifMatch(version))).toMatchObject(late);
        if (canGo) expect(await remove(as('demo'), at, version)).toMatchObject(late);
        expect((await as('demo').get(at)).body).toMatchObject(first.body);
        if (canGo) expect((await remove(as('demo'), at, first.body.version)).status).toBe(200);
      },
    );

    test('[PORT-7] Each change of an object leaves one entry in the audit log, and a change that alters nothing leaves no entry', async () => {
      const [last] = await lately();
      const { at, body } = await make();
      await as('demo').patch(at, changing);
      await as('demo').patch(at, changing);
      if (canGo) await remove(as('demo'), at);
      const entries = await lately();
      const known = entries.findIndex((entry) => entry.id === last?.id);
      const since = known === -1 ? entries : entries.slice(0, known);
      expect(since.length).toBe(canGo ? 3 : 2);
      for (const entry of since) {
        expect(entry).toMatchObject({ username: 'demo', channel: 'api' });
        expect(documentedActs).toContain(entry.act);
        // The audit entry names the object as people know it: by an id, a name or both.
        expect([...Object.values(body), `${body.id} ${body.name}`]).toContain(entry.object);
      }
    });

    test('[PORT-4] Making, changing or removing an object sends a hint to open pages of its company', async () => {
      // For /api/v1/email/senders and /api/v1/addressbooks/{book}/groups this gives emailsenders and groups.
      const list = (template.split(/v1|\}/).at(-1) ?? '').replaceAll('/', '');
      async function hinted<Answer>(act: () => Promise<Answer>): Promise<Answer> {
        const before = hintsOf(list);
        const answer = await act();
        await until(() => hintsOf(list) > before);
        return answer;
      }
      const { at } = await hinted(make);
      expect((await hinted(() => as('demo').patch(at, changing))).status).toBe(200);
      if (canGo) expect((await hinted(() => remove(as('demo'), at))).status).toBe(200);
    });

    test.runIf(hasManaged)(
      '[PORT-6] An object that a provisioning file manages is shown as managed, and calls cannot change or remove it',
      async () => {
        const managed = (await as('demo').get(path, { limit: 200 })).body[noun].filter(
          (one: Json) => one.managed === true,
        );
        // The file above has an object of each noun that files manage.
        expect(managed).not.toEqual([]);
        const target = `${path}/${encodeURIComponent(managed.at(-1)[key])}`;
        const refused = { status: 409, body: { code: 'managed' } };
        const { managedKeys } = (await as('demo').get(target)).body;
        // For some nouns, calls may change what the file does not set.
        const ofFile = Object.entries({ ...making, ...changing }).filter(([name]) =>
          managedKeys?.includes(name),
        );
        const change = managedKeys === undefined ? changing : Object.fromEntries(ofFile);
        expect(await as('demo').patch(target, change)).toMatchObject(refused);
        if (canGo) expect(await remove(as('demo'), target)).toMatchObject(refused);
        const { at } = await make();
        expect((await as('demo').get(at)).body.managed).toBe(false);
      },
    );

    test('[PORT-3] Another company cannot find an object, and a user without a role cannot change it', async () => {
      const { at, id } = await make();
      for (const name of ['rival', 'nobody']) {
        if (name === 'rival') expect((await as(name).get(at)).status).toBe(404);
        const writes = [await as(name).patch(at, changing), ...(canGo ? [await remove(as(name), at)] : [])];
        for (const { status } of writes) expect([403, 404]).toContain(status);
      }
      const { body } = await as('rival').get(path);
      expect((body[noun] ?? []).map((one: Json) => one[key])).not.toContain(id);
      expect((await as('demo').get(at)).status).toBe(200);
    });

    test('[CONV-7] An unknown field of an object is refused, and nothing is done', async () => {
      const unknown = { status: 400, body: { code: 'unknown_parameter' } };
      const before = await keysOf({ limit: 200 });
      expect(await as('demo').post(path, { ...another(), colour: 'red' })).toMatchObject(unknown);
      expect(await keysOf({ limit: 200 })).toEqual(before);
      const { at } = await make();
      expect(await as('demo').patch(at, { ...changing, colour: 'red' })).toMatchObject(unknown);
    });
  });
});
