/** The endpoints of batches. */
import type { Caller } from '../accounts/caller.ts';
import type { Endpoint } from '../http/endpoints/endpoint.ts';
import { batchSendEndpoints } from './intake/endpoints.ts';
import type { Intake } from './intake/intake.ts';
import type { Batching } from './intake/submit.ts';
import { batchManagementEndpoints } from './management/endpoints.ts';
import { batchInfoEndpoints, batchReadingEndpoints } from './reading/endpoints.ts';

export function batchEndpoints(batching: Batching, intake: Intake): readonly Endpoint<Caller>[] {
  const { store } = batching;
  return [
    ...batchSendEndpoints(batching, intake),
    ...batchInfoEndpoints(store),
    ...batchReadingEndpoints(store),
    ...batchManagementEndpoints(batching, intake),
  ];
}
