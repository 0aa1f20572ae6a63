/**
 * A service by HTTP that misbehaves as a test tells it to, and recovers after doing so a given number of times. It keeps its
 * own record of what it took, as evidence of loss and duplicates, and reports each receipt until it is acknowledged.
 */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { freePort } from '../harness/free-port.ts';
import type { FaultyPeer, Taken } from './faulty-peer.ts';

/** A message as it was submitted. */
export interface SubmittedMessage {
  readonly to: string;
  /** Our id of it. */
  readonly reference: string;
  /** Given to a service that takes a message with a known key only once. */
  readonly key?: string;
  /** Where its receipts go. */
  readonly report: string;
  readonly response: ServerResponse;
}

export interface ServiceReceipt {
  readonly id: string;
  readonly report: string;
}

/** What the service does in each situation instead of behaving properly. */
export interface ServiceMisbehaviour {
  readonly connected?: (service: FaultyService) => void;
  readonly submit?: (service: FaultyService, message: SubmittedMessage) => void;
  /** Called instead of reporting a receipt. */
  readonly receipt?: (service: FaultyService, receipt: ServiceReceipt) => void;
}

const key = 'the key of the service';
const submission = {
  url: '{baseUrl}/messages',
  json: { to: '{to}', text: '{text}', reference: '{id}', report: '{receiptUrl}' },
  accepted: { id: '/id' },
};
/** Settings for a service that takes our id as an idempotency key. */
export const idempotent = {
  submit: { ...submission, json: { ...submission.json, key: '{id}' }, idempotent: true },
};
/** Delays answers so that some submissions are in flight at any moment. */
const answerAfterMs = 5;
const reportAgainMs = 100;

export class FaultyService implements FaultyPeer {
  readonly port: number;
  readonly #server: Server;
  readonly #taken = new Map<string, Taken>();
  /** The id of each message that came with a key, by that key. */
  readonly #ids = new Map<string, string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #misbehaviour: ServiceMisbehaviour = {};
  #left = 0;
  #lastId = 0;
  #strikes = 0;
  #isClosed = false;
  wellSince: number | undefined = 0;
  /** The address of the server under test. */
  calls = '';

  private constructor(port: number) {
    this.port = port;
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.on('connection', (socket) => {
      const { connected } = this.#misbehaviour;
      if (this.#left === 0 || connected === undefined) return;
      this.#strike();
      socket.destroy();
    });
  }

  static async listen(): Promise<FaultyService> {
    const service = new FaultyService(await freePort());
    await service.comeBack();
    return service;
  }

  get carrier() {
    return {
      type: 'http',
      baseUrl: `http://127.0.0.1:${this.port}`,
      secrets: { signing: key },
      submit: submission,
      receipts: {
        id: '/id',
        state: '/state',
        states: { sent: 'SENT', delivered: 'DELIVERED', failed: 'UNDELIVERABLE' },
        signature: { hmac: 'sha256', header: 'x-signature', secret: 'signing' },
      },
    };
  }

  get strikes(): number {
    return this.#strikes;
  }

  misbehave(misbehaviour: ServiceMisbehaviour, times: number): void {
    this.#misbehaviour = misbehaviour;
    this.#left = times;
    this.wellSince = undefined;
    if (misbehaviour.connected !== undefined) this.#server.closeAllConnections();
  }

  getWell(): void {
    this.#left = 0;
    this.wellSince = performance.now();
  }

  /** A message that goes out in several SMS is submitted once. */
  taken(recipient: string): Taken | undefined {
    return this.#taken.get(recipient);
  }

  /** Takes the message, and returns its id. */
  note({ to, key: given }: SubmittedMessage): string {
    const known = given === undefined ? undefined : this.#ids.get(given);
    if (known !== undefined) return known;
    const { times = 0, at = performance.now() } = this.#taken.get(to) ?? {};
    this.#taken.set(to, { times: times + 1, at });
    this.#lastId += 1;
    const id = `service${this.#lastId}`;
    if (given !== undefined) this.#ids.set(given, id);
    return id;
  }

  /** Takes the message, answers as usual, and reports its receipt. */
  accept(message: SubmittedMessage, afterMs = answerAfterMs): void {
    const id = this.note(message);
    this.later(afterMs, () => {
      this.answer(message, 200, JSON.stringify({ id }));
      this.report({ id, report: message.report });
    });
  }

  answer(
    { response }: SubmittedMessage,
    status: number,
    body: string,
    headers: Record<string, string> = {},
  ): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  }

  report(receipt: ServiceReceipt): void {
    const { receipt: reaction } = this.#misbehaviour;
    if (this.#left > 0 && reaction !== undefined) {
      this.#strike();
      reaction(this, receipt);
    } else void this.call(receipt);
  }

  /** Calls until the call is acknowledged, or once. Returns the status of the last answer. */
  async call(
    { id, report }: ServiceReceipt,
    { state = 'delivered', body = JSON.stringify({ id, state }), signedWith = key, isRepeated = true } = {},
  ): Promise<number | undefined> {
    const signature = createHmac('sha256', signedWith).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    const address = this.calls + new URL(report).pathname;
    while (!this.#isClosed) {
      const answer = await fetch(address, { method: 'POST', body, headers }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.ok || !isRepeated) return answer?.status;
      await new Promise<void>((resolve) => this.later(reportAgainMs, resolve));
    }
    return undefined;
  }

  later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }

  goAway(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async comeBack(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const closed = once(this.#server, 'close');
    this.goAway();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A request that is cut short, such as by a crash of the server, is none.
    const fields = await json(request).catch(() => undefined);
    if (fields === undefined) return;
    const message = { ...(fields as Omit<SubmittedMessage, 'response'>), response };
    const { submit } = this.#misbehaviour;
    if (this.#left === 0 || submit === undefined) return this.accept(message);
    this.#strike();
    submit(this, message);
  }

  #strike(): void {
    this.#strikes += 1;
    this.#left -= 1;
    if (this.#left === 0) this.getWell();
  }
}
