/** Routes each request to the endpoint it calls, and all others to the pages. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { formBeforeCall, respondWithError } from '../answers/error-response.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { EndpointServer, type EndpointServices } from '../endpoints/exchange.ts';
import { PathTable } from '../endpoints/path-table.ts';
import type { Gate } from '../gate/gate.ts';
import { pathOf } from '../request-context.ts';
import { methodNotAllowed } from './pages.ts';

export interface RouterParts<Caller> {
  readonly endpoints: readonly Endpoint<Caller>[];
  readonly services: EndpointServices<Caller>;
  readonly pathPrefix: string;
  readonly gate: Gate;
  /** Answers requests for anything outside the API. */
  readonly pages: RequestListener;
}

export function createRouter<Caller>(parts: RouterParts<Caller>): RequestListener {
  const { endpoints, services, pathPrefix, gate, pages } = parts;
  const servers = new PathTable<ServersByMethod<Caller>>();
  for (const [endpointPath, byMethod] of serversByPath(endpoints, services))
    for (const path of new Set([endpointPath, pathPrefix + endpointPath])) servers.add(path, byMethod);
  return (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    const found = servers.find(path) ?? servers.findPlain(unescaped(path));
    const server = found?.target.get(request.method ?? '');
    const context = gate.enter(request, response, server?.endpoint);
    if (context === undefined) return;
    if (server !== undefined) server.answer(context, found?.values);
    else if (found === undefined) pages(request, response);
    else {
      const others = [...found.target.values()];
      const other = others.find(({ endpoint }) => endpoint.errorFields !== undefined);
      const form = other && formBeforeCall(other.endpoint, request);
      respondWithError(context, methodNotAllowed(request, found.target.keys()), services.log, form);
    }
  };
}

type ServersByMethod<Caller> = Map<string, EndpointServer<Caller>>;

function serversByPath<Caller>(
  endpoints: readonly Endpoint<Caller>[],
  services: EndpointServices<Caller>,
): ReadonlyMap<string, ServersByMethod<Caller>> {
  const byPath = new Map<string, ServersByMethod<Caller>>();
  for (const endpoint of endpoints) {
    const server = new EndpointServer(endpoint, services);
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
