import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesBelow } from '../../test/house/sources.ts';
import { verbs } from './verbs.ts';

test('[DLV-8] under overload the store refuses what callers of the API bring, and nothing that a node does by itself', () => {
  const refused = [...verbs.values()].filter((verb) => verb.kind === 'write' && verb.refusable === true);
  expect(refused.map(({ name }) => name).sort()).toEqual([
    'accounts.changeCompanyUser',
    'accounts.endKey',
    'accounts.getOrCreateKey',
    'accounts.linkCompanyUser',
    'accounts.makeCompanyUser',
    'accounts.makeKey',
    'accounts.removeCompanyUser',
    'audit.noteAct',
    'audit.noteLook',
    'batches.begin',
    'batches.markStatusesRead',
    'batches.resume',
    'batches.takeUnread',
    'email.acceptMail',
    'email.acceptTwoWayMail',
    'email.changeDefaults',
    'email.putEntry',
    'email.removeEntry',
    'email.removeListedEntry',
    'email.writeDefaults',
    'email.writeEntry',
    'filters.change',
    'filters.create',
    'filters.remove',
    'groups.change',
    'groups.create',
    'groups.remove',
    'messages.accept',
    'messages.acceptPoolReply',
    'messages.acceptReply',
    'messages.acceptResent',
    'messages.acceptTwoWay',
    'messages.acceptTwoWayResent',
    'messages.assignConversation',
    'messages.assignUnrouted',
    'messages.cancel',
    'messages.changeConversation',
    'messages.reschedule',
    'messages.storeSimulatedAnswer',
    'messages.takeIncomingById',
    'messages.takeStatusesById',
    'messages.takeUnreadIncoming',
    'messages.takeUnreadStatuses',
    'people.requestErasure',
    'portal.beginByLink',
    'portal.beginSession',
    'portal.changePassword',
    'templates.change',
    'templates.create',
    'templates.remove',
    'webhooks.change',
    'webhooks.make',
    'webhooks.remove',
    'webhooks.rotate',
  ]);
});

test('[RUN-1] the threads of the store know every verb that is declared', () => {
  const declaration = /\b(?:readVerb|snapshotVerb|writeVerb|singleWriteVerb)(?:<[^()]*>)?\(\s*'([\w.]+)'/g;
  const declared = filesBelow('src')
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(declaration)].map(([, name = '']) => name));
  expect(declared.length).toBeGreaterThan(200);
  expect(declared.filter((name) => !verbs.has(name))).toEqual([]);
});
