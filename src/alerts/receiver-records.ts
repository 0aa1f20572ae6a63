/** Alert receivers in the words of a provisioning file. */
import { companyIds, companyNames } from '../accounts/company-records.ts';
import { userIds, usernames } from '../accounts/user-records.ts';
import type { Provisioned } from '../resources/resource.ts';
import { leaseBlock } from '../storage/ids.ts';
import { withoutAbsent } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { AlertSource } from './alert.ts';
import {
  type AcknowledgeSettings,
  alertReceivers,
  loseReceivers,
  type ReceiverSettings,
  type receiverFields,
  receiverIds,
} from './receiver.ts';

export interface ReceiverRecord extends Omit<ReceiverSettings, 'start' | 'send' | 'pointers'> {
  /** The company's name. */
  readonly company: string;
  readonly name: string;
  readonly source: AlertSource;
  /** The user name of the user that acts and pays. */
  readonly user: string;
  readonly start: ReceiverSettings['start'] | undefined;
  readonly send: ReceiverSettings['send'] | undefined;
  readonly pointers: ReceiverSettings['pointers'] | undefined;
  readonly acknowledge: AcknowledgeSettings | undefined;
}

type Row = Provisioned<typeof receiverFields, string>;

export async function readReceivers(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly ReceiverRecord[]> {
  const ids = [...(await companyIds(reading, companies)).values()];
  const rows = await alertReceivers.readAll(reading, ids);
  const names = await companyNames(reading, ids);
  const users = await usernames(
    reading,
    rows.map(({ userId }) => userId),
  );
  return rows.map(({ scopeId, key, source, userId, settings, acknowledge }) => {
    const { start, send, pointers, ...others } = settings;
    return {
      company: names.get(scopeId) ?? '',
      name: key,
      source,
      user: users.get(userId) ?? '',
      start,
      send,
      ...others,
      pointers,
      acknowledge,
    };
  });
}

/** Creates receivers, or changes those that are there, which keep their ids. */
export async function putReceivers(
  transaction: Transaction,
  records: readonly ReceiverRecord[],
): Promise<void> {
  const companies = await companyIds(
    transaction,
    records.map(({ company }) => company),
  );
  const users = await userIds(
    transaction,
    records.map(({ user }) => user),
  );
  const kept = await alertReceivers.readAll(transaction, [...companies.values()]);
  const idOf = new Map(kept.map((row) => [`${row.scopeId} ${row.key}`, row.receiverId]));
  const first = await leaseBlock(transaction, { kind: receiverIds, size: records.length });
  const rows = records.map((record, index): Row => {
    const { company, name: key, source, user, acknowledge, ...settings } = record;
    const scopeId = companies.get(company) as number;
    return {
      scopeId,
      key,
      receiverId: idOf.get(`${scopeId} ${key}`) ?? first + index,
      source,
      userId: users.get(user) as number,
      settings: withoutAbsent(settings),
      acknowledge,
    };
  });
  await alertReceivers.putAll(transaction, rows);
}

export async function removeReceivers(
  transaction: Transaction,
  records: readonly ReceiverRecord[],
): Promise<void> {
  const companies = await companyIds(
    transaction,
    records.map(({ company }) => company),
  );
  const keys = records.flatMap(({ company, name: key }) => {
    const scopeId = companies.get(company);
    return scopeId === undefined ? [] : [{ scopeId, key }];
  });
  const named = new Set(keys.map(({ scopeId, key }) => `${scopeId} ${key}`));
  const kept = await alertReceivers.readAll(transaction, [...companies.values()]);
  await alertReceivers.removeAll(transaction, keys);
  const removed = kept.filter(({ scopeId, key }) => named.has(`${scopeId} ${key}`));
  await loseReceivers(
    transaction,
    removed.map(({ receiverId }) => receiverId),
  );
}
