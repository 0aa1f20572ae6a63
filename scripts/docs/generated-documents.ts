/** The documents that are written by the source rather than by hand. */

import type { ApiKeyIssuer } from '../../src/accounts/api-keys.ts';
import { accountEndpoints, keyEndpoints } from '../../src/accounts/endpoints.ts';
import type { UserAdministration } from '../../src/administration/administer-company-users.ts';
import { auditEndpoints } from '../../src/administration/audit-endpoints.ts';
import { userEndpoints } from '../../src/administration/company-user-endpoints.ts';
import { batchEndpoints } from '../../src/batches/endpoints.ts';
import type { Intake } from '../../src/batches/intake/intake.ts';
import type { Batching } from '../../src/batches/intake/submit.ts';
import { addressBookEndpoints, contactManagementEndpoints } from '../../src/contacts/endpoints.ts';
import type { Importing } from '../../src/contacts/import/import-contacts.ts';
import { emailManagementEndpoints } from '../../src/email/management/endpoints.ts';
import type { SenderAdministration } from '../../src/email/senders/administer-senders.ts';
import { emailEndpoints } from '../../src/email/senders/endpoints.ts';
import { jobEndpoints } from '../../src/jobs/endpoints.ts';
import { jobManagementEndpoints } from '../../src/jobs/management/job-endpoints.ts';
import type { Starting } from '../../src/jobs/start-job.ts';
import { type Conversing, conversationEndpoints } from '../../src/messages/conversations/endpoints.ts';
import { numberEndpoints } from '../../src/messages/conversations/number-endpoints.ts';
import { messageEndpoints } from '../../src/messages/endpoints.ts';
import { carrierEndpoints } from '../../src/messages/management/carrier-endpoints.ts';
import { managementEndpoints } from '../../src/messages/management/endpoints.ts';
import type { Resending } from '../../src/messages/management/resend.ts';
import { usageEndpoints } from '../../src/messages/management/usage-endpoints.ts';
import { phoneEndpoints, type Simulating } from '../../src/messages/phones/endpoints.ts';
import { sendingEndpoints } from '../../src/messages/sending/endpoints.ts';
import type { Sending } from '../../src/messages/sending/send.ts';
import { personEndpoints } from '../../src/people/endpoints.ts';
import type { PeopleServices } from '../../src/people/erasure.ts';
import type { Services } from '../../src/resources/resource-api.ts';
import { scheduledEndpoints } from '../../src/scheduled/endpoints.ts';
import type { Store } from '../../src/storage/store.ts';
import { templateEndpoints } from '../../src/templates/endpoints.ts';
import type { Administering as WebhookAdministering } from '../../src/webhooks/management/administer-webhooks.ts';
import { webhookEndpoints } from '../../src/webhooks/management/endpoints.ts';
import { apiPage } from './api-page.ts';
import { errorsPage } from './errors-page.ts';

/** Of all rooms. Their handlers are never called, so the parts that they would call are absent. */
export const allEndpoints = [
  ...messageEndpoints({} as Sending),
  ...batchEndpoints({} as Batching, {} as Intake),
  ...emailEndpoints({} as SenderAdministration),
  ...addressBookEndpoints({} as Store),
  ...jobEndpoints({ sending: {} } as Starting),
  ...jobManagementEndpoints({ sending: {} } as Starting),
  ...webhookEndpoints({} as WebhookAdministering),
  ...managementEndpoints({} as Resending),
  ...sendingEndpoints({} as Sending),
  ...templateEndpoints({} as Services),
  ...usageEndpoints({} as Sending),
  ...carrierEndpoints({} as Store),
  ...scheduledEndpoints({} as Sending),
  ...contactManagementEndpoints({} as Importing),
  ...conversationEndpoints({} as Conversing),
  ...numberEndpoints({} as Conversing),
  ...phoneEndpoints({} as Simulating),
  ...personEndpoints({} as PeopleServices),
  ...auditEndpoints({} as Store),
  ...accountEndpoints({} as ApiKeyIssuer),
  ...keyEndpoints({} as ApiKeyIssuer),
  ...userEndpoints({} as UserAdministration),
  ...emailManagementEndpoints({} as SenderAdministration),
];

/** Text by path from the root of the project. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/api.md', apiPage(allEndpoints)],
    ['docs/errors.md', errorsPage()],
  ]);
}
