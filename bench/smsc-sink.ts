/**
 * An SMSC in its own process that accepts everything: it responds at once and sends each receipt a second later. It also
 * takes the calls by which Kannel reports receipts. The parent process sends it a message to ask for its counts.
 */
import { createServer, type Socket } from 'node:net';
import { encodePdu, type Pdu, PduReader } from '../src/wire/smpp/pdu.ts';

const receiptDelayMs = 1_000;
/** Receipts that fall due within this time of each other are sent in one write. */
const releaseEveryMs = 5;
const delivered = 2;
const receiptFlag = 0x04;

export interface SinkPorts {
  readonly smpp: number;
  readonly http: number;
}

export interface SinkCount {
  readonly submitted: number;
  /** Receipts that got a response. */
  readonly receipted: number;
  /** Calls by which Kannel reported a delivery. */
  readonly callbacks: number;
}

const count = { submitted: 0, receipted: 0, callbacks: 0 };
let nextId = 1;

interface Due {
  readonly atMs: number;
  readonly socket: Socket;
  readonly receipt: Buffer;
}

let line: Due[] = [];

setInterval(() => {
  const now = performance.now();
  const open = line.findIndex(({ atMs }) => atMs > now);
  const due = open === -1 ? line : line.slice(0, open);
  if (due.length === 0) return;
  line = open === -1 ? [] : line.slice(open);
  const bySocket = new Map<Socket, Buffer[]>();
  for (const { socket, receipt } of due) {
    const receipts = bySocket.get(socket);
    if (receipts === undefined) bySocket.set(socket, [receipt]);
    else receipts.push(receipt);
  }
  for (const [socket, receipts] of bySocket) if (socket.writable) socket.write(Buffer.concat(receipts));
}, releaseEveryMs);

let sequence = 0;

function takeSubmission(pdu: Extract<Pdu, { command: 'submitSm' }>, socket: Socket): Buffer {
  count.submitted += 1;
  const messageId = String(nextId++);
  if ((pdu.registeredDelivery & 1) === 1) {
    sequence = (sequence % 0x7fff_ffff) + 1;
    const text = `id:${messageId} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:`;
    const receipt = encodePdu({
      command: 'deliverSm',
      sequence,
      sourceAddrTon: pdu.destAddrTon,
      sourceAddrNpi: pdu.destAddrNpi,
      sourceAddr: pdu.destinationAddr,
      destAddrTon: pdu.sourceAddrTon,
      destAddrNpi: pdu.sourceAddrNpi,
      destinationAddr: pdu.sourceAddr,
      esmClass: receiptFlag,
      shortMessage: Buffer.from(text, 'latin1'),
      tlvs: { receiptedMessageId: messageId, messageState: delivered },
    });
    line.push({ atMs: performance.now() + receiptDelayMs, socket, receipt });
  }
  return encodePdu({ command: 'submitSmResp', sequence: pdu.sequence, messageId });
}

function answerTo(pdu: Pdu, socket: Socket): Buffer | undefined {
  const { sequence } = pdu;
  switch (pdu.command) {
    case 'submitSm':
      return takeSubmission(pdu, socket);
    case 'deliverSmResp':
      if (pdu.status === 0) count.receipted += 1;
      return undefined;
    case 'enquireLink':
      return encodePdu({ command: 'enquireLinkResp', sequence });
    case 'bindTransceiver':
      return encodePdu({ command: 'bindTransceiverResp', sequence, systemId: 'sink' });
    case 'unbind':
      return encodePdu({ command: 'unbindResp', sequence });
    default:
      return undefined;
  }
}

const smpp = createServer({ noDelay: true }, (socket) => {
  const reader = new PduReader();
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    reader.push(chunk);
    const answers: Buffer[] = [];
    for (let pdu = reader.next(); pdu !== undefined; pdu = reader.next()) {
      if ('fault' in pdu) throw new Error(pdu.fault);
      const answer = answerTo(pdu, socket);
      if (answer !== undefined) answers.push(answer);
    }
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
});

const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
const endOfRequest = '\r\n\r\n';

/** Only as much HTTP as Kannel's calls need, so that they cost the machine as little as possible. */
const http = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const requests = (rest + chunk.toString('latin1')).split(endOfRequest);
    rest = requests.pop() ?? '';
    // `/1` reports a delivery (Kannel User's Guide, delivery reports: %d).
    for (const request of requests) if (request.startsWith('GET /1 ')) count.callbacks += 1;
    if (requests.length > 0)
      socket.write(requests.length === 1 ? answer : Buffer.concat(requests.map(() => answer)));
  });
});

function portOf(server: typeof smpp): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

smpp.listen(0, '127.0.0.1', () => {
  http.listen(0, '127.0.0.1', () => {
    process.send?.({ smpp: portOf(smpp), http: portOf(http) } satisfies SinkPorts);
  });
});
process.on('message', () => process.send?.({ ...count } satisfies SinkCount));
process.on('disconnect', () => process.exit(0));
