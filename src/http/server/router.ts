/** Routes each request to the endpoint it calls, and all others to the pages. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { formBeforeCall, respondWithError } from '../answers/error-response.ts';
import type { AnsweringServer } from '../endpoints/exchange.ts';
import { PathTable } from '../endpoints/path-table.ts';
import type { Gate } from '../gate/gate.ts';
import { pathOf } from '../request-context.ts';
import { methodNotAllowed } from './pages.ts';

export interface RouterParts {
  /** Made by `serversOf`. */
  readonly servers: readonly AnsweringServer[];
  readonly log: Logger;
  readonly pathPrefix: string;
  readonly gate: Gate;
  /** Answers requests for anything outside the API. */
  readonly pages: RequestListener;
}

export function createRouter({ servers, log, pathPrefix, gate, pages }: RouterParts): RequestListener {
  const paths = new PathTable<ServersByMethod>();
  for (const [endpointPath, byMethod] of serversByPath(servers))
    for (const path of new Set([endpointPath, pathPrefix + endpointPath])) paths.add(path, byMethod);
  return (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    const found = paths.find(path) ?? paths.findPlain(unescaped(path));
    const server = found?.target.get(request.method ?? '');
    const context = gate.enter(request, response, server?.endpoint);
    if (context === undefined) return;
    if (server !== undefined) server.answer(context, found?.values);
    else if (found === undefined) pages(request, response);
    else {
      const others = [...found.target.values()];
      const other = others.find(({ endpoint }) => endpoint.errorFields !== undefined);
      const form = other && formBeforeCall(other.endpoint, request);
      respondWithError(context, methodNotAllowed(request, found.target.keys()), log, form);
    }
  };
}

type ServersByMethod = Map<string, AnsweringServer>;

function serversByPath(servers: readonly AnsweringServer[]): ReadonlyMap<string, ServersByMethod> {
  const byPath = new Map<string, ServersByMethod>();
  for (const server of servers) {
    const { endpoint } = server;
    const byMethod = byPath.get(endpoint.path) ?? new Map();
    byPath.set(endpoint.path, byMethod);
    for (const method of endpoint.methods) {
      if (byMethod.has(method)) throw new Error(`two endpoints take ${method} ${endpoint.path}`);
      byMethod.set(method, server);
    }
  }
  return byPath;
}

/** Some clients escape more than necessary. An undecodable path belongs to no endpoint. */
function unescaped(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
