/** An answer that goes on for as long as its client listens: server-sent events (HTML standard, section 9.2). */
import { forgoBody } from '../body/unread-body.ts';
import type { RequestContext } from '../request-context.ts';
import { whenEnded } from '../when-ended.ts';
import { type HeaderPairs, headersOfAll } from './respond.ts';

/** A proxy such as nginx would gather events until there are many. */
const eventHeaders: HeaderPairs = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'x-accel-buffering',
  'no',
];

/** Of a client that takes nothing any more. */
const maxUntakenBytes = 16_384;

export interface EventWriter {
  send(data: object): void;
  /** Says nothing, but keeps proxies from taking the connection for a dead one. */
  beat(): void;
  end(): void;
}

export class EventStream {
  /** Called when it has begun; returns what is to be done when it has ended, whoever ended it. */
  readonly begin: (writer: EventWriter) => () => void;

  constructor(begin: EventStream['begin']) {
    this.begin = begin;
  }
}

export function respondWithEvents(context: RequestContext, { begin }: EventStream): void {
  const { request, response } = context;
  forgoBody(request, response);
  response.writeHead(200, [...eventHeaders, ...headersOfAll(context)]);
  const write = (text: string) => {
    if (response.writableLength > maxUntakenBytes) response.destroy();
    else response.write(text);
  };
  write(': open\n\n');
  const ended = begin({
    send: (data) => write(`data: ${JSON.stringify(data)}\n\n`),
    beat: () => write(':\n\n'),
    end: () => response.end(),
  });
  const { socket } = request;
  // A page that is closed says no more than that nothing comes of it: its place would be taken until the next event.
  const left = () => void response.destroy();
  socket.on('end', left);
  whenEnded(request, response, () => {
    socket.off('end', left);
    ended();
  });
}
