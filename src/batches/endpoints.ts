/** The endpoints of batches. */
import type { Caller } from '../accounts/caller.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { batchInfoEndpoints } from './info-endpoints.ts';
import type { Intake } from './intake.ts';
import { batchReadingEndpoints } from './reading-endpoints.ts';
import { batchSendEndpoints } from './send-endpoints.ts';
import type { Batching } from './submit.ts';

export function batchEndpoints(batching: Batching, intake: Intake): readonly Endpoint<Caller>[] {
  const { store } = batching;
  return [
    ...batchSendEndpoints(batching, intake),
    ...batchInfoEndpoints(store),
    ...batchReadingEndpoints(store),
  ];
}
