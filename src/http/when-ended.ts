/** Reports when a request is over, because it was answered or its client has gone. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Calls `ended` once, immediately if the request is already over. The response to a pipelined request has no socket before
 * its turn: if the connection breaks before that, Node drops the response without a `close`.
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
  // A client may send any number of requests on a connection.
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
