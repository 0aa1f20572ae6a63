/** A client's connection over a real socket, with the client's octets written by hand. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { encodePdu, type Pdu, type PduInput, PduReader } from '../wire/smpp/pdu.ts';
import { type ClientRequest, ClientSession } from './session.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Room {
  readonly session: ClientSession;
  readonly socket: Socket;
  /** What the client has got. */
  readonly heard: Pdu[];
  /** What the server was asked. */
  readonly asked: ClientRequest[];
  write(...pdus: readonly PduInput[]): void;
  isClosed(): boolean;
}

type Answer = (pdu: ClientRequest) => Promise<PduInput>;

const accepted: Answer = async ({ sequence }) => ({ command: 'submitSmResp', sequence, messageId: '1' });

/** A session that binds whatever asks. */
async function connected(answer: Answer = accepted): Promise<Room> {
  const asked: ClientRequest[] = [];
  let session: ClientSession | undefined;
  let closed = false;
  const server = createServer((socket) => {
    session = new ClientSession(socket, (own) => ({
      async bind() {
        own.setWindow(1_000);
        return 0;
      },
      admits: () => true,
      answer(pdu) {
        asked.push(pdu);
        return answer(pdu);
      },
      room: () => undefined,
      closed: () => {
        closed = true;
      },
    }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  ends.push(() => {
    socket.destroy();
    server.close();
  });
  const reader = new PduReader();
  const heard: Pdu[] = [];
  socket
    .on('error', () => undefined)
    .on('data', (octets) => {
      reader.push(octets as Buffer);
      for (let pdu = reader.next(); pdu !== undefined; pdu = reader.next())
        if ('command' in pdu) heard.push(pdu);
    });
  await until(() => session !== undefined);
  return {
    session: session as unknown as ClientSession,
    socket,
    heard,
    asked,
    write: (...pdus) => void socket.write(Buffer.concat(pdus.map((pdu) => encodePdu(pdu)))),
    isClosed: () => closed,
  };
}

async function bound(answer?: Answer): Promise<Room> {
  const room = await connected(answer);
  room.write({
    command: 'bindTransceiver',
    sequence: 1,
    interfaceVersion: 0x34,
    systemId: 'a',
    password: 'b',
  });
  await until(() => room.heard.length === 1);
  room.heard.length = 0;
  return room;
}

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
    const { write, heard, isClosed } = await connected();
    write(...many(1_000, () => pdu));
    await until(isClosed);
    expect(heard.length).toBeLessThanOrEqual(1);
  }
});

test('[ESME-4] A bound client that floods with what is refused is not read on', async () => {
  const replacing = await bound();
  replacing.write(
    ...many(100_000, (index) => ({ command: 'replaceSm' as const, sequence: index + 1, messageId: '1' })),
  );
  await until(() => replacing.heard.length >= 100);
  for (let turns = 0; turns < 100; turns++) await turn();
  expect(replacing.heard.length).toBeLessThan(20_000);

  const refusing = await bound(async ({ sequence }) => ({ command: 'submitSmResp', sequence, status: 0x01 }));
  refusing.write(...many(50, (index) => submission(index + 1, Buffer.alloc(60_000, '['))));
  await until(() => refusing.heard.length >= 2);
  for (let turns = 0; turns < 100; turns++) await turn();
  expect(refusing.asked.length).toBeLessThan(5);
  expect([replacing.isClosed(), refusing.isClosed()]).toEqual([false, false]);
});

test('[ESME-2] The response to an unbind comes after those to the submissions before it', async () => {
  let release: () => void = () => undefined;
  const stored = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { write, heard, isClosed } = await bound(async (pdu) => {
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
  const { session, write, heard } = await bound();
  const both = Promise.all([session.leave('first'), session.leave('second')]);
  await until(() => heard.length > 0);
  expect(heard).toMatchObject([{ command: 'unbind' }]);
  write({ command: 'unbindResp', sequence: heard[0]?.sequence ?? 0 });
  await both;
  expect(heard).toHaveLength(1);
});
