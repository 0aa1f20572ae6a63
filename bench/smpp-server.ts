/** Claim: a program that submits by SMPP is answered durably at least as fast as one that calls the API, beside its receipts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { encodePdu } from '../src/wire/smpp/pdu.ts';
import { freePort } from '../test/harness/free-port.ts';
import { load } from './load.ts';
import { type Figure, medianOf, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';
import { startServer } from './server.ts';

const window = 1_000;
const connections = 50;
const systemId = 'bench';
const password = 'eight-ch';
const text = 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.';

const method = [
  `One bind as transceiver that always has ${window} submit_sm without a response, each with one recipient and ${text.length} characters; every response must have the status 0. Each submission asks for a receipt, and the client acknowledges each deliver_sm at once.`,
  `In each round the API is called in turn with the same text: by wrk with an API key over ${connections} kept-alive connections, one recipient a call. These messages bring no receipts to anybody, and the calls begin once the receipts of all submissions have come. A round before the first is a warm-up and does not count.`,
  'The client, wrk, the server and PostgreSQL share the cores. The carrier is the simulator, and the server does everything: it accepts, sends, and handles receipts.',
];

export async function smppServer(options: Options): Promise<Report> {
  const figures: Figure[] = [];
  for (const engine of options.engines) figures.push(...(await measure(engine, options)));
  return {
    name: 'smpp-server',
    claim: `On one bind with a window of ${window}, at least 10,000 submit_sm a second are answered after they are stored, beside the receipts.`,
    method,
    figures,
  };
}

interface Round {
  readonly submitted: number;
  readonly receipts: number;
  readonly called: number;
}

async function measure(
  engine: Engine,
  { quick, seconds = quick ? 2 : 12, rounds = quick ? 1 : 3 }: Options,
): Promise<readonly Figure[]> {
  const port = await freePort();
  const server = await startServer({
    engine,
    login: `{ systemId: ${systemId}, password: ${password}, window: ${window} }`,
    environment: { CARILLON_SMPP_SERVER: `127.0.0.1:${port}` },
  });
  const measured: Round[] = [];
  try {
    const call = {
      url: `${server.url}/restsms/svcrest/send`,
      headers: { 'x-api-key': await server.apiKey() },
      body: JSON.stringify({ to: ['46701740699'], message: text }),
      seconds,
      connections,
    };
    const client = await Client.bound(port);
    for (let round = 0; round <= rounds; round++) {
      const { submitted, receipts } = await client.submitFor(seconds * 1_000);
      await client.allReported();
      const { perSecond: called } = await load(call);
      if (round > 0) measured.push({ submitted, receipts, called });
    }
    client.close();
  } finally {
    await server.close();
  }
  const rate = (of: keyof Round, what: string, claim?: { readonly atLeast: number }) =>
    medianOf(
      measured.map((round) => round[of]),
      { engine, what, unit: '/s' },
      claim,
    );
  return [
    rate('submitted', 'submit_sm answered durably', { atLeast: 10_000 }),
    rate('receipts', 'receipts delivered meanwhile'),
    rate('called', 'calls of the API answered durably'),
    medianOf(
      measured.map(({ submitted, called }) => submitted / called),
      { engine, what: 'submit_sm, relative to calls of the API', unit: '' },
    ),
  ];
}

const submitSmResp = 0x8000_0004;
const deliverSm = 0x0000_0005;
const deliverSmResp = 0x8000_0005;
const headerBytes = 16;

/** Writes one prepared submit_sm again and again, each with the next sequence number. */
class Client {
  readonly #socket: Socket;
  readonly #submission: Buffer;
  #unread: Buffer = Buffer.alloc(0);
  #sequence = 1;
  #open = 0;
  #isSubmitting = false;
  #answered = 0;
  #receipts = 0;
  /** Receipts that are still to come. */
  #owed = 0;
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay();
    this.#submission = encodePdu({
      command: 'submitSm',
      sequence: 0,
      status: 0,
      sourceAddr: 'Bench',
      sourceAddrTon: 5,
      sourceAddrNpi: 0,
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: '46701740699',
      registeredDelivery: 1,
      shortMessage: Buffer.from(text, 'latin1'),
    });
  }

  static async bound(port: number): Promise<Client> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new Client(socket);
    socket.write(
      encodePdu({
        command: 'bindTransceiver',
        sequence: 1,
        status: 0,
        systemId,
        password,
        systemType: '',
        interfaceVersion: 0x34,
        addrTon: 0,
        addrNpi: 0,
        addressRange: '',
      }),
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (answer.readUInt32BE(8) !== 0)
      throw new Error(`the bind was refused: 0x${answer.readUInt32BE(8).toString(16)}`);
    socket.on('data', (chunk: Buffer) => client.#read(chunk));
    return client;
  }

  /** Per second: responses, and deliveries that came meanwhile. */
  async submitFor(ms: number): Promise<{ readonly submitted: number; readonly receipts: number }> {
    this.#answered = 0;
    this.#receipts = 0;
    this.#isSubmitting = true;
    const beganAt = performance.now();
    this.#fill();
    await new Promise((resolve) => setTimeout(resolve, ms));
    const seconds = (performance.now() - beganAt) / 1_000;
    const rates = { submitted: this.#answered / seconds, receipts: this.#receipts / seconds };
    this.#isSubmitting = false;
    while (this.#open > 0 && this.#failure === undefined)
      await new Promise((resolve) => setTimeout(resolve, 10));
    if (this.#failure !== undefined) throw this.#failure;
    return rates;
  }

  async allReported(): Promise<void> {
    while (this.#owed > 0 && this.#failure === undefined)
      await new Promise((resolve) => setTimeout(resolve, 50));
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): void {
    this.#socket.destroy();
  }

  #fill(): void {
    const count = this.#isSubmitting ? window - this.#open : 0;
    if (count === 0) return;
    const size = this.#submission.length;
    const batch = Buffer.alloc(count * size);
    for (let index = 0; index < count; index++) {
      this.#submission.copy(batch, index * size);
      this.#sequence = (this.#sequence % 0x7fff_ffff) + 1;
      batch.writeUInt32BE(this.#sequence, index * size + 12);
    }
    this.#open += count;
    this.#socket.write(batch);
  }

  #read(chunk: Buffer): void {
    const all = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    const acknowledgements: Buffer[] = [];
    let at = 0;
    while (all.length - at >= headerBytes) {
      const length = all.readUInt32BE(at);
      if (all.length - at < length) break;
      const [command, status] = [all.readUInt32BE(at + 4), all.readUInt32BE(at + 8)];
      if (command === submitSmResp) this.#answerOf(status);
      else if (command === deliverSm) acknowledgements.push(this.#acknowledge(all.readUInt32BE(at + 12)));
      at += length;
    }
    this.#unread = all.subarray(at);
    if (acknowledgements.length > 0) this.#socket.write(Buffer.concat(acknowledgements));
    this.#fill();
  }

  #answerOf(status: number): void {
    this.#open -= 1;
    this.#owed += 1;
    if (status === 0) this.#answered += 1;
    else this.#failure ??= new Error(`a submit_sm was refused: 0x${status.toString(16)}`);
  }

  #acknowledge(sequence: number): Buffer {
    this.#receipts += 1;
    this.#owed -= 1;
    const answer = Buffer.alloc(headerBytes + 1);
    for (const [index, word] of [answer.length, deliverSmResp, 0, sequence].entries())
      answer.writeUInt32BE(word, index * 4);
    return answer;
  }
}

await runWhenMain(import.meta, smppServer);
