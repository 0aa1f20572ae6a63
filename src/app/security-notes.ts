/** Notes for the operator what callers of the API did that concerns security, and what they tried and may not (403). */
import type { Caller } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import type { Call, Endpoint } from '../http/endpoints/endpoint.ts';

/** The endpoint, which tells what it did and what it refused as well. */
export function noted(endpoint: Endpoint<Caller>, security: SecurityEvents): Endpoint<Caller> {
  const { handle, path, concernsSecurity } = endpoint;
  const record = (
    { username, companyId }: Caller,
    { address }: Call,
    what: Pick<Parameters<SecurityEvents['record']>[0], 'event' | 'object' | 'reason'>,
  ) => security.record({ ...what, username, companyId, address, channel: 'http', path });
  return {
    ...endpoint,
    handle(caller, input, call) {
      const refused = (error: unknown) => {
        if (error instanceof ServiceError && error.status === 403)
          record(caller, call, { event: 'access_denied', reason: error.code });
      };
      const done = (answer: unknown) => {
        const event = concernsSecurity?.(input, answer as never);
        if (event !== undefined) record(caller, call, event);
      };
      try {
        const answer = handle(caller, input, call);
        // Beside the answer, which is nobody's to wait for here.
        if (answer instanceof Promise) answer.then(concernsSecurity && done, refused);
        else done(answer);
        return answer;
      } catch (error) {
        refused(error);
        throw error;
      }
    },
  };
}
