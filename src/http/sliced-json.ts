/** Answers of megabytes: they are written slice by slice, as the client takes them, and other calls go on between two. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { headersOfAll, jsonHeaders } from './respond.ts';

/** What the body of an answer is, in slices that take a millisecond or less each to make. */
export class SlicedJson {
  readonly slices: Iterable<string>;

  constructor(slices: Iterable<string>) {
    this.slices = slices;
  }
}

export function respondInSlices(reply: FastifyReply, { slices }: SlicedJson): void {
  reply.hijack();
  reply.raw.writeHead(200, [...jsonHeaders, ...headersOfAll(reply)]);
  write(reply.raw, slices).catch((error: Error) => reply.raw.destroy(error));
}

async function write(response: ServerResponse, slices: Iterable<string>): Promise<void> {
  const gone = new Promise((resolve) => response.once('close', resolve));
  for (const slice of slices) {
    if (response.destroyed) return;
    if (response.write(slice)) await nextTurn();
    else await Promise.race([once(response, 'drain'), gone]);
  }
  response.end();
}
