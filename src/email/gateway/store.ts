/** All SQL for incoming e-mails: each number is sent to once, in the transaction that accepts its message. */
import { findCompany } from '../../accounts/company-records.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../../messages/sending/accept.ts';
import type { AgedRows } from '../../storage/retention.ts';
import { oneOf, rowSet, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction, writeVerb } from '../../storage/verb.ts';
import type { DeliveryKey } from './delivery-keys.ts';

/** The destination of receipts and answers, which are sent as replies to the incoming e-mail. */
export interface ReturnAddress {
  readonly address: string;
  readonly messageId: string | null;
  readonly subject: string;
  /**
   * The references for replies: the oldest id of the conversation first, that of this e-mail last (RFC 5322, section
   * 3.6.4).
   */
  readonly references: readonly string[];
  /** A program wrote the e-mail, so nothing goes back to it (RFC 3834, section 2). */
  readonly isAutomatic: boolean;
  readonly onlyNonDelivery: boolean;
  readonly origMsg: boolean;
}

export interface MailAcceptance {
  readonly acceptance: Acceptance;
  readonly deliveries: readonly DeliveryKey[];
  /** Null if nothing goes back; otherwise the SMS comes from a pool number. */
  readonly returnTo: ReturnAddress | null;
  readonly now: number;
}

export type MailAccepted =
  | Accepted
  /** These numbers already had the e-mail. Nothing was stored. */
  | { readonly kind: 'delivered'; readonly numbers: readonly string[] }
  /** The same e-mail is being accepted concurrently; retry. */
  | { readonly kind: 'meanwhile' };

const weightOf = ({ acceptance, deliveries }: MailAcceptance) => acceptance.rows.length + deliveries.length;

export const acceptMail = refusable(
  writeVerb<MailAcceptance, MailAccepted>(
    'email.acceptMail',
    (transaction, inputs) => accept(transaction, inputs, 'asGiven'),
    weightOf,
  ),
);

/** A separate verb, as for other SMS, because the pool is locked before any account. */
export const acceptTwoWayMail = refusable(
  writeVerb<MailAcceptance, MailAccepted>(
    'email.acceptTwoWayMail',
    (transaction, inputs) => accept(transaction, inputs, 'fromPool'),
    weightOf,
  ),
);

export function acceptingMail(store: Pick<Store, 'write'>) {
  return (input: MailAcceptance): Promise<MailAccepted> =>
    store.write(input.returnTo === null ? acceptMail : acceptTwoWayMail, input);
}

/** Returns the outcome that accepting an e-mail would have; everything it stores is rolled back before anyone can see it. */
export const tryMail = singleWriteVerb(
  'email.tryMail',
  async (transaction, input: MailAcceptance): Promise<MailAccepted> => {
    await transaction.run(sql`SAVEPOINT tried`);
    const senders = input.returnTo === null ? 'asGiven' : 'fromPool';
    const [outcome] = await accept(transaction, [input], senders);
    await transaction.run(sql`ROLLBACK TO SAVEPOINT tried`);
    return outcome as MailAccepted;
  },
  weightOf,
);

/**
 * Takes the keys first, in one order across all inputs: another node that needs the same keys waits there and holds nothing
 * yet that this one needs.
 */
async function accept(
  transaction: Transaction,
  inputs: readonly MailAcceptance[],
  senders: 'asGiven' | 'fromPool',
): Promise<MailAccepted[]> {
  const first = firstOfTheirKeys(inputs);
  const claimed = await claimKeys(transaction, [...first]);
  const fresh = [...first].filter(({ deliveries }) => deliveries.every(({ key }) => claimed.has(key)));
  const accepted = await acceptWithin(
    transaction,
    fresh.map(({ acceptance, returnTo }) =>
      isAnswered(returnTo) ? { ...acceptance, listened: true } : acceptance,
    ),
    senders,
  );
  const outcomes = new Map(fresh.map((input, place) => [input, accepted[place] as Accepted]));
  const stored = fresh.filter((input) => outcomes.get(input)?.kind === 'accepted');
  await keepReturnAddresses(transaction, stored);
  const kept = new Set(stored);
  const refused = [...first].filter((input) => !kept.has(input));
  await forgetKeys(
    transaction,
    refused.flatMap(({ deliveries }) => deliveries.map(({ key }) => key)).filter((key) => claimed.has(key)),
  );
  return inputs.map((input) => {
    if (!first.has(input)) return { kind: 'meanwhile' };
    const known = input.deliveries.filter(({ key }) => !claimed.has(key)).map(({ number }) => number);
    return outcomes.get(input) ?? { kind: 'delivered', numbers: [...new Set(known)] };
  });
}

/** A key that another input of the set is about to claim is neither free nor taken yet. */
function firstOfTheirKeys(inputs: readonly MailAcceptance[]): ReadonlySet<MailAcceptance> {
  const seen = new Set<string>();
  return new Set(
    inputs.filter(({ deliveries }) => {
      if (deliveries.some(({ key }) => seen.has(key))) return false;
      for (const { key } of deliveries) seen.add(key);
      return true;
    }),
  );
}

const keyColumns = { delivery_key: 'text', expires_at: 'bigint' } as const;

/** Returns the keys that were free; expired keys count as free. */
async function claimKeys(
  transaction: Transaction,
  inputs: readonly MailAcceptance[],
): Promise<ReadonlySet<string>> {
  const rows = inputs.flatMap(({ deliveries }) => deliveries.map(({ key, expiresAt }) => [key, expiresAt]));
  if (rows.length === 0) return new Set();
  rows.sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  const now = Math.max(...inputs.map((input) => input.now));
  const free = await transaction.all<{ delivery_key: string }>(
    sql`INSERT INTO email_deliveries (delivery_key, expires_at)
        SELECT delivery_key, expires_at FROM ${rowSet('claimed', keyColumns, rows)} WHERE 1 = 1
        ON CONFLICT (delivery_key) DO UPDATE SET expires_at = excluded.expires_at
          WHERE email_deliveries.expires_at <= ${now}
        RETURNING delivery_key`,
  );
  return new Set(free.map((row) => row.delivery_key));
}

/** Frees the keys of a refused e-mail: its server may try again, and the e-mail may then be sent. */
async function forgetKeys(transaction: Transaction, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await transaction.run(sql`DELETE FROM email_deliveries WHERE delivery_key ${oneOf('text', keys)}`);
}

function isAnswered(returnTo: ReturnAddress | null): returnTo is ReturnAddress {
  return returnTo !== null && !returnTo.isAutomatic;
}

const returnColumns = {
  company_id: 'bigint',
  message_id: 'bigint',
  mail_id: 'bigint',
  return_address: 'text',
  mail_message_id: 'text',
  mail_references: 'text',
  subject: 'text',
  only_non_delivery: 'smallint',
  orig_msg: 'smallint',
  received_at: 'bigint',
} as const;

async function keepReturnAddresses(
  transaction: Transaction,
  inputs: readonly MailAcceptance[],
): Promise<void> {
  const rows = inputs.flatMap(({ acceptance, returnTo, now }) => {
    if (!isAnswered(returnTo)) return [];
    const { address, messageId, references, subject, onlyNonDelivery, origMsg } = returnTo;
    const ids = messageIdsIn(acceptance);
    return ids.map((id) => [
      ...[acceptance.companyId, id, ids[0] ?? id, address, messageId, references.join(' '), subject],
      ...[Number(onlyNonDelivery), Number(origMsg), now],
    ]);
  });
  if (rows.length > 0) await transaction.insert('email_messages', returnColumns, rows);
}

/** Returns which of these keys are known. */
export const findDelivered = readVerb(
  'email.findDelivered',
  async (reading, { keys, now }: { readonly keys: readonly string[]; readonly now: number }) => {
    const rows = await reading.all<{ delivery_key: string }>(
      sql`SELECT delivery_key FROM email_deliveries
          WHERE delivery_key ${oneOf('text', keys)} AND expires_at > ${now}`,
    );
    return new Set(rows.map((row) => row.delivery_key));
  },
);

/** The line beginnings at which a company's e-mails are cut. */
export const findMailCut = readVerb(
  'email.findMailCut',
  async (reading, companyId: number) => (await findCompany(reading, companyId))?.mailCut ?? [],
);

/** The sender id that the company's rules give to e-mails from a domain; null if none. */
export const findSenderRule = readVerb(
  'email.findSenderRule',
  async (reading, { companyId, domain }: { readonly companyId: number; readonly domain: string }) => {
    const rule = await reading.first<{ sender: string }>(
      sql`SELECT sender FROM email_sender_rules WHERE company_id = ${companyId} AND domain = ${domain}`,
    );
    return rule?.sender ?? null;
  },
);

/** Rows that are purged because of age: keys and return addresses. */
export const agedMails: readonly AgedRows[] = [
  { table: 'email_deliveries', key: 'delivery_key', time: 'expires_at', keptMs: 0 },
  { table: 'email_messages', key: 'company_id, message_id', time: 'received_at' },
];
