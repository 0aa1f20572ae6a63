/** Tests webhooks and system users in the provisioning file: reading, comparing, reporting and storing them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { named, provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listListenersAndReaders } from '../../test/harness/webhook-verbs.ts';
import { Sealing } from '../foundation/sealing.ts';
import { readNews } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { optionalJobEvents, placeOfSecret, subscribable } from '../webhooks/endpoint.ts';
import { markBegun } from '../webhooks/sending/begin-tracking.ts';
import { listActiveEndpoints } from '../webhooks/sending/sending-store.ts';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import { readPlan } from './file.ts';
import { readState } from './store.ts';

const secretOf = (sign: string) => `whsec_${Buffer.from(sign.repeat(32)).toString('base64')}`;

describe('webhooks in a provisioning file', () => {
  test('[RUN-3] [HOOK-1] Each fault in the webhooks of a provisioning file gets a line with its path and place', () => {
    const { faults } = readPlan(`companies:
  - name: Care
    webhooks:
      - { id: desk, url: "https://a.example", events: [message.status] }
      - { id: desk, url: "https://b.example", events: [] }
      - { id: x1, url: "ftp://a.example", events: [message.stat] }
      - { id: x2, url: "https://me:pw@a.example/", events: [webhook.test] }
      - { id: x3, url: "https://a.example/#x" }
      - { id: x4, url: "https://a.example/", events: [batch.status], secrets: [secret, ${secretOf('a')}] }
      - { id: x5, url: "https://a.example/", events: [], filter: { statuses: [SEEN], batch: "x", cost: a } }
      - { id: x6, url: "https://a.example/", events: [], text: some, batch: 1 }
      - { id: x7, url: "https://a.example/", events: [], secrets: [${secretOf('a')}, ${secretOf('b')}, ${secretOf('c')}] }
      - { id: x8, remove: true }
    systemUsers:
      - { username: jobs, callback: { type: GET } }
      - { username: jobs2, callback: { type: POST } }
      - { username: jobs3, callback: { type: POST, url: "nowhere", secret: whsec_short, events: [JOB_START] } }
      - { username: jobs4, id: 900, callback: { type: NONE, url: "https://a.example" } }
      - { username: jobs5, id: 900 }
`);
    expect(sortedFaults(faults).map(faultLine)).toEqual([
      'companies[0].webhooks[1].id (line 5, column 15): this webhook appears twice in the file, first at companies[0].webhooks[0]',
      'companies[0].webhooks[2].url (line 6, column 24): must be an https:// or http:// URL',
      `companies[0].webhooks[2].events[0] (line 6, column 52): must be one of ${subscribable.join(', ')}; did you mean message.status?`,
      'companies[0].webhooks[3].url (line 7, column 24): must not contain a user name or a password',
      `companies[0].webhooks[3].events[0] (line 7, column 61): must be one of ${subscribable.join(', ')}`,
      'companies[0].webhooks[4] (line 8, column 9): needs a key "events"',
      'companies[0].webhooks[4].url (line 8, column 24): must not have a part after #',
      'companies[0].webhooks[5].secrets[0] (line 9, column 80): must be whsec_ followed by 24 to 64 octets in base64, such as whsec_ in front of the output of: openssl rand -base64 32',
      'companies[0].webhooks[6].filter.statuses[0] (line 10, column 79): must be one of QUEUED, SENT, DELIVERED, DELETED, EXPIRED, REJECTED, UNDELIVERABLE, ACCEPTED, ABSENTSUBSCRIBER, UNKNOWNSUBSCRIBER, INVALIDDESTINATION, SUBSCRIBERERROR, UNKNOWN, ERROR, SCHEDULED, CANCELED',
      'companies[0].webhooks[6].filter.batch (line 10, column 93): must be the id of a batch',
      'companies[0].webhooks[6].filter.cost (line 10, column 98): unknown key; known keys: statuses, costCenter, conversationPrefix, batch',
      'companies[0].webhooks[7].text (line 11, column 64): must be one of full, none',
      'companies[0].webhooks[7].batch (line 11, column 77): must be true or false, not 1',
      'companies[0].webhooks[8].secrets (line 12, column 67): must have at most 2 items: the old secret and the new one',
      'companies[0].systemUsers[0].callback.type (line 15, column 45): must be one of NONE, POST',
      'companies[0].systemUsers[1].callback (line 16, column 38): needs a key "url" with the address to post to',
      'companies[0].systemUsers[2].callback.url (line 17, column 57): must be an https:// or http:// URL',
      'companies[0].systemUsers[2].callback.secret (line 17, column 76): must be whsec_ followed by 24 to 64 octets in base64, such as whsec_ in front of the output of: openssl rand -base64 32',
      `companies[0].systemUsers[2].callback.events[0] (line 17, column 98): must be one of ${optionalJobEvents.join(', ')}`,
      'companies[0].systemUsers[4].id (line 19, column 32): this id is already used by the system user at companies[0].systemUsers[3]',
    ]);
  });
});

eachStore('applying webhooks', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { apply, linesOf, faultsOf } = provisioningOf(() => store);
  const care = (inside: string) => `companies: [{ name: Care, ${inside} }]`;
  const stored = async () => {
    const { objects } = await store.read(readState, { companies: named('Care'), systemUsers: named('jobs') });
    return objects;
  };
  const listened = async () =>
    (await store.read(listListenersAndReaders, null)).listeners.map(({ company }) => company);

  test('[HOOK-1] A provisioning file makes, changes and removes webhooks, and the report shows no secret', async () => {
    const file = (more = '') =>
      care(`users: [{ username: alice }], webhooks: [
        { id: desk, url: "https://a.example/in", events: [message.status, batch.status], secrets: [${secretOf('a')}], user: alice,
          filter: { statuses: [DELIVERED, SENT], conversationPrefix: "w7-" } ${more} }]`);
    expect(await linesOf(file())).toEqual([
      '+ company Care',
      '+ user alice in Care: roles none',
      '+ webhook desk in Care: url https://a.example/in, events message.status batch.status, user alice, filter {"statuses":["SENT","DELIVERED"],"conversationPrefix":"w7-"}',
    ]);
    expect(await linesOf(file())).toEqual([]);
    const [desk] = (await stored()).webhooks;
    expect(desk).toMatchObject({ id: 'desk', user: 'alice', batch: false, text: 'none', active: true });
    const sealed = desk?.secrets[0] ?? '';
    expect(sealed).not.toContain(secretOf('a'));
    const place = placeOfSecret({ company: 'Care', name: 'desk' });
    expect(new Sealing('of a test').open(sealed, place)).toBe(secretOf('a'));
    expect(await linesOf(file(`, batch: true, text: full`).replace(secretOf('a'), secretOf('b')))).toEqual([
      '~ webhook desk in Care: secrets changed, batch false -> true, text none -> full',
    ]);
    expect(await linesOf(care('webhooks: [{ id: desk, remove: true }]'))).toEqual(['- webhook desk in Care']);
    expect((await stored()).webhooks).toEqual([]);
  });

  test('[HOOK-1] [RUN-3] A webhook setting that a provisioning file set and leaves out again gets its default', async () => {
    const desk = (more: string) =>
      care(`webhooks: [{ id: desk, url: "https://a.example", events: [message.status] ${more} }]`);
    await linesOf(desk(', batch: true, filter: { costCenter: "7" }'));
    expect(await linesOf(desk(', filter: { costCenter: "8" }'))).toEqual([
      '~ webhook desk in Care: batch true -> false, filter {"costCenter":"7"} -> {"costCenter":"8"}',
    ]);
    expect(await linesOf(desk(''))).toEqual(['~ webhook desk in Care: filter {"costCenter":"8"} -> none']);
  });

  test('[HOOK-1] A webhook without a secret or without TLS causes a warning, and one that refers to nobody is refused', async () => {
    const result = await apply(
      care('webhooks: [{ id: desk, url: "http://a.example", events: [message.status] }]'),
    );
    expect(result).toMatchObject({
      warnings: [
        expect.stringMatching(/webhooks\[0\]\.secrets .*: is empty/),
        expect.stringMatching(/webhooks\[0\]\.url .*: is not https/),
      ],
    });
    const hook = (id: string, more: string) => `{ id: ${id}, url: "https://a.example", events: [] ${more} }`;
    expect(await faultsOf(care(`webhooks: [${hook('x', ', user: bob')}]`))).toEqual([
      'companies[0].webhooks[0].user (line 1, column 92): the company Care has no user "bob"',
    ]);
    await linesOf(care(`users: [{ username: bob }], webhooks: [${hook('x', ', user: bob')}]`));
    expect(await faultsOf(care('users: [{ username: bob, remove: true }]'))).toEqual([
      'companies[0].users[0].remove (line 1, column 60): the webhook x reports the messages of bob; remove the webhook too, or change its "user"',
    ]);
    const filtered = (events: string, filter: string) =>
      faultsOf(
        care(`webhooks: [{ id: z, url: "https://a.example", events: [${events}], filter: { ${filter} } }]`),
      );
    expect(await filtered('batch.status', 'statuses: [SENT]')).toEqual([
      expect.stringMatching(
        /filter .*: has statuses, which apply only to message.status, but that is not among its events$/,
      ),
    ]);
    expect(await filtered('batch.status, job.start', 'costCenter: "7"')).toEqual([
      expect.stringMatching(
        /filter .*: has costCenter, which job.start events do not have: add a separate webhook for these$/,
      ),
    ]);
    const many = Array.from({ length: 21 }, (_, place) => hook(`y${place}`, ''));
    expect(await faultsOf(care(`webhooks: [${many.join(', ')}]`))).toEqual([
      expect.stringMatching(/: a company may have at most 20 webhooks; this one would have 23$/),
    ]);
  });

  test('[EVT-1] A provisioning file makes system users with their callbacks, and removes them with their company', async () => {
    const jobs = (callback: string) =>
      care(`systemUsers: [{ username: jobs, id: 900, callback: ${callback} }]`);
    const post = `{ type: POST, url: "https://a.example/job", secret: ${secretOf('a')}, events: [JOB_REPLY, JOB_WARNING] }`;
    expect(await linesOf(jobs(post))).toEqual([
      '+ company Care',
      '+ system user jobs in Care: id 900, callback https://a.example/job JOB_WARNING JOB_REPLY',
    ]);
    expect(await linesOf(jobs(post))).toEqual([]);
    expect(await linesOf(jobs(post.replace(secretOf('a'), secretOf('b'))))).toEqual([
      '~ system user jobs in Care: callbackSecret changed',
    ]);
    expect(await linesOf(jobs('{ type: NONE }'))).toEqual([
      '~ system user jobs in Care: callback https://a.example/job JOB_WARNING JOB_REPLY -> none, callbackSecret changed',
    ]);
    await linesOf(jobs(post));
    expect(await faultsOf('companies: [{ name: Taxi, systemUsers: [{ username: jobs }] }]')).toEqual([
      'companies[0].systemUsers[0].username (line 1, column 53): the system user jobs belongs to the company Care; their names are unique in the whole service',
    ]);
    expect(await linesOf('companies: [{ name: Care, remove: true }]')).toEqual([
      '- company Care',
      '- system user jobs in Care',
    ]);
    expect((await stored()).systemUsers).toEqual([]);
    expect(await faultsOf('companies: [{ name: Taxi, systemUsers: [{ username: jobs, id: 900 }] }]')).toEqual(
      [expect.stringContaining('this id belonged to a removed system user')],
    );
  });

  test('[HOOK-2] The journal listens to a company as long as it has an active webhook for events that it records', async () => {
    const desk = (more: string) =>
      care(`webhooks: [{ id: desk, url: "https://a.example", ${more} }], systemUsers: [{ username: jobs }]`);
    await linesOf(desk('events: [job.start]'));
    expect(await listened()).toEqual([]);
    const { readers } = await store.read(listListenersAndReaders, null);
    expect(readers).toMatchObject([{ name: 'webhooks' }]);
    await linesOf(desk('events: [job.start, message.incoming]'));
    expect(await listened()).toEqual(['Care']);
    const topics = (await store.read(readNews, null)).map(({ topic }) => topic);
    expect(topics).toEqual(expect.arrayContaining(['webhooks', 'listening']));
    await linesOf(desk('events: [job.start, message.incoming], active: false'));
    expect(await listened()).toEqual([]);
    await linesOf(desk('events: [job.start, message.incoming]'));
    await linesOf('companies: [{ name: Care, remove: true }]');
    expect(await store.read(listListenersAndReaders, null)).toEqual({ listeners: [], readers: [] });
  });

  test('[HOOK-2] New webhooks look for messages already under way, until one webhook of the company has done so', async () => {
    const webhooks = (...ids: readonly string[]) =>
      linesOf(
        care(
          `webhooks: [${ids.map((id) => `{ id: ${id}, url: "https://a.example", events: [message.status] }`).join(', ')}]`,
        ),
      );
    const begun = async () =>
      (await store.read(listActiveEndpoints, null)).map((row) => [row.name, row.begun]);
    await webhooks('first');
    await webhooks('first', 'second');
    expect(await begun()).toEqual([
      ['first', 0],
      ['second', 0],
    ]);
    const ids = (await store.read(listActiveEndpoints, null)).map(({ id }) => id);
    await store.write(markBegun, ids);
    await webhooks('first', 'second', 'third');
    expect(await begun()).toEqual([
      ['first', 1],
      ['second', 1],
      ['third', 1],
    ]);
  });
});
