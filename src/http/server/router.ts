/** Leads each request to the endpoint that it calls, and all others to the pages. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { respondWithError } from '../answers/error-response.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { EndpointServer } from '../endpoints/exchange.ts';
import { PathTable } from '../endpoints/path-table.ts';
import type { EndpointServices } from '../endpoints/services.ts';
import { methodNotAllowed } from '../gate/faults-of-path.ts';
import type { Gate } from '../gate/gate.ts';
import { pathOf } from '../request-context.ts';

export interface RouterParts<Caller> {
  readonly endpoints: readonly Endpoint<Caller>[];
  readonly services: EndpointServices<Caller>;
  readonly pathPrefix: string;
  readonly gate: Gate;
  /** Answers what is no endpoint of the API. */
  readonly pages: RequestListener;
}

export function createRouter<Caller>(parts: RouterParts<Caller>): RequestListener {
  const { endpoints, services, pathPrefix, gate, pages } = parts;
  const servers = new PathTable<EndpointServer<Caller>>();
  for (const endpoint of endpoints) {
    const server = new EndpointServer(endpoint, services);
    for (const path of new Set([endpoint.path, pathPrefix + endpoint.path])) servers.add(path, server);
  }
  return (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    const found = servers.find(path) ?? servers.findPlain(unescaped(path));
    const server = found?.target;
    const isCall = server?.takes(request.method) === true;
    const context = gate.enter(request, response, isCall ? server.endpoint.path : 'other');
    if (context === undefined) return;
    if (server === undefined) pages(request, response);
    else if (isCall) server.answer(context, found?.values);
    else respondWithError(context, methodNotAllowed(request, server.endpoint.methods), services.log);
  };
}

/** Some clients escape what need not be. What cannot be read is no endpoint's path. */
function unescaped(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
