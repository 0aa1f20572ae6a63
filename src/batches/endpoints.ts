/** The endpoints of batches. */
import { batchSendEndpoints } from './intake/endpoints.ts';
import type { Intake } from './intake/intake.ts';
import type { Batching } from './intake/submit.ts';
import { batchManagementEndpoints } from './management/endpoints.ts';
import { batchInfoEndpoints, batchReadingEndpoints } from './reading/endpoints.ts';

export function batchEndpoints(batching: Batching, intake: Intake) {
  const { store } = batching;
  return [
    ...batchSendEndpoints(batching, intake),
    ...batchInfoEndpoints(store),
    ...batchReadingEndpoints(store),
    ...batchManagementEndpoints(batching, intake),
  ] as const;
}
