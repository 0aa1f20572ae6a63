import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { accepted, boundClient, connectedClient } from '../../test/harness/client-room.ts';
import type { PduInput } from '../wire/smpp/pdu.ts';

function submission(sequence: number, payload = Buffer.from('Hi')): PduInput {
  return { command: 'submitSm', sequence, destinationAddr: '46731234567', tlvs: { messagePayload: payload } };
}

const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

test('[ESME-4] A replace_sm or stray unbind_resp before the bind ends the connection, however many follow', async () => {
  for (const pdu of [
    { command: 'replaceSm', sequence: 1, messageId: '1' },
    { command: 'unbindResp', sequence: 1 },
  ] as const) {
    const { write, heard, isClosed } = await connectedClient();
    write(...many(1_000, () => pdu));
    await until(isClosed);
    expect(heard.length).toBeLessThanOrEqual(1);
  }
});

test('[ESME-4] A bound client that floods with what is refused is not read on', async () => {
  const replacing = await boundClient();
  replacing.write(
    ...many(100_000, (index) => ({ command: 'replaceSm' as const, sequence: index + 1, messageId: '1' })),
  );
  await until(() => replacing.heard.length >= 100);
  for (let turns = 0; turns < 100; turns++) await turn();
  expect(replacing.heard.length).toBeLessThan(20_000);

  const refusing = await boundClient(async ({ sequence }) => ({
    command: 'submitSmResp',
    sequence,
    status: 0x01,
  }));
  refusing.write(...many(50, (index) => submission(index + 1, Buffer.alloc(60_000, '['))));
  await until(() => refusing.heard.length >= 2);
  for (let turns = 0; turns < 100; turns++) await turn();
  expect(refusing.asked.length).toBeLessThan(25);
  expect([replacing.isClosed(), refusing.isClosed()]).toEqual([false, false]);
});

test('[ESME-2] The response to an unbind comes after those to the submissions before it', async () => {
  let release: () => void = () => undefined;
  const stored = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { write, heard, isClosed } = await boundClient(async (pdu) => {
    await stored;
    return accepted(pdu);
  });
  write(submission(2), { command: 'unbind', sequence: 3 }, submission(4));
  await until(() => heard.length === 1);
  release();
  await until(isClosed);
  await until(() => heard.length === 3);
  expect(heard).toMatchObject([
    { command: 'submitSmResp', sequence: 4, status: 0x08 },
    { command: 'submitSmResp', sequence: 2, status: 0 },
    { command: 'unbindResp', sequence: 3 },
  ]);
});

test('[ESME-1] A session that is told twice to leave unbinds once, and both learn of its end', async () => {
  const { session, write, heard } = await boundClient();
  const both = Promise.all([session.leave('first'), session.leave('second')]);
  await until(() => heard.length > 0);
  expect(heard).toMatchObject([{ command: 'unbind' }]);
  write({ command: 'unbindResp', sequence: heard[0]?.sequence ?? 0 });
  await both;
  expect(heard).toHaveLength(1);
});
