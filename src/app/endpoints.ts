/**
 * The endpoints of all rooms in one list, which the server serves, the documentation describes and the portal takes its types
 * from.
 */
import type { ApiKeyIssuer } from '../accounts/api-keys.ts';
import { accountEndpoints } from '../accounts/endpoints.ts';
import type { UserAdministration } from '../administration/administer-company-users.ts';
import { auditEndpoints } from '../administration/audit-endpoints.ts';
import { companyBookEndpoints } from '../administration/company-book-endpoints.ts';
import { companyEndpoints } from '../administration/company-endpoints.ts';
import { userEndpoints } from '../administration/company-user-endpoints.ts';
import { userKeyEndpoints } from '../administration/user-key-endpoints.ts';
import { alertEndpoints } from '../alerts/endpoints.ts';
import { receiverEndpoints } from '../alerts/receiver-endpoints.ts';
import { batchEndpoints } from '../batches/endpoints.ts';
import type { Intake } from '../batches/intake/intake.ts';
import type { Batching } from '../batches/intake/submit.ts';
import { addressBookEndpoints, contactManagementEndpoints } from '../contacts/endpoints.ts';
import { recentMailEndpoints } from '../email/gateway/endpoints.ts';
import { emailManagementEndpoints } from '../email/management/endpoints.ts';
import { emailEndpoints } from '../email/senders/endpoints.ts';
import { findEndpoints } from '../find/endpoints.ts';
import { jobEndpoints } from '../jobs/endpoints.ts';
import { companyJobEndpoints } from '../jobs/management/company-job-endpoints.ts';
import { jobManagementEndpoints } from '../jobs/management/job-endpoints.ts';
import { jobTypeEndpoints } from '../jobs/management/job-type-endpoints.ts';
import { systemUserEndpoints } from '../jobs/management/system-user-endpoints.ts';
import type { Starting } from '../jobs/start-job.ts';
import { type Conversing, conversationEndpoints } from '../messages/conversations/endpoints.ts';
import { numberEndpoints } from '../messages/conversations/number-endpoints.ts';
import { messageEndpoints } from '../messages/endpoints.ts';
import { carrierEndpoints } from '../messages/management/carrier-endpoints.ts';
import { managementEndpoints } from '../messages/management/endpoints.ts';
import type { Resending } from '../messages/management/resend.ts';
import { usageEndpoints } from '../messages/management/usage-endpoints.ts';
import { phoneEndpoints, type Simulating } from '../messages/phones/endpoints.ts';
import { sendingEndpoints } from '../messages/sending/endpoints.ts';
import { sendingsEndpoints } from '../messages/sendings/endpoints.ts';
import { optOutEndpoints } from '../opt-outs/endpoints.ts';
import { personEndpoints } from '../people/endpoints.ts';
import type { PeopleServices } from '../people/erasure.ts';
import { scheduledEndpoints } from '../scheduled/endpoints.ts';
import { startEndpoints } from '../start/endpoints.ts';
import { templateEndpoints } from '../templates/endpoints.ts';
import { webhookEndpoints } from '../webhooks/management/endpoints.ts';
import { callbackOpener } from '../webhooks/management/open-callback.ts';
import type { Administering as WebhookAdministering } from '../webhooks/management/webhook-api.ts';

/** The services that the handlers call. */
export interface EndpointParts {
  readonly sending: Resending;
  readonly batching: Batching;
  readonly intake: Intake;
  readonly starting: Starting;
  readonly conversing: Conversing;
  readonly simulating: Simulating;
  readonly webhooks: WebhookAdministering;
  readonly people: PeopleServices;
  readonly keys: ApiKeyIssuer;
  readonly users: UserAdministration;
}

export function apiEndpoints({ sending, starting, conversing, keys, ...parts }: EndpointParts) {
  const endpoints = [
    ...messageEndpoints(sending),
    ...batchEndpoints(parts.batching, parts.intake),
    ...emailEndpoints(sending),
    ...addressBookEndpoints(sending.store),
    ...jobEndpoints(starting),
    ...jobManagementEndpoints(starting),
    ...companyJobEndpoints(starting.sending),
    ...jobTypeEndpoints(starting.sending),
    ...webhookEndpoints(parts.webhooks),
    ...systemUserEndpoints(parts.webhooks),
    ...managementEndpoints(sending),
    ...sendingEndpoints(sending, callbackOpener(parts.webhooks)),
    ...sendingsEndpoints(sending),
    ...templateEndpoints(sending),
    ...usageEndpoints(sending),
    ...carrierEndpoints(sending.store),
    ...scheduledEndpoints(sending),
    ...findEndpoints(sending),
    ...contactManagementEndpoints(sending),
    ...conversationEndpoints(conversing),
    ...numberEndpoints(conversing),
    ...phoneEndpoints(parts.simulating),
    ...personEndpoints(parts.people),
    ...optOutEndpoints({ ...parts.people, turns: sending.turns }),
    ...auditEndpoints(sending),
    ...accountEndpoints(keys),
    ...userKeyEndpoints(keys),
    ...companyEndpoints(parts.users),
    ...companyBookEndpoints(sending),
    ...userEndpoints(parts.users),
    ...emailManagementEndpoints(sending),
    ...recentMailEndpoints(sending.store),
    ...alertEndpoints(sending),
    ...receiverEndpoints(parts.webhooks),
  ] as const;
  return [...endpoints, ...startEndpoints(endpoints)] as const;
}
