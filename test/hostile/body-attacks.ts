/** Attacks with bodies that are expensive to read before their meaning is known. */
import { sendPath } from '../harness/messaging.ts';
import type { Attack } from './attack.ts';
import {
  batchPath,
  customers,
  fill,
  get,
  kib,
  mib,
  most,
  numbers,
  post,
  strangers,
  wrongKey,
} from './forms.ts';

export const unauthenticatedBodies: readonly Attack[] = [
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

export const customersBodies: readonly Attack[] = [
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
