/** Tests several readers of one user's statuses at once: nothing is lost between them or while statuses change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credentials } from '../harness/api-client.ts';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  acceptedOf,
  readAllUnread,
  recipient,
  type StatusItem,
  sendPath,
  singleStatusPath,
  statusPath,
  whenAllAre,
} from '../harness/messaging.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

/** Each message changes twice after its creation, sometimes while readers read. */
const provisioning = standardProvisioning.replace('receiptDelayMs: 20', 'receiptDelayMs: 150');

async function sendMany(client: ApiClient, count: number): Promise<readonly string[]> {
  const to = Array.from({ length: count }, (_, index) => recipient(index));
  return acceptedOf(await client.post(sendPath, { to, message: 'Hello' })).map(({ id }) => id);
}

/** Reads and marks until told that nothing more will change, and then until nothing is left. */
async function readWhile(
  client: ApiClient,
  page: number,
  changing: () => boolean,
): Promise<readonly StatusItem[]> {
  const read: StatusItem[] = [];
  for (;;) {
    const settled = !changing();
    const { status, body } = await client.get(statusPath, { N: page });
    expect(status).toBe(200);
    read.push(...body.statuses);
    if (settled && body.statuses.length === 0) return read;
  }
}

/** Runs readers while messages are sent and delivered, and checks that some reader got each message's final status. */
async function expectNothingLost(sender: ApiClient, readers: readonly ApiClient[]): Promise<void> {
  let changing = true;
  const reading = Promise.all(
    readers.map((reader, index) => readWhile(reader, 20 + 15 * index, () => changing)),
  );
  const ids: string[] = [];
  for (let round = 0; round < 6; round++) ids.push(...(await sendMany(sender, 60)));
  await whenAllAre(sender, ids, 'DELIVERED');
  changing = false;
  const read = (await reading).flat();
  const ended = new Set(read.filter(({ status }) => status === 'DELIVERED').map(({ id }) => id));
  expect(ended).toEqual(new Set(ids));
  expect(await readAllUnread(sender)).toEqual([]);
}

/** Tests with readers spread over the nodes. */
function readerTests(nodes: () => readonly WholeApp[]): void {
  const clients = (credentials: Credentials, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const node = nodes()[index % nodes().length] as WholeApp;
      return node.as(credentials);
    });

  test('[STAT-4] Each unread status comes to at least one of many concurrent readers', async () => {
    const [client, ...others] = clients(alice, 12) as [ApiClient, ...ApiClient[]];
    const ids = await sendMany(client, 600);
    await whenAllAre(client, ids, 'DELIVERED');
    const pages = await Promise.all([client, ...others].map((reader) => reader.get(statusPath, { N: 50 })));
    const read = pages.flatMap(({ body }) => body.statuses as StatusItem[]);
    expect(new Set(read.map(({ id }) => id))).toEqual(new Set(ids));
    expect(await readAllUnread(client)).toEqual([]);
  });

  test('[STAT-3] [STAT-4] Concurrent readers lose no change, however it falls between reading and marking', async () => {
    const [sender, ...readers] = clients(bob, 4) as [ApiClient, ...ApiClient[]];
    await expectNothingLost(sender, readers);
  });

  test('[STAT-4] [STAT-5] Concurrent readers of /status/single share the unread statuses', async () => {
    const [client, ...others] = clients(alice, 30) as [ApiClient, ...ApiClient[]];
    await readAllUnread(client);
    const ids = await sendMany(client, 20);
    await whenAllAre(client, ids, 'DELIVERED');
    const answers = await Promise.all([client, ...others].map((reader) => reader.post(singleStatusPath)));
    const found = answers.filter(({ status }) => status === 200).map(({ body }) => body.id as string);
    expect(new Set(found)).toEqual(new Set(ids));
    for (const { status } of answers) expect([200, 404]).toContain(status);
  });
}

describe('concurrent readers', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());
  readerTests(() => [app]);
});

describeTwoNodes('concurrent readers', provisioning, (nodes) => {
  readerTests(() => [nodes.first, nodes.second]);
});
