/**
 * Everything that is purged because of age alone. Where other conditions or other rows are involved, the purge is a verb of
 * its own: messages (`messages.purge`), batches (`batches.purge`), runs (`jobs.purge`), imports of contacts
 * (`contacts.purgeImports`), failed logins (`accounts.purgeLogins`), queues of webhooks (`webhooks.purgeQueue`) and the
 * journal (`changes.trim`).
 */
import { agedAlerts } from '../alerts/incident.ts';
import { agedAudit } from '../audit/audit-log.ts';
import { agedRecentMails } from '../email/gateway/recent-mail.ts';
import { agedMails } from '../email/gateway/store.ts';
import { agedFailedMails } from '../email/outgoing/outbox-store.ts';
import { agedClientMessages } from '../esme/accept-store.ts';
import { agedDeliveries } from '../esme/delivery.ts';
import { agedCarrierTests } from '../messages/carrier-test.ts';
import { agedReplies } from '../messages/incoming/opt-out-replies.ts';
import { agedMessages } from '../messages/upkeep/purge.ts';
import { agedOperatorSessions } from '../operators/session-store.ts';
import { agedNearMisses } from '../opt-outs/near-miss.ts';
import { agedErasures } from '../people/erasure.ts';
import { agedSessions } from '../portal/session-store.ts';
import type { AgedRows } from '../storage/retention.ts';
import { agedAttemptCounts } from '../webhooks/attempt-counts.ts';

export const agedRows: readonly AgedRows[] = [
  ...agedMessages,
  ...agedMails,
  agedRecentMails,
  agedFailedMails,
  agedAudit,
  ...agedSessions,
  agedOperatorSessions,
  agedNearMisses,
  agedReplies,
  agedCarrierTests,
  agedErasures,
  agedClientMessages,
  agedDeliveries,
  agedAttemptCounts,
  ...agedAlerts,
];
