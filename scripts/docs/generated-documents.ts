/** The documents that are written by the source rather than by hand. */

import { apiEndpoints, type EndpointParts } from '../../src/app/endpoints.ts';
import { apiPage } from './api-page.ts';
import { errorsPage } from './errors-page.ts';

/** Their handlers are never called, so what they would call is absent. */
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

/** Text by path from the root of the project. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/api.md', apiPage(allEndpoints)],
    ['docs/errors.md', errorsPage()],
  ]);
}
