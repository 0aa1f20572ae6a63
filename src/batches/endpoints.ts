/** The endpoints of batches. */
import type { Caller } from '../accounts/caller.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Store } from '../storage/store.ts';
import { batchInfoEndpoints } from './info-endpoints.ts';
import { batchReadingEndpoints } from './reading-endpoints.ts';

export function batchEndpoints({ store }: { readonly store: Store }): readonly Endpoint<Caller>[] {
  return [...batchInfoEndpoints(store), ...batchReadingEndpoints(store)];
}
