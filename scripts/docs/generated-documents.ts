/** The documents that are generated from the source rather than written by hand. */

import { apiEndpoints, type EndpointParts } from '../../src/app/endpoints.ts';
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

/** Document texts by path from the project root. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/api.md', apiPage(allEndpoints)],
    ['docs/errors.md', errorsPage()],
  ]);
}
