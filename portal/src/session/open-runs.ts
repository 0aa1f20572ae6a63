/** The open runs of saved jobs: counted beside the navigation, and listed on the front page, by the same call. */
import { useRead } from '../api/queries.ts';
import { hasOneOf, useSession } from './session.ts';

/** Above this number, the exact number is not known. */
const mostCounted = 50;

export function useOpenRuns() {
  const enabled = hasOneOf(useSession(), ['jobs', 'companyAdmin']);
  return useRead('/api/v1/runs', { phase: ['open'], limit: mostCounted }, { live: ['runs'], enabled });
}
