/**
 * Who gets the alerts of a monitoring program, and what happens then: a saved job starts, or SMS go out. A receiver belongs to a
 * company; one of its users acts and pays.
 */
import { usernames } from '../accounts/user-records.ts';
import type { SealedPlace } from '../foundation/sealing.ts';
import { inCompany, type Row, refusal, refusedField, type Values } from '../resources/declaration.ts';
import { Resource } from '../resources/resource.ts';
import { type IdSequence, leaseBlock } from '../storage/ids.ts';
import { oneOf, sql } from '../storage/sql.ts';
import {
  bigint,
  enumerated,
  inColumn,
  json,
  optional,
  StoredRecord,
  text,
  withoutAbsent,
} from '../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import { type AlertPointers, type AlertSource, alertSources } from './alert.ts';

export const maxReceivers = 100;
/** Alerts that fire at a time, for one receiver. */
export const maxFiring = 20_000;
/** An SMS of an alert goes to at most so many people. */
export const maxRecipientsOfAlert = 10_000;
export const maxNamesOfAlert = 100;
export const maxReceiverText = 1_000;
export const maxGroupMinutes = 60;
export const maxAgainHours = 168;
export const maxAcknowledgeHours = 168;
export const receiverDefaults = { groupMinutes: 5, againHours: 4, acknowledgeHours: 4 } as const;

/** Who gets an SMS. The filter is in string notation. */
export interface AlertRecipients {
  readonly numbers: readonly string[];
  readonly tagFilter?: string;
  readonly groups: readonly string[];
}

/** Either `start` or `send`. */
export interface ReceiverSettings {
  /** The id of a saved job. */
  readonly start?: number;
  readonly send?: AlertRecipients;
  /** With placeholders such as `{{title}}`. */
  readonly text: string;
  /** Alerts that follow within so many minutes belong to the same incident. */
  readonly groupMinutes: number;
  /** After so many hours people are woken again for what fires still and nobody has acknowledged; 0 for never. */
  readonly againHours: number;
  /** Whether alerts about this service itself wake people. */
  readonly ownAlerts: boolean;
  /** For the source `generic`. */
  readonly pointers?: AlertPointers;
}

/** Where acknowledgements go. The token and the password are sealed. */
export interface AcknowledgeSettings {
  readonly url: string;
  readonly hours: number;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
}

export const receiverFields = {
  /** Stays when the receiver is renamed. */
  receiverId: inColumn('id', bigint),
  source: enumerated(alertSources),
  userId: bigint,
  settings: json<ReceiverSettings>(),
  acknowledge: optional(json<AcknowledgeSettings>()),
} as const;

type Fields = typeof receiverFields;

interface Acting {
  /** The user name of the user that acts and pays. */
  readonly user: string;
}

export type AlertReceiver = Row<Fields, string, Acting>;

/** What is undefined is unchanged, and null is no longer there. */
export type GivenReceiver = {
  readonly [Name in keyof ReceiverSettings]?: ReceiverSettings[Name] | null | undefined;
} & {
  readonly source?: AlertSource | undefined;
  readonly userId?: number | undefined;
  readonly acknowledge?: AcknowledgeSettings | null | undefined;
};

export const receiverIds: IdSequence = { name: 'alertReceiver', first: 101 };

/** A secret goes with the address that it is for, and to no other. */
export function placeOfReceiverSecret(url: string, field: 'token' | 'password'): SealedPlace {
  return ['alertReceiver', url, field];
}

export const alertReceivers = new Resource<Fields, string, GivenReceiver, Acting>({
  noun: 'alert receiver',
  plural: 'alertReceivers',
  table: 'alert_receivers',
  scope: inCompany,
  fields: receiverFields,
  isCounted: true,
  isManagedByField: true,
  hint: 'alertreceivers',
  acts: { make: 'alertreceiver.make', change: 'alertreceiver.change', remove: 'alertreceiver.remove' },
  details: (after, before) => (before === undefined ? '' : changedIn(before, after).join(', ')),
  async become(transaction, { by: { companyId }, before, more = {} }) {
    if (before === undefined && (await countReceivers(transaction, companyId)) >= maxReceivers)
      return refusal('too_many_receivers', { sentence: 'too_many_receivers', most: maxReceivers });
    const after = receiverAfter(before, more);
    const missing = await ofOther(transaction, companyId, after.userId);
    if (missing) return refusal('not_found', { sentence: 'hidden_user', user: String(after.userId) });
    const wrong = contradictionIn(after);
    if (wrong !== undefined) return refusedField(wrong.field, 'invalid_value', { sentence: wrong.sentence });
    const receiverId = before?.receiverId ?? (await leaseBlock(transaction, { kind: receiverIds, size: 1 }));
    return { ...after, receiverId };
  },
  async afterwards(transaction, { before, after }) {
    if (before !== undefined && after === undefined) await loseReceivers(transaction, [before.receiverId]);
  },
  async extra(reading, rows) {
    const names = await usernames(
      reading,
      rows.map(({ userId }) => userId),
    );
    return rows.map(({ userId }) => ({ user: names.get(userId) ?? '' }));
  },
});

/** The incidents of receivers that are removed end at the next look at them. */
export async function loseReceivers(transaction: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction.run(
    sql`UPDATE incidents SET due_at = 0, version = version + 1
        WHERE receiver_id ${oneOf('bigint', ids)} AND state < 2`,
  );
}

async function countReceivers(reading: Reading, companyId: number): Promise<number> {
  const rows = await reading.all(
    sql`SELECT id FROM alert_receivers WHERE company_id = ${companyId} LIMIT ${maxReceivers}`,
  );
  return rows.length;
}

async function ofOther(reading: Reading, companyId: number, userId: number): Promise<boolean> {
  const found = await reading.first(
    sql`SELECT id FROM users WHERE id = ${userId} AND company_id = ${companyId}`,
  );
  return found === undefined;
}

export type ReceiverValues = Omit<Values<Fields>, 'receiverId'>;

/** The receiver after a call. What starts a job sends no SMS, and the other way round. */
export function receiverAfter(before: ReceiverValues | undefined, given: GivenReceiver): ReceiverValues {
  const { source, userId, acknowledge, start, send, ...settings } = given;
  const was = before?.settings;
  const kept = <Value>(wanted: Value | null | undefined, value: Value | undefined) =>
    wanted === undefined ? value : (wanted ?? undefined);
  const action =
    start != null
      ? { start }
      : send != null
        ? { send }
        : { start: kept(start, was?.start), send: kept(send, was?.send) };
  return {
    source: source ?? before?.source ?? 'generic',
    userId: userId ?? before?.userId ?? 0,
    settings: withoutAbsent({
      ...action,
      text: kept(settings.text, was?.text) ?? '',
      groupMinutes: kept(settings.groupMinutes, was?.groupMinutes) ?? receiverDefaults.groupMinutes,
      againHours: kept(settings.againHours, was?.againHours) ?? receiverDefaults.againHours,
      ownAlerts: kept(settings.ownAlerts, was?.ownAlerts) ?? false,
      pointers: kept(settings.pointers, was?.pointers),
    }),
    acknowledge: kept(acknowledge, before?.acknowledge),
  };
}

export interface ReceiverContradiction {
  readonly field: 'start' | 'send' | 'acknowledge' | 'pointers';
  readonly sentence: 'receiver_action' | 'receiver_nobody' | 'receiver_unacknowledged' | 'receiver_pointers';
}

/** What no receiver may be, set up by a file or by a call. */
export function contradictionIn({
  source,
  settings: { start, send, pointers },
  acknowledge,
}: Pick<ReceiverValues, 'source' | 'settings' | 'acknowledge'>): ReceiverContradiction | undefined {
  if ((start === undefined) === (send === undefined)) return { field: 'start', sentence: 'receiver_action' };
  if (send !== undefined && send.numbers.length + send.groups.length === 0 && send.tagFilter === undefined)
    return { field: 'send', sentence: 'receiver_nobody' };
  if (acknowledge !== undefined && source === 'uptimekuma')
    return { field: 'acknowledge', sentence: 'receiver_unacknowledged' };
  if (pointers !== undefined && source !== 'generic')
    return { field: 'pointers', sentence: 'receiver_pointers' };
  return undefined;
}

const settingNames = [
  ...(['start', 'send', 'text', 'groupMinutes', 'againHours', 'ownAlerts', 'pointers'] as const),
];

/** The log tells what was changed, but no text, no number and no secret. */
function changedIn(before: AlertReceiver, after: AlertReceiver): readonly string[] {
  const isOther = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
  return [
    ...(['source', 'user', 'acknowledge'] as const).filter((name) => isOther(before[name], after[name])),
    ...settingNames.filter((name) => isOther(before.settings[name], after.settings[name])),
  ];
}

const foundReceiver = new StoredRecord({
  id: bigint,
  companyId: bigint,
  name: text,
  source: enumerated(alertSources),
  userId: bigint,
  settings: json<ReceiverSettings>(),
  acknowledge: optional(json<AcknowledgeSettings>()),
});

/** A receiver for those who work for it. */
export type FoundReceiver = {
  readonly id: number;
  readonly companyId: number;
  readonly name: string;
} & ReceiverValues;

/** Null if the company has no receiver of this name. */
export const findReceiver = readVerb(
  'alerts.findReceiver',
  async (
    reading,
    { companyId, name }: { readonly companyId: number; readonly name: string },
  ): Promise<FoundReceiver | null> =>
    (await foundReceiver.first(reading)`
      FROM alert_receivers WHERE company_id = ${companyId} AND name = ${name}`) ?? null,
);

/** The receivers with these ids, by id; receivers that have been removed are absent. */
export async function receiversById(
  reading: Reading,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FoundReceiver>> {
  if (ids.length === 0) return new Map();
  const found = await foundReceiver.all(reading)`FROM alert_receivers WHERE id ${oneOf('bigint', ids)}`;
  return new Map(found.map((one) => [one.id, one]));
}
