/** All verbs of the store, in the order of a message's life, which is also their order within a shared transaction. */

import * as accounts from '../accounts/account.ts';
import * as ownKeys from '../accounts/api-keys.ts';
import * as companyKeys from '../accounts/company-keys.ts';
import * as identityProviders from '../accounts/identity-providers.ts';
import * as logins from '../accounts/login-store.ts';
import * as users from '../accounts/logins.ts';
import * as managedUsers from '../accounts/set-keys.ts';
import * as smppLogins from '../accounts/smpp-logins.ts';
import * as company from '../administration/company.ts';
import * as companyBooks from '../administration/company-book.ts';
import * as companyUsers from '../administration/company-user-store.ts';
import * as userKeys from '../administration/user-key.ts';
import * as acknowledgements from '../alerts/acknowledgement-store.ts';
import * as alertAssignment from '../alerts/assign-store.ts';
import * as incidentLists from '../alerts/incident-lists.ts';
import * as incidents from '../alerts/incident-store.ts';
import * as alertReceivers from '../alerts/receiver.ts';
import * as alertRecipients from '../alerts/recipients.ts';
import * as takenAlerts from '../alerts/take-store.ts';
import * as audit from '../audit/audit-log.ts';
import * as holdBatches from '../batches/hours/hold-store.ts';
import * as acceptBatches from '../batches/intake/accept-store.ts';
import * as actsOnBatches from '../batches/management/acting-on-batch.ts';
import * as failedOfBatches from '../batches/management/failed-store.ts';
import * as namedBatches from '../batches/management/named-batches.ts';
import * as visibleBatches from '../batches/management/visible-batch.ts';
import * as batchCounts from '../batches/reading/counts.ts';
import * as batchInfo from '../batches/reading/info.ts';
import * as batchStatuses from '../batches/reading/statuses.ts';
import * as waitingBatches from '../batches/reading/waiting-store.ts';
import * as advanceBatches from '../batches/steps/advance-store.ts';
import * as purgeBatches from '../batches/steps/purge.ts';
import * as carriers from '../carriers/provisioned/carrier-rows.ts';
import * as heldReader from '../changes/held-reader.ts';
import * as journal from '../changes/journal.ts';
import * as listening from '../changes/tracking.ts';
import { companyResources } from '../company-resources.ts';
import * as contacts from '../contacts/address-book.ts';
import * as contactRows from '../contacts/contact-store.ts';
import * as terms from '../contacts/contact-terms.ts';
import * as filterPages from '../contacts/filter-pages.ts';
import * as imports from '../contacts/import/import-store.ts';
import * as externalIds from '../contacts/managed-contacts.ts';
import * as writtenContacts from '../contacts/management/change-contact-store.ts';
import * as contactPages from '../contacts/management/contact-pages.ts';
import * as savedFilters from '../contacts/management/filters.ts';
import * as groups from '../contacts/management/groups.ts';
import * as visibleBooks from '../contacts/management/visible-books.ts';
import * as contactNames from '../contacts/names-of-numbers.ts';
import * as contactsOfNumber from '../contacts/of-number-records.ts';
import * as people from '../contacts/people.ts';
import * as tags from '../contacts/tags.ts';
import * as recentMails from '../email/gateway/recent-mail.ts';
import * as receivedMails from '../email/gateway/store.ts';
import * as senderDefaults from '../email/management/company-defaults.ts';
import * as listedSenders from '../email/management/listed-sender.ts';
import * as payers from '../email/management/payers.ts';
import * as outbox from '../email/outgoing/outbox-store.ts';
import * as mailChanges from '../email/outgoing/take-changes-store.ts';
import * as emailSenders from '../email/senders/store.ts';
import * as clientAcceptance from '../esme/accept-store.ts';
import * as clientBinds from '../esme/binds-store.ts';
import * as clientDeliveries from '../esme/delivery.ts';
import * as clientEnds from '../esme/end-parts.ts';
import * as clientParts from '../esme/part.ts';
import * as clientQueries from '../esme/query.ts';
import * as clientChanges from '../esme/take-changes-store.ts';
import * as answerLinks from '../jobs/answer-by-link.ts';
import * as companyJobs from '../jobs/company-job.ts';
import * as companyTypes from '../jobs/company-type.ts';
import * as followedRuns from '../jobs/followed-run.ts';
import * as jobMails from '../jobs/mails-store.ts';
import * as visibleRuns from '../jobs/management/runs.ts';
import * as purgedRuns from '../jobs/purge-runs.ts';
import * as runRecords from '../jobs/record.ts';
import * as runs from '../jobs/run-store.ts';
import * as savedJobs from '../jobs/saved-job.ts';
import * as readRuns from '../jobs/stored-runs.ts';
import * as systemUsers from '../jobs/system-user.ts';
import * as carrierTests from '../messages/carrier-test.ts';
import * as quotaLeft from '../messages/charging.ts';
import * as conversations from '../messages/conversations/conversation.ts';
import * as companyNumbers from '../messages/conversations/numbers.ts';
import * as releases from '../messages/conversations/release-records.ts';
import * as replies from '../messages/conversations/reply-store.ts';
import * as threads from '../messages/conversations/thread-store.ts';
import * as claims from '../messages/dispatch/claim.ts';
import * as orphans from '../messages/dispatch/orphans.ts';
import * as outcomes from '../messages/dispatch/store.ts';
import * as takenParts from '../messages/dispatch/taken-parts.ts';
import * as passOn from '../messages/failover/pass-on.ts';
import * as failover from '../messages/failover/reassignment.ts';
import * as idempotency from '../messages/idempotency.ts';
import * as optOutReplies from '../messages/incoming/opt-out-replies.ts';
import * as incomingParts from '../messages/incoming/parts.ts';
import * as incoming from '../messages/incoming/store.ts';
import * as ofNumber from '../messages/management/of-number-records.ts';
import * as resending from '../messages/management/resend-store.ts';
import * as scheduled from '../messages/management/scheduled.ts';
import * as search from '../messages/management/search-store.ts';
import * as sentUsage from '../messages/management/usage.ts';
import * as carrierStates from '../messages/nodes/carrier-states.ts';
import * as serviceState from '../messages/nodes/service-state.ts';
import * as nodes from '../messages/nodes/store.ts';
import * as cancel from '../messages/operator/cancel.ts';
import * as inspect from '../messages/operator/inspect.ts';
import * as optOutPolicies from '../messages/opted-out.ts';
import * as phones from '../messages/phones/store.ts';
import * as retry from '../messages/receipts/retry-store.ts';
import * as receipts from '../messages/receipts/store.ts';
import * as unmatched from '../messages/receipts/unmatched.ts';
import * as accept from '../messages/sending/accept.ts';
import * as sendingActs from '../messages/sendings/acts.ts';
import * as sendingPeople from '../messages/sendings/people.ts';
import * as sendingPurge from '../messages/sendings/purge.ts';
import * as sendings from '../messages/sendings/sending.ts';
import * as statuses from '../messages/status.ts';
import * as trackedMessages from '../messages/tracked.ts';
import * as adopt from '../messages/upkeep/adopt-store.ts';
import * as due from '../messages/upkeep/due-store.ts';
import * as mendLog from '../messages/upkeep/mend-log.ts';
import * as purge from '../messages/upkeep/purge.ts';
import * as upkeep from '../messages/upkeep/store.ts';
import * as seenCompanies from '../operators/company-store.ts';
import * as operatorFactors from '../operators/factor-store.ts';
import * as operatorSessions from '../operators/session-store.ts';
import * as nearMisses from '../opt-outs/near-miss.ts';
import * as optOutsOfRemoved from '../opt-outs/of-removed-companies.ts';
import * as optOuts from '../opt-outs/opt-out.ts';
import * as erasures from '../people/erasure.ts';
import * as factors from '../portal/factor-store.ts';
import * as providerSessions from '../portal/provider-store.ts';
import * as sessions from '../portal/session-store.ts';
import * as appliedFiles from '../provisioning/applied-files.ts';
import * as provisioning from '../provisioning/store.ts';
import * as numbers from '../routing/number-records.ts';
import * as routes from '../routing/route-records.ts';
import * as ids from '../storage/ids.ts';
import * as news from '../storage/news.ts';
import * as retention from '../storage/retention.ts';
import * as secretChecks from '../storage/secret-check.ts';
import * as storeSize from '../storage/size.ts';
import * as quickChecks from '../storage/sqlite/quick-check.ts';
import { verbsOf } from '../storage/verb.ts';
import { findTemplateText } from '../templates/template.ts';
import * as callbackUrls from '../webhooks/callback-url.ts';
import * as webhookAdministration from '../webhooks/management/administration-store.ts';
import * as webhookPulls from '../webhooks/management/pull-events.ts';
import * as webhookPurge from '../webhooks/outbox/purge.ts';
import * as webhookQueues from '../webhooks/outbox/queue-changes.ts';
import * as webhookBeginning from '../webhooks/sending/begin-tracking.ts';
import * as webhookSending from '../webhooks/sending/sending-store.ts';
import * as webhooks from '../webhooks/webhook.ts';

export const verbs = verbsOf(
  ids,
  quickChecks,
  news,
  secretChecks,
  accounts,
  ownKeys,
  companyKeys,
  userKeys,
  users,
  managedUsers,
  smppLogins,
  company,
  companyBooks,
  companyUsers,
  logins,
  factors,
  sessions,
  providerSessions,
  identityProviders,
  operatorSessions,
  operatorFactors,
  audit,
  contacts,
  contactRows,
  people,
  contactNames,
  contactsOfNumber,
  tags,
  externalIds,
  ...[terms, visibleBooks, contactPages, filterPages, writtenContacts, groups, savedFilters, imports],
  companyResources,
  { findTemplateText },
  emailSenders,
  listedSenders,
  payers,
  senderDefaults,
  carriers,
  routes,
  numbers,
  provisioning,
  optOuts,
  optOutsOfRemoved,
  nearMisses,
  optOutPolicies,
  optOutReplies,
  accept,
  resending,
  replies,
  trackedMessages,
  savedJobs,
  companyJobs,
  companyTypes,
  systemUsers,
  readRuns,
  runs,
  answerLinks,
  jobMails,
  visibleRuns,
  idempotency,
  receivedMails,
  recentMails,
  clientParts,
  clientAcceptance,
  acceptBatches,
  advanceBatches,
  actsOnBatches,
  namedBatches,
  visibleBatches,
  failedOfBatches,
  holdBatches,
  batchInfo,
  claims,
  outcomes,
  takenParts,
  orphans,
  passOn,
  receipts,
  retry,
  unmatched,
  carrierTests,
  adopt,
  quotaLeft,
  incoming,
  incomingParts,
  phones,
  companyNumbers,
  conversations,
  releases,
  threads,
  statuses,
  batchStatuses,
  batchCounts,
  cancel,
  nodes,
  due,
  upkeep,
  failover,
  carrierStates,
  listening,
  heldReader,
  journal,
  webhookQueues,
  webhookSending,
  webhookBeginning,
  webhookAdministration,
  webhookPulls,
  webhooks,
  callbackUrls,
  webhookPurge,
  acknowledgements,
  clientBinds,
  clientQueries,
  clientChanges,
  clientDeliveries,
  clientEnds,
  mailChanges,
  outbox,
  purge,
  retention,
  mendLog,
  sendings,
  sendingPeople,
  sendingActs,
  sendingPurge,
  ofNumber,
  erasures,
  purgeBatches,
  purgedRuns,
  runRecords,
  followedRuns,
  alertReceivers,
  takenAlerts,
  alertAssignment,
  incidents,
  incidentLists,
  alertRecipients,
  inspect,
  search,
  scheduled,
  sentUsage,
  seenCompanies,
  serviceState,
  appliedFiles,
  storeSize,
  waitingBatches,
);
