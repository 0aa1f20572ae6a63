import { expect, test } from 'vitest';
import { verbs } from './verbs.ts';

test('[DLV-8] under overload the store refuses what callers of the API bring, and nothing that a node does by itself', () => {
  const refused = [...verbs.values()].filter((verb) => verb.kind === 'write' && verb.refusable === true);
  expect(refused.map(({ name }) => name).sort()).toEqual([
    'accounts.getOrCreateKey',
    'batches.begin',
    'batches.markStatusesRead',
    'batches.takeUnread',
    'email.acceptMail',
    'email.acceptTwoWayMail',
    'email.changeDefaults',
    'email.putEntry',
    'email.removeEntry',
    'messages.accept',
    'messages.acceptResent',
    'messages.acceptTwoWay',
    'messages.acceptTwoWayResent',
    'messages.cancel',
    'messages.lookAt',
    'messages.takeIncomingById',
    'messages.takeStatusesById',
    'messages.takeUnreadIncoming',
    'messages.takeUnreadStatuses',
  ]);
});
