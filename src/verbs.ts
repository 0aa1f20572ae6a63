/** All verbs of the store, in the order of a message's life: in a shared transaction they run in this order. */
import * as logins from './accounts/login-store.ts';
import * as accounts from './accounts/store.ts';
import * as users from './accounts/user-store.ts';
import * as abortBatches from './batches/abort-store.ts';
import * as acceptBatches from './batches/accept-store.ts';
import * as advanceBatches from './batches/advance-store.ts';
import * as batchCounts from './batches/counts-store.ts';
import * as holdBatches from './batches/hold-store.ts';
import * as batchInfo from './batches/info-store.ts';
import * as purgeBatches from './batches/purge-store.ts';
import * as batchStatuses from './batches/status-store.ts';
import * as carriers from './carriers/store.ts';
import * as contactRows from './contacts/contact-store.ts';
import * as contacts from './contacts/store.ts';
import * as tags from './contacts/tag-store.ts';
import * as emailDefaults from './email/defaults-store.ts';
import * as receivedMails from './email/mail-store.ts';
import * as recentMails from './email/recent-mail-store.ts';
import * as emailSenders from './email/store.ts';
import * as accept from './messages/accept-store.ts';
import * as adopt from './messages/adopt-store.ts';
import * as cancel from './messages/cancel-store.ts';
import * as carrierStates from './messages/carrier-state-store.ts';
import * as dispatch from './messages/dispatch-store.ts';
import * as due from './messages/due-store.ts';
import * as failover from './messages/failover-store.ts';
import * as idempotency from './messages/idempotency.ts';
import * as incomingParts from './messages/incoming-parts-store.ts';
import * as incoming from './messages/incoming-store.ts';
import * as inspect from './messages/inspect-store.ts';
import * as leases from './messages/lease-store.ts';
import * as nodes from './messages/node-store.ts';
import * as orphans from './messages/orphan-store.ts';
import * as passOn from './messages/pass-on-store.ts';
import * as purge from './messages/purge-store.ts';
import * as receipts from './messages/receipt-store.ts';
import * as retry from './messages/retry-receipts-store.ts';
import * as statuses from './messages/status-store.ts';
import * as takenParts from './messages/taken-parts-store.ts';
import * as unmatched from './messages/unmatched-receipt-store.ts';
import * as upkeep from './messages/upkeep-store.ts';
import * as usage from './messages/usage-store.ts';
import * as provisionedBooks from './provisioning/address-book-store.ts';
import * as provisioning from './provisioning/store.ts';
import * as routing from './routing/store.ts';
import * as ids from './storage/ids.ts';
import * as news from './storage/news.ts';
import * as secretChecks from './storage/secret-check.ts';
import { verbsOf } from './storage/verb.ts';
import * as templates from './templates/store.ts';

export const verbs = verbsOf(
  ids,
  news,
  secretChecks,
  accounts,
  users,
  logins,
  contacts,
  contactRows,
  tags,
  templates,
  emailDefaults,
  emailSenders,
  carriers,
  routing,
  provisioning,
  provisionedBooks,
  accept,
  idempotency,
  receivedMails,
  recentMails,
  acceptBatches,
  advanceBatches,
  abortBatches,
  holdBatches,
  batchInfo,
  dispatch,
  takenParts,
  orphans,
  passOn,
  receipts,
  retry,
  unmatched,
  adopt,
  leases,
  incoming,
  incomingParts,
  statuses,
  batchStatuses,
  batchCounts,
  cancel,
  nodes,
  due,
  upkeep,
  failover,
  carrierStates,
  purge,
  purgeBatches,
  usage,
  inspect,
);
