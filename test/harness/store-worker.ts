/**
 * The entry point of the store's threads under test, with the verbs of all rooms and of the `*-verbs.ts` files beside
 * this one.
 */
import { verbs } from '../../src/app/verbs.ts';
import { runSqliteWorker } from '../../src/storage/sqlite/worker.ts';
import { verbsOf } from '../../src/storage/verb.ts';
import * as acceptance from './acceptance-verbs.ts';
import * as account from './account-verbs.ts';
import * as alert from './alert-verbs.ts';
import * as audit from './audit-verbs.ts';
import * as batchReading from './batch-reading-verbs.ts';
import * as batch from './batch-verbs.ts';
import * as contact from './contact-verbs.ts';
import * as conversation from './conversation-verbs.ts';
import * as delivery from './delivery-verbs.ts';
import * as esme from './esme-verbs.ts';
import * as intake from './intake-verbs.ts';
import * as job from './job-verbs.ts';
import * as journal from './journal-verbs.ts';
import * as lease from './lease-verbs.ts';
import * as login from './login-verbs.ts';
import * as manyRows from './many-rows-verbs.ts';
import * as message from './message-verbs.ts';
import * as optOut from './opt-out-verbs.ts';
import * as outbox from './outbox-verbs.ts';
import * as quota from './quota-verbs.ts';
import * as search from './search-verbs.ts';
import * as storage from './storage-verbs.ts';
import * as template from './template-verbs.ts';
import * as webhook from './webhook-verbs.ts';

runSqliteWorker(
  new Map([
    ...verbs,
    ...verbsOf(
      acceptance,
      account,
      alert,
      audit,
      batch,
      batchReading,
      contact,
      conversation,
      delivery,
      esme,
      intake,
      job,
      journal,
      lease,
      login,
      manyRows,
      message,
      optOut,
      outbox,
      quota,
      search,
      storage,
      template,
      webhook,
    ),
  ]),
);
