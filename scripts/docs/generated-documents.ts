/** The documents that are written by the source rather than by hand. */
import { accountEndpoints } from '../../src/accounts/endpoints.ts';
import type { ApiKeyIssuer } from '../../src/accounts/issue-api-key.ts';
import { auditEndpoints } from '../../src/audit/endpoints.ts';
import { batchEndpoints } from '../../src/batches/endpoints.ts';
import type { Intake } from '../../src/batches/intake/intake.ts';
import type { Batching } from '../../src/batches/intake/submit.ts';
import { addressBookEndpoints } from '../../src/contacts/endpoints.ts';
import { emailEndpoints } from '../../src/email/senders/endpoints.ts';
import { jobEndpoints } from '../../src/jobs/endpoints.ts';
import type { Starting } from '../../src/jobs/start-job.ts';
import { messageEndpoints } from '../../src/messages/endpoints.ts';
import { managementEndpoints } from '../../src/messages/management/endpoints.ts';
import type { Resending } from '../../src/messages/management/resend.ts';
import type { Sending } from '../../src/messages/sending/send.ts';
import type { Store } from '../../src/storage/store.ts';
import { webhookEndpoints } from '../../src/webhooks/endpoints.ts';
import { apiPage } from './api-page.ts';
import { errorsPage } from './errors-page.ts';

/** Of all rooms. Their handlers are never called, so the parts that they would call are absent. */
export const allEndpoints = [
  ...messageEndpoints({} as Sending),
  ...batchEndpoints({} as Batching, {} as Intake),
  ...emailEndpoints({} as Store),
  ...addressBookEndpoints({} as Store),
  ...accountEndpoints({} as ApiKeyIssuer),
  ...jobEndpoints({ sending: {} } as Starting),
  ...webhookEndpoints({} as Store),
  ...managementEndpoints({} as Resending),
  ...auditEndpoints({} as Store),
];

/** Text by path from the root of the project. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/api.md', apiPage(allEndpoints)],
    ['docs/errors.md', errorsPage()],
  ]);
}
