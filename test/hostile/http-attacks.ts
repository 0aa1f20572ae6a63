/** Attacks of one call each: bodies, parameters, headers and URLs that are costly to read, and answers that are costly to make. */
import { incomingPath, keyPath, sendPath, singlePath, statusPath } from '../harness/messaging.ts';
import type { Attack, Strike } from './attack.ts';
import { bytesOf, call, type Request } from './raw-call.ts';
import { mallory, type Site } from './site.ts';

const batchPath = '/restsms/svcrest/batchsend/json';
const linesPath = '/restsms/svcrest/batchsend/list';
const batchStatusPath = '/restsms/svcrest/batchmessagestatus';
const countPath = '/restsms/svcrest/batchstatuscount';
const setPath = '/restsms/svcrest/emailtosms/set';
const savedJobsPath = '/dispatch/svcdispatch/startsavedjob';
const tagsPath = '/addressbook/svcaddressbook/listtags';
const wrongKey = 'bWFsbG9yeQ.1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const kib = 1_024;
const mib = 1_048_576;
/** As many bytes as a body may have, but for those around the value. */
const most = 10 * mib - 4 * kib;

const json = (fields: object) => JSON.stringify(fields);
const number = (index: number) => `4673${1_000_000 + index}`;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => number(index));

type Form = (site: Site) => Request;

const strike =
  (form: Form) =>
  (site: Site): Strike => {
    const bytes = bytesOf(form(site));
    return () => call(site.port, { bytes });
  };

const byKey =
  (form: Form): Form =>
  (site) => {
    const request = form(site);
    return { ...request, headers: { 'x-api-key': site.malloryKey, ...request.headers } };
  };

function customers(name: string, cheapest: Form, worst: Form): Attack {
  return { name, by: 'customer', cheapest: strike(byKey(cheapest)), worst: strike(byKey(worst)) };
}

function strangers(name: string, cheapest: Form, worst: Form): Attack {
  return { name, by: 'stranger', cheapest: strike(cheapest), worst: strike(worst) };
}

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}): Request => ({
  path,
  body,
  headers,
});
const get = (path: string, query: string): Request => ({ method: 'GET', path: `${path}?${query}` });

const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

const send = (fields: object) => json({ to: [number(1)], message: 'x', ...fields });

/** Repeated until it has so many bytes. */
const fill = (token: string, bytes: number) => token.repeat(Math.floor(bytes / Buffer.byteLength(token)));

const strangersBodies: readonly Attack[] = [
  strangers(
    'a body of nothing but opening brackets, no credentials',
    () => post(sendPath, fill('[', 64 * kib)),
    () => post(sendPath, fill('[', most)),
  ),
  strangers(
    'the same with a wrong key in the header',
    () => post(sendPath, fill('[', 64 * kib), { 'x-api-key': wrongKey }),
    () => post(sendPath, fill('[', most), { 'x-api-key': wrongKey }),
  ),
  strangers(
    'millions of small tokens, credentials in the body',
    () =>
      post(sendPath, `{"username":"nobody","password":"wrong wrong wrong","to":[${fill('1,', 60 * kib)}1]}`),
    () => post(sendPath, `{"username":"nobody","password":"wrong wrong wrong","to":[${fill('1,', most)}1]}`),
  ),
  strangers(
    'objects in objects, credentials in the body',
    () => post(sendPath, `{"username":"nobody","password":"wrong","a":${fill('{"":', 60 * kib)}`),
    () => post(sendPath, `{"username":"nobody","password":"wrong","a":${fill('{"":', most)}`),
  ),
  strangers(
    'a batch of brackets by nobody',
    () => post(batchPath, fill('[', 64 * kib)),
    () => post(batchPath, fill('[', 30 * mib)),
  ),
  strangers(
    'a header of 60 kB of what is no Base64',
    () => post(sendPath, '{}', { authorization: 'Basic =' }),
    () => post(sendPath, '{}', { authorization: `Basic ${fill('= ', 60_000)}` }),
  ),
  strangers(
    'a path and a query of 60 kB',
    () => get('/docs', 'a'),
    () => get(`/${fill('%2e/', 30_000)}`, fill('&%', 30_000)),
  ),
];

const customersBodies: readonly Attack[] = [
  customers(
    'brackets',
    () => post(sendPath, fill('[', 64 * kib)),
    () => post(sendPath, fill('[', most)),
  ),
  customers(
    'millions of small tokens in a parameter that nobody knows',
    () => post(sendPath, `{"unknown":[${fill('[],', 64 * kib)}[]]}`),
    () => post(sendPath, `{"unknown":[${fill('[],', most)}[]]}`),
  ),
  customers(
    'millions of names in one object',
    () =>
      post(
        sendPath,
        `{${numbers(2_000)
          .map((name) => `"${name}":1`)
          .join()}}`,
      ),
    () =>
      post(
        sendPath,
        `{${numbers(700_000)
          .map((name) => `"${name}":1`)
          .join()}}`,
      ),
  ),
  customers(
    'one escape after the other',
    () => post(sendPath, `{"message":"${fill('\\u0000', 64 * kib)}"}`),
    () => post(sendPath, `{"message":"${fill('\\ud83d', most)}"}`),
  ),
  customers(
    'a number of ten million digits',
    () => post(sendPath, `{"validminutes":${fill('9', 64 * kib)}}`),
    () => post(sendPath, `{"validminutes":${fill('9', most)}}`),
  ),
  customers(
    'JSON that ends too early',
    () => post(sendPath, `{"to":["${fill('a","', 64 * kib)}`),
    () => post(sendPath, `{"to":["${fill('a","', most)}`),
  ),
];

const parameters: readonly Attack[] = [
  customers(
    'scheduletime',
    () => post(sendPath, send({ scheduletime: fill('1', 60_000) })),
    () => post(sendPath, send({ scheduletime: fill('2030-01-01T00:00:00.', most) })),
  ),
  customers(
    'scheduletime of digits',
    () => post(sendPath, send({ scheduletime: `2030-01-01T00:00:00.${fill('0', 60_000)}` })),
    () => post(sendPath, send({ scheduletime: `2030-01-01T00:00:00.${fill('0', most)}` })),
  ),
  customers(
    'a tag filter of parts',
    () => post(sendPath, send({ toaddressbookcustomtagfilter: fill('a:b;', 60_000) })),
    () => post(sendPath, send({ toaddressbookcustomtagfilter: fill('a:b|;', most) })),
  ),
  customers(
    'a tag filter of values, each of which somebody has',
    () => post(sendPath, send({ toaddressbookcustomtagfilter: 'team:t1' })),
    () => post(sendPath, send({ toaddressbooktagfilterjson: manyParts(), toaddressbookgroups: [] })),
  ),
  customers(
    'a long text',
    () => post(sendPath, send({ message: fill('€', 60_000) })),
    () => post(sendPath, send({ message: fill('{Text:', most), replacecharacters: true })),
  ),
  customers(
    'labels that overlap, in a long text for many recipients',
    () => post(singlePath, json({ to: number(1), message: fill('a', 30_000), holder1: 'a', subst1: 'aa' })),
    () => post(sendPath, json({ message: fill('a', 30_000), tosubst: overlapping(2_000) })),
  ),
  customers(
    'recipients of every form, mobile ones only',
    () => post(sendPath, json({ to: numbers(100), message: 'x', checknumber: true })),
    () => post(sendPath, json({ to: numbers(10_000), message: fill('å€ ', 990), checknumber: true })),
  ),
  customers(
    'recipients that are none',
    () => post(sendPath, json({ to: [fill('(', 60_000)], message: 'x' })),
    () => post(sendPath, json({ to: Array(10_000).fill(fill('+-() .', 900)), message: 'x' })),
  ),
  customers(
    'a list of commas in a URL',
    () => get(sendPath, `T=${fill(',', 60_000)}&M=x`),
    () => get(sendPath, `T=${fill('%2C', 60_000)}&M=x`),
  ),
  customers(
    'texts and labels in a URL',
    () => get(sendPath, `TS=${fill('%2C,', 50_000)}&H=a&M=x`),
    () => get(sendPath, `TS=${fill('4673,a,', 40_000)}&H=${fill('a,', 20_000)}&M=x`),
  ),
  customers(
    'an Idempotency-Key and a request id of 60 kB',
    () => post(sendPath, send({}), { 'idempotency-key': fill('a', 30_000) }),
    () =>
      post(sendPath, send({}), { 'idempotency-key': fill('a ', 30_000), 'x-request-id': fill('a-', 30_000) }),
  ),
  customers(
    'a sender of e-mail with an endless address',
    () => post(setPath, json({ email: `${fill('a.', 60_000)}@mallory.example` })),
    () => post(setPath, json({ email: `${fill('"\\', most)}@mallory.example` })),
  ),
  customers(
    'many names of API keys',
    () => ({ ...get(keyPath, 'name=a'), headers: basic(mallory.username, mallory.password) }),
    () => ({
      ...get(keyPath, `name=${fill('%C3%A5', 60_000)}`),
      headers: basic(mallory.username, mallory.password),
    }),
  ),
  customers(
    'a saved job',
    () => post(savedJobsPath, json({ jobid: 1 })),
    () => post(savedJobsPath, json({ jobid: 1, tonumbers: numbers(700_000) })),
  ),
];

function manyParts() {
  return Array.from({ length: 200 }, () => ({
    tagtype: 'team',
    tagvalues: Array.from({ length: 50 }, (_, index) => `t${index}`),
  }));
}

function overlapping(count: number) {
  const labels = Array.from({ length: 20 }, (_, index) => ['a'.repeat(index + 1), 'a'.repeat(60)]);
  return numbers(count).map((to) => ({ to, subst: Object.fromEntries(labels) }));
}

const readings: readonly Attack[] = [
  customers(
    'statuses by id',
    ({ batchId }) => post(statusPath, json({ id: [batchId] })),
    () => post(statusPath, json({ id: ids(800_000) })),
  ),
  customers(
    'as many ids as may be asked for',
    () => post(statusPath, json({ id: ids(1_000), markasread: false })),
    () => post(statusPath, json({ id: ids(10_000) })),
  ),
  customers(
    'incoming SMS by id',
    () => post(incomingPath, json({ id: ids(10) })),
    () => post(incomingPath, json({ id: ids(10_000), getoriginal: true })),
  ),
  customers(
    'unread statuses',
    () => post(statusPath, json({ maxnum: 10_000, markasread: false })),
    () => post(statusPath, json({ maxnum: 10_000 })),
  ),
  customers(
    'one conversation of a batch',
    () => post(batchStatusPath, json({ messageconversations: ['none'] })),
    () => post(batchStatusPath, json({ messageconversations: ['c1'], markasread: true })),
  ),
  customers(
    'five hundred conversations',
    () => post(batchStatusPath, json({ messageconversations: conversations(500, 'none') })),
    () => post(batchStatusPath, json({ messageconversations: conversations(500, 'c') })),
  ),
  customers(
    'as many conversations as may be asked for',
    () => post(batchStatusPath, json({ messageconversations: conversations(10_000, 'none') })),
    () => post(batchStatusPath, json({ messageconversations: conversations(10_000, 'c'), markasread: true })),
  ),
  customers(
    'counts of a batch, and of a conversation that no batch has',
    ({ batchId }) => post(countPath, json({ batchid: batchId })),
    () => post(countPath, json({ batchconversation: 'none' })),
  ),
  customers(
    'all message ids of a batch',
    ({ batchId }) => post('/restsms/svcrest/batchinfo', json({ batchid: batchId })),
    ({ batchId }) => post('/restsms/svcrest/batchmessageid', json({ batchid: batchId })),
  ),
  customers(
    'the tags of a large book',
    () => post(tagsPath, json(mallory), { 'x-api-key': '' }),
    () => post(tagsPath, json({ ...mallory, addressbookid: 11 }), { 'x-api-key': '' }),
  ),
];

const ids = (count: number) => Array.from({ length: count }, (_, index) => String(1_000_000_001 + index));
const conversations = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

const batches: readonly Attack[] = [
  customers(
    'a batch of recipients that are none',
    () => post(batchPath, json({ message: 'x', batch: Array(1_000).fill({ t: 'nobody' }) })),
    () => post(batchPath, json({ message: 'x', batch: Array(400_000).fill({ t: fill('(', 30) }) })),
  ),
  customers(
    'a batch of long texts',
    () => post(batchPath, json({ batch: numbers(100).map((t) => ({ t, m: fill('€', 3_000) })) })),
    () => post(batchPath, json({ batch: numbers(1_000).map((t) => ({ t, m: fill('€', 60_000) })) })),
  ),
  customers(
    'a list of lines of percent signs',
    () => post(`${linesPath}?M8=x`, fill('%\n', 60_000)),
    () => post(`${linesPath}?M8=x`, fill('46731000001;%C3%A5%;;;\n', 30 * mib)),
  ),
  customers(
    'a batch in brackets',
    () => post(batchPath, `{"batch":${fill('[', 64 * kib)}`),
    () => post(batchPath, `{"batch":${fill('[', 30 * mib)}`),
  ),
];

export const httpAttacks: readonly Attack[] = [
  ...strangersBodies,
  ...customersBodies,
  ...parameters,
  ...readings,
  ...batches,
];
