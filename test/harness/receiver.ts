/** A webhook receiver on this machine that keeps what arrives and responds as a test specifies. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  /** The path without the host. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds since the start of the process. */
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** How it responds from now on: with this status, or as this function does. */
  answer: number | ((received: Received, response: ServerResponse) => void);
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => void take(request, response));
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const url = request.url ?? '';
    const one = { url, headers: request.headers as Record<string, string>, body, at: performance.now() };
    received.push(one);
    if (typeof receiver.answer === 'number') response.writeHead(receiver.answer).end('as told');
    else receiver.answer(one, response);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: 200,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** The events in the posts, whatever their format. */
export function eventsIn(posts: readonly Received[]): readonly {
  readonly type: string;
  readonly seq: number;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}[] {
  return posts.flatMap(({ body }) => {
    const parsed = JSON.parse(body);
    return parsed.type === 'events' ? parsed.data : [parsed];
  });
}
