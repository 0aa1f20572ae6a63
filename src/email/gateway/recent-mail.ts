/**
 * The results of the mails of the last days, for the operator who is asked what became of one: sender, recipients and
 * reason, but nothing of the content. Its size is bounded, whatever anybody sends.
 */
import type { Caller } from '../../accounts/caller.ts';
import { companyIds, companyNames } from '../../accounts/company-records.ts';
import { Budget } from '../../foundation/budget.ts';
import type { Clock } from '../../foundation/clock.ts';
import { printable } from '../../foundation/terminal.ts';
import { networkOf } from '../../http/origin.ts';
import type { AgedRows } from '../../storage/retention.ts';
import { oneOf, raw, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Store } from '../../storage/store.ts';
import { bigint, flag, integer, json, optional, StoredRecord, text } from '../../storage/stored-record.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import type { MailAnswer, MailRefusal } from './mail-answer.ts';
import type { MailFindings } from './receive-mail.ts';

export interface RecentMail {
  readonly receivedAt: number;
  readonly ring: number;
  /** The other end of the connection. */
  readonly address: string;
  /** Who sent it, or says so. */
  readonly sender: string;
  readonly isProven: boolean;
  /** The first few, as written. */
  readonly recipients: readonly string[];
  readonly recipientCount: number;
  readonly outcome: 'sent' | 'repeated' | 'ignored' | 'refused';
  /** Undefined unless it was refused. */
  readonly reason: MailRefusal | 'no_phone' | undefined;
  /** The answer that the sender's server got. */
  readonly answer: string;
  /** The first few of what it sent. */
  readonly messageIds: readonly string[];
}

/**
 * Each company has a ring of slots, in which the newest takes the place of the oldest, and so have those who belong to
 * none. So nobody's mail can take the place of another company's.
 */
export const ringOf = { strangers: -1, relays: 0 } as const;

/** Each ring has as many. */
export const slotsOfRing = 500;

const maxListed = 10;
/** RFC 5321 4.5.3.1.3 allows an address of 254 characters. */
const maxAddressLength = 254;

export interface MailToRecord extends Omit<RecentMail, 'receivedAt'> {
  /** Brought by nobody who is trusted, so that it counts with its network. */
  readonly isOfStranger: boolean;
}

export type RecordedAnswer =
  | Extract<MailAnswer, { readonly kind: 'taken' }>
  | { readonly kind: 'refused'; readonly reason: MailRefusal | 'no_phone'; readonly text: string };

/** `user`: who has logged in to bring it. */
export function recordOf(
  answer: RecordedAnswer,
  {
    address,
    user,
    isStranger,
  }: { readonly address: string; readonly user: Caller | undefined; readonly isStranger: boolean },
  { sender, isProven, companyId }: MailFindings,
  recipients: readonly string[],
): MailToRecord {
  const ofNobody = isStranger ? ringOf.strangers : ringOf.relays;
  return {
    ring: companyId ?? user?.companyId ?? ofNobody,
    address,
    isProven,
    isOfStranger: isStranger,
    sender: shortened(sender),
    recipients: recipients.slice(0, maxListed).map(shortened),
    recipientCount: recipients.length,
    outcome: outcomeOf(answer),
    reason: answer.kind === 'refused' ? answer.reason : undefined,
    answer: answer.text,
    messageIds: answer.kind === 'taken' ? answer.messageIds.slice(0, maxListed) : [],
  };
}

function outcomeOf(answer: RecordedAnswer): RecentMail['outcome'] {
  if (answer.kind === 'refused') return 'refused';
  return answer.what === 'automatic' ? 'ignored' : answer.what;
}

/** PostgreSQL stores no NUL, which an address that somebody sends may hold. */
function shortened(address: string): string {
  return printable(address.slice(0, maxAddressLength));
}

interface MailRecordsOptions {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
}

const maxWaiting = 200;
const hourMs = 3_600_000;
/** Records of strangers in an hour. */
const ofStrangers = { inAll: 300, ofOwner: 20 };

/**
 * Records the results of mails after they were answered: nobody waits for it, and a crash loses what is not written. Only
 * a limited number an hour is kept of strangers, and a few of each network.
 */
export class MailRecords {
  readonly #options: MailRecordsOptions;
  #waiting: RecentMail[] = [];
  #lost = 0;
  #writing: Promise<void> | undefined;
  #hour = 0;
  /** Owners are networks. */
  #ofStrangers = new Budget(ofStrangers);

  constructor(options: MailRecordsOptions) {
    this.#options = options;
  }

  record({ isOfStranger, ...mail }: MailToRecord): void {
    const receivedAt = this.#options.clock.now();
    if (isOfStranger && mail.outcome !== 'sent' && !this.#hasRoom(mail.address, receivedAt)) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push({ ...mail, receivedAt });
    this.#writing ??= this.#write();
  }

  /** When all that waits is kept. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  #hasRoom(address: string, now: number): boolean {
    const hour = Math.floor(now / hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#ofStrangers = new Budget(ofStrangers);
    }
    return this.#ofStrangers.take(1, networkOf(address));
  }

  async #write(): Promise<void> {
    const { store, log } = this.#options;
    while (this.#waiting.length > 0) {
      const mails = this.#waiting;
      this.#waiting = [];
      try {
        await store.write(recordMails, mails);
      } catch (error) {
        this.#lost += mails.length;
        log.warn({ err: error }, 'what became of mails could not be kept');
      }
    }
    if (this.#lost > 0) log.warn({ lost: this.#lost }, 'what became of some mails is not kept');
    this.#lost = 0;
    this.#writing = undefined;
  }
}

const stored = new StoredRecord({
  receivedAt: bigint,
  address: text,
  sender: text,
  isProven: flag,
  recipients: json<readonly string[]>(),
  recipientCount: integer,
  outcome: text,
  reason: optional(text),
  answer: text,
  messageIds: json<readonly string[]>(),
});

/** At most as many as a ring has slots. */
export const recordMails = singleWriteVerb(
  'email.recordMails',
  async (transaction, mails: readonly RecentMail[]) => {
    const byRing = new Map<number, RecentMail[]>();
    for (const mail of mails) byRing.set(mail.ring, [...(byRing.get(mail.ring) ?? []), mail]);
    const rows: Row[] = [];
    // In one order, so that no two nodes deadlock.
    for (const [ring, own] of [...byRing].sort(([one], [other]) => one - other)) {
      const first = await takeSlots(transaction, ring, own.length);
      for (const [place, mail] of own.entries())
        rows.push([ring, (first + place) % slotsOfRing, ...stored.row(mail)]);
    }
    await transaction.insert(
      'recent_mails',
      { ring: 'bigint', slot: 'integer', ...stored.columns },
      rows,
      `ON CONFLICT (ring, slot) DO UPDATE SET ${stored.assignments('excluded', [])}`,
    );
  },
  (mails) => 2 * mails.length,
);

/** Returns the number of the first, counted since ever. */
async function takeSlots(transaction: Transaction, ring: number, count: number): Promise<number> {
  const row = await transaction.first<{ next: number }>(
    sql`INSERT INTO recent_mail_rings (ring, next) VALUES (${ring}, ${count})
        ON CONFLICT (ring) DO UPDATE SET next = recent_mail_rings.next + ${count}
        RETURNING next`,
  );
  return (row as { next: number }).next - count;
}

export interface ListedMail extends Omit<RecentMail, 'ring' | 'reason'> {
  /** Whose it is; null: nobody's. */
  readonly company: string | null;
  readonly reason: string | null;
}

/** The newest first. `company`: of that one only; null: all. */
export const listRecentMails = readVerb(
  'email.listRecentMails',
  async (
    reading,
    { company, limit }: { readonly company: string | null; readonly limit: number },
  ): Promise<readonly ListedMail[]> => {
    const of = company === null ? undefined : await companyIds(reading, [company]);
    // A ring is small; PostgreSQL would walk through the mails of all in the order of time.
    const own = sql`WITH own AS MATERIALIZED
      (SELECT * FROM recent_mails WHERE ring ${oneOf('bigint', [...(of?.values() ?? [])])})`;
    const rows = await reading.all<{ readonly ring: number }>(
      sql`${of === undefined ? sql`` : own} SELECT ring, ${raw(stored.names())}
          FROM ${raw(of === undefined ? 'recent_mails' : 'own')} ORDER BY received_at DESC LIMIT ${limit}`,
    );
    const names = await companyNames(
      reading,
      rows.map(({ ring }) => ring),
    );
    return rows.map((row) => {
      const mail = stored.read(row);
      return {
        company: names.get(row.ring) ?? null,
        ...mail,
        reason: mail.reason ?? null,
      } as ListedMail;
    });
  },
);

export const agedRecentMails: AgedRows = { table: 'recent_mails', key: 'ring, slot', time: 'received_at' };
