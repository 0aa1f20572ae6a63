/** What the front page shows of everything, by one call. */
import { useRead } from '../api/queries.ts';

const live = ['messages', 'batches', 'incoming', 'conversations', 'carriers', 'webhooks'];

export function useStart() {
  return useRead('/api/v1/start', {}, { live });
}
