/** A webhook receiver in its own process: it counts the events that arrive, or accepts connections and never answers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceiverCount {
  readonly events: number;
  readonly posts: number;
}

const [, , how] = process.argv;
const mark = Buffer.from('"seq":');
let events = 0;
let posts = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (how === 'hangs') return;
    const body = Buffer.concat(chunks);
    posts += 1;
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) events += 1;
    response.writeHead(204).end();
  });
});

process.on('message', () => process.send?.({ events, posts } satisfies ReceiverCount));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
