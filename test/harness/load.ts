/** Many clients that send as fast as they get responses and remember every acknowledged id. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { finalStatusOf } from '../../src/carriers/simulator.ts';
import type { Credentials } from './api-client.ts';
import { until } from './awake.ts';
import { sendPath } from './messaging.ts';

export interface LoadOptions {
  readonly connections?: number;
  readonly recipientsPerRequest?: number;
  /** Text lengths in characters: 160 are one SMS part, 459 are three. */
  readonly characters?: readonly number[];
  /** The last two digits of the numbers, which determine their final status. */
  readonly endings?: readonly string[];
  /** Milliseconds to wait for a response before the connection is given up. */
  readonly patienceMs?: number;
}

export interface Refusal {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly code: unknown;
}

/** How long clients pause after a refusal or a broken connection. */
const pauseMs = 10;
const standardPatienceMs = 60_000;

export class Load {
  /** The recipients of acknowledged messages, by message id. */
  readonly accepted = new Map<string, string>();
  readonly refusals: Refusal[] = [];
  /** Recipients of refused requests that may nevertheless have been carried out. */
  readonly doubtful = new Set<string>();
  /** Requests that got no response because the connection broke. */
  unanswered = 0;
  /** The number of responses and refusals, by connection. */
  readonly #answered: number[];
  readonly #refused: number[];
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: Required<LoadOptions>;
  readonly #agent: Agent;
  #next = 0;
  #running: Promise<unknown> | undefined;
  #stopped = true;

  constructor(
    baseUrl: string,
    credentials: Extract<Credentials, { username: string }>,
    options: LoadOptions = {},
  ) {
    this.#url = new URL(sendPath, baseUrl);
    const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    this.#headers = { authorization: `Basic ${pair}`, 'content-type': 'application/json' };
    this.#options = {
      connections: 20,
      recipientsPerRequest: 5,
      characters: [20, 160, 459],
      endings: ['20', '20', '20', '06', '11', '04'],
      patienceMs: standardPatienceMs,
      ...options,
    };
    this.#answered = Array<number>(this.#options.connections).fill(0);
    this.#refused = [...this.#answered];
    this.#agent = new Agent({ keepAlive: true, maxSockets: this.#options.connections });
  }

  start(): void {
    this.#stopped = false;
    const clients = Array.from({ length: this.#options.connections }, (_, client) => this.#send(client));
    this.#running = Promise.all(clients);
  }

  /**
   * Waits until this many more messages are acknowledged. It counts messages rather than time, since a busy machine does less
   * in the same time.
   */
  async accepting(more: number, timeoutMs = 100_000): Promise<void> {
    const enough = this.accepted.size + more;
    await until(() => this.accepted.size >= enough, timeoutMs);
  }

  /**
   * Returns a function that tells whether every client has since had a response, or a refusal; by then every request that is
   * now in flight has been answered.
   */
  everyoneHeard(what: 'an answer' | 'a refusal'): () => boolean {
    const counts = what === 'a refusal' ? this.#refused : this.#answered;
    const before = [...counts];
    return () => counts.every((count, client) => count > (before[client] as number));
  }

  /** Resolves when every request has its response or has lost its connection. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.#agent.destroy();
  }

  /** The expected final status: the simulator chooses it by the last two digits. */
  static endOf(recipient: string): number {
    return finalStatusOf(recipient);
  }

  async #send(client: number): Promise<void> {
    while (!this.#stopped) {
      const message = this.#message();
      const body = JSON.stringify(message);
      try {
        const { status, headers, text } = await this.#post(body);
        this.#answered[client] = (this.#answered[client] as number) + 1;
        if (status === 200) this.#remember(text);
        else {
          this.#refused[client] = (this.#refused[client] as number) + 1;
          this.refusals.push({ status, retryAfter: headers['retry-after'], code: codeOf(text) });
          if (text.includes('may or may not')) for (const to of message.to) this.doubtful.add(to);
          await delay(pauseMs);
        }
      } catch {
        this.unanswered += 1;
        await delay(pauseMs);
      }
    }
  }

  #message() {
    const { recipientsPerRequest, characters, endings } = this.#options;
    const number = this.#next++;
    const to = Array.from({ length: recipientsPerRequest }, (_, index) => {
      const serial = number * recipientsPerRequest + index;
      return `4670${String(serial % 100_000).padStart(5, '0')}${endings[serial % endings.length]}`;
    });
    return { to, message: 'x'.repeat(characters[number % characters.length] as number) };
  }

  #remember(text: string): void {
    const { accepted } = JSON.parse(text) as { accepted: { id: string; to: string }[] };
    for (const { id, to } of accepted) this.accepted.set(id, to);
  }

  #post(body: string): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> {
    return new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent: this.#agent,
        headers: this.#headers,
        timeout: this.#options.patienceMs,
      };
      const asking = request(this.#url, options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (answer.complete) resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
          else reject(new Error('the answer was cut off'));
        });
      });
      asking.on('error', reject);
      asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
      asking.end(body);
    });
  }
}

function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { code?: unknown }).code;
  } catch {
    return undefined;
  }
}
