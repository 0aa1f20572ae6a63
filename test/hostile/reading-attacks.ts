/** Attacks with expensive queries and with batches. */
import { incomingPath, statusPath } from '../harness/messaging.ts';
import type { Attack } from './attack.ts';
import {
  batchPath,
  batchStatusPath,
  countPath,
  customers,
  fill,
  get,
  json,
  kib,
  linesPath,
  mib,
  numbers,
  post,
  tagsPath,
} from './forms.ts';
import { everybody, mallory } from './site.ts';

export const readings: readonly Attack[] = [
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
  customers(
    'a tag filter of many parts that all meet',
    () => get(contactCountPath, 'filter=f0%3Av0'),
    () => get(contactCountPath, `filter=${encodeURIComponent(everybody)}`),
  ),
];

const contactCountPath = '/api/v1/addressbooks/12/count';

const ids = (count: number) => Array.from({ length: count }, (_, index) => String(1_000_000_001 + index));
const conversations = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

export const batches: readonly Attack[] = [
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
