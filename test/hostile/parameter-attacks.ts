/** Attacks through the value of one parameter, in a body or a URL. */
import { keyPath, sendPath, singlePath } from '../harness/messaging.ts';
import type { Attack } from './attack.ts';
import {
  basic,
  customers,
  fill,
  get,
  json,
  most,
  number,
  numbers,
  post,
  savedJobsPath,
  send,
  setPath,
} from './forms.ts';
import { everybody, mallory, type Site } from './site.ts';

const previewPath = '/api/v1/send/preview';

export const parameters: readonly Attack[] = [
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
    'recipients by a tag filter of many parts that all meet',
    (site) => byJobsKey(site, sendPath, 'f0:v0'),
    (site) => byJobsKey(site, sendPath, everybody),
  ),
  customers(
    'a preview of recipients by a tag filter of many parts that all meet',
    (site) => byJobsKey(site, previewPath, 'f0:v0'),
    (site) => byJobsKey(site, previewPath, everybody),
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
    () => post(sendPath, json({ to: numbers(10_000), message: fill('å€ ', 400), checknumber: true })),
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

/** Called by the user whose own book has the tags. */
function byJobsKey({ jobsKey }: Site, path: string, toaddressbookcustomtagfilter: string) {
  const headers = { 'x-api-key': jobsKey, 'content-type': 'application/json' };
  return post(path, json({ message: 'x', toaddressbookcustomtagfilter }), headers);
}

function overlapping(count: number) {
  const labels = Array.from({ length: 20 }, (_, index) => ['a'.repeat(index + 1), 'a'.repeat(60)]);
  return numbers(count).map((to) => ({ to, subst: Object.fromEntries(labels) }));
}
