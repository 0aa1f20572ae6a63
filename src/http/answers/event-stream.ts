/** A response that lasts as long as its client listens: server-sent events (HTML standard, section 9.2). */
import { forgoBody } from '../body/unread-body.ts';
import type { RequestContext } from '../request-context.ts';
import { whenEnded } from '../when-ended.ts';
import { type HeaderPairs, headersOfAll } from './respond.ts';

/** Without `x-accel-buffering`, a proxy such as nginx would buffer events until there are many. */
const eventHeaders: HeaderPairs = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'x-accel-buffering',
  'no',
];

/** The limit for a client that has stopped reading. */
const maxUntakenBytes = 16_384;

export interface EventWriter {
  send(data: object): void;
  /** Sends no event, but keeps proxies from considering the connection dead. */
  beat(): void;
  end(): void;
}

export class EventStream {
  /** Called when the stream has begun; returns a function to run when it has ended, for whatever reason. */
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
  // When a page is closed, only its side of the connection ends; the place would otherwise stay taken until the next event.
  const left = () => void response.destroy();
  socket.on('end', left);
  whenEnded(request, response, () => {
    socket.off('end', left);
    ended();
  });
}
