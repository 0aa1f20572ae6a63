/** A client's connection over a real socket, with the client's octets written by hand. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach } from 'vitest';
import { type ClientRequest, ClientSession } from '../../src/esme/session.ts';
import { encodePdu, type Pdu, type PduInput, PduReader } from '../../src/wire/smpp/pdu.ts';
import { until } from './awake.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

export interface ClientRoom {
  readonly session: ClientSession;
  /** What the client has got. */
  readonly heard: Pdu[];
  /** What the server was asked. */
  readonly asked: ClientRequest[];
  write(...pdus: readonly PduInput[]): void;
  isClosed(): boolean;
}

type Answer = (pdu: ClientRequest) => Promise<PduInput>;

export const accepted: Answer = async ({ sequence }) => ({
  command: 'submitSmResp',
  sequence,
  messageId: '1',
});

/** A session that binds whatever asks. */
export async function connectedClient(answer: Answer = accepted): Promise<ClientRoom> {
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
      refused: () => undefined,
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
    heard,
    asked,
    write: (...pdus) => void socket.write(Buffer.concat(pdus.map((pdu) => encodePdu(pdu)))),
    isClosed: () => closed,
  };
}

export async function boundClient(answer?: Answer): Promise<ClientRoom> {
  const room = await connectedClient(answer);
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
