/**
 * A service that takes SMS by HTTP and reports what became of them by calls, as carriers by HTTP do. Its rule decides how it
 * answers, so it can be late, slow, lose answers or call too early.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Submission {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body as JSON, if it is. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type UpstreamRule = (submission: Submission, response: ServerResponse) => void;

export class HttpUpstream {
  readonly submissions: Submission[] = [];
  rule: UpstreamRule;
  readonly #server: Server;
  #nextId = 1;

  private constructor(rule?: UpstreamRule) {
    this.rule = rule ?? ((_, response) => this.accept(response));
    this.#server = createServer((request, response) => void this.#take(request, response));
    // The carrier closes what is idle.
    this.#server.keepAliveTimeout = 0;
  }

  static async listen(rule?: UpstreamRule): Promise<HttpUpstream> {
    const upstream = new HttpUpstream(rule);
    // A whole window may connect at once.
    upstream.#server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
    await once(upstream.#server, 'listening');
    return upstream;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Answers with a new id, which is returned. */
  accept(response: ServerResponse, id = `up-${this.#nextId++}`): string {
    this.answer(response, 200, { id });
    return id;
  }

  answer(
    response: ServerResponse,
    status: number,
    body: object | string,
    headers: Record<string, string> = {},
  ): void {
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A request that is cut short, as when the carrier is stopped, is none.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { method = '', url: path = '', headers } = request;
    const isJson = headers['content-type'] === 'application/json';
    const submission = { method, path, headers, body, fields: isJson ? JSON.parse(body) : {} };
    this.submissions.push(submission);
    this.rule(submission, response);
  }
}
