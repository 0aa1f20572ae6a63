/** The documents that are generated from the source rather than written by hand. */

import { apiEndpoints, type EndpointParts } from '../../src/app/endpoints.ts';
import type { Endpoint } from '../../src/http/endpoints/endpoint.ts';
import { operatorEndpoints } from '../../src/operators/endpoints.ts';
import type { Operating } from '../../src/operators/operating.ts';
import { apiPage } from './api-page.ts';
import { errorsPage } from './errors-page.ts';

/** The handlers of these endpoints are never called, so their dependencies are absent. */
export const allEndpoints = apiEndpoints({
  sending: {},
  batching: {},
  starting: { sending: {} },
  conversing: {},
  simulating: {},
  webhooks: {},
  people: {},
  keys: {},
  users: {},
} as EndpointParts);

/** The calls of operators, who sign in to the portal for them; the documents leave them out, since programs can't make them. */
export const allOperatorEndpoints = operatorEndpoints({} as Operating);

/** The calls below `/api/v1` and of the service itself. */
export const everyEndpoint: readonly Endpoint<never>[] = [...allEndpoints, ...allOperatorEndpoints];

/** Document texts by path from the project root. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/api.md', apiPage(allEndpoints)],
    ['docs/errors.md', errorsPage()],
  ]);
}
