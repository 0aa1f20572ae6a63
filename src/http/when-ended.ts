/** Tells when a request is over, be that because it is answered or because its client has gone. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Calls `ended` once; at once when it is over already. The answer to a pipelined request has no socket before its turn
 * comes: when the connection breaks until then, Node forgets that answer without a `close`.
 */
export function whenEnded(request: IncomingMessage, response: ServerResponse, ended: () => void): void {
  const { socket } = request;
  if (hasEnded(request, response)) {
    ended();
    return;
  }
  if (response.socket !== null) {
    response.on('close', ended);
    return;
  }
  const end = () => {
    socket.off('close', end);
    response.off('close', end);
    ended();
  };
  response.on('close', end);
  // There may be as many requests on a connection as its client likes.
  socket.setMaxListeners(0).on('close', end);
}

export function hasEnded({ socket }: IncomingMessage, response: ServerResponse): boolean {
  return response.closed || response.destroyed || (response.socket === null && socket.closed);
}

export function signalOfEnd(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  whenEnded(request, response, () => controller.abort());
  return controller.signal;
}
