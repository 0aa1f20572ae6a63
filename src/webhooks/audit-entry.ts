/** What the audit log says of a webhook that was made, changed or removed: by its pages and by command. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '../audit/audit-log.ts';
import type { Edit } from '../foundation/edit.ts';
import type { WebhookRecord } from './endpoint-records.ts';

type Entry = Pick<AuditEntry, 'act' | 'object' | 'details'>;

/** Names what was changed, and not to what: an address may have a key in it. Whether texts leave the house is told. */
export function webhookEntry(
  act: AuditEntry['act'],
  { id, text, user }: WebhookRecord,
  what: readonly string[] = [],
): Entry {
  const of = user === undefined ? 'of the company' : `of ${user}`;
  return { act, object: id, details: [of, `text: ${text}`, ...what].join(', ') };
}

export function changedKeys(before: WebhookRecord, after: WebhookRecord): readonly (keyof WebhookRecord)[] {
  return (Object.keys(after) as (keyof WebhookRecord)[]).filter(
    (key) => !isDeepStrictEqual(before[key], after[key]),
  );
}

export function rotation(isFinished: boolean): string {
  return isFinished ? 'the newest secret alone' : 'a new secret';
}

export function entryOfEdit({ before, after }: Edit<WebhookRecord>): Entry {
  if (after === undefined) return webhookEntry('webhook.remove', before as WebhookRecord);
  if (before === undefined) return webhookEntry('webhook.make', after);
  const keys = changedKeys(before, after);
  if (!isDeepStrictEqual(keys, ['secrets'])) return webhookEntry('webhook.change', after, keys);
  return webhookEntry('webhook.rotate', after, [rotation(after.secrets.length < before.secrets.length)]);
}
