/**
 * Keeps the results of the last days' e-mails, so that the operator can look up an outcome: sender, recipients and reason, but
 * no content. Its size is bounded whatever clients send.
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
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import type { MailAnswer, MailRefusal } from './mail-answer.ts';
import type { MailFindings } from './receive-mail.ts';

export interface RecentMail {
  readonly receivedAt: number;
  readonly ring: number;
  /** The address of the client. */
  readonly address: string;
  /** The sender, proven or only claimed. */
  readonly sender: string;
  readonly isProven: boolean;
  /** The first few recipients, as written. */
  readonly recipients: readonly string[];
  readonly recipientCount: number;
  readonly outcome: 'sent' | 'repeated' | 'ignored' | 'refused';
  /** Undefined unless the e-mail was refused. */
  readonly reason: MailRefusal | 'no_phone' | undefined;
  /** The response that the sending server got. */
  readonly answer: string;
  /** The ids of the first few SMS sent for it. */
  readonly messageIds: readonly string[];
}

/**
 * Each company has a ring of slots in which the newest record replaces the oldest; e-mails that belong to no company have rings
 * of their own. So no e-mail can displace another company's records.
 */
export const ringOf = { strangers: -1, relays: 0 } as const;

/** The number of slots in each ring. */
export const slotsOfRing = 500;

const maxListed = 10;
/** RFC 5321, section 4.5.3.1.3, allows an address of 254 characters. */
const maxAddressLength = 254;

export interface MailToRecord extends Omit<RecentMail, 'receivedAt'> {
  /** No trusted relay or user brought the e-mail, so it counts towards the budget of the client's network. */
  readonly isUnauthenticated: boolean;
}

export type RecordedAnswer =
  | Extract<MailAnswer, { readonly kind: 'taken' }>
  | { readonly kind: 'refused'; readonly reason: MailRefusal | 'no_phone'; readonly text: string };

/** `user` is the user who logged in to send it. */
export function recordOf(
  answer: RecordedAnswer,
  {
    address,
    user,
    isUnauthenticated,
  }: { readonly address: string; readonly user: Caller | undefined; readonly isUnauthenticated: boolean },
  { sender, isProven, companyId }: MailFindings,
  recipients: readonly string[],
): MailToRecord {
  const ofNobody = isUnauthenticated ? ringOf.strangers : ringOf.relays;
  return {
    ring: companyId ?? user?.companyId ?? ofNobody,
    address,
    isProven,
    isUnauthenticated: isUnauthenticated,
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

/** PostgreSQL cannot store NUL, which an address sent by a client may contain. */
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
/** Records per hour for strangers. */
const ofUnauthenticated = { inAll: 300, ofOwner: 20 };

/**
 * Records the results of e-mails after they were answered: no response waits for it, and a crash loses what is not yet written.
 * Only a limited number per hour is kept for strangers, and a few for each network.
 */
export class MailRecords {
  readonly #options: MailRecordsOptions;
  #waiting: RecentMail[] = [];
  #lost = 0;
  #writing: Promise<void> | undefined;
  #hour = 0;
  /** The owners are networks. */
  #ofUnauthenticated = new Budget(ofUnauthenticated);

  constructor(options: MailRecordsOptions) {
    this.#options = options;
  }

  record({ isUnauthenticated, ...mail }: MailToRecord): void {
    const receivedAt = this.#options.clock.now();
    if (isUnauthenticated && mail.outcome !== 'sent' && !this.#hasRoom(mail.address, receivedAt)) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push({ ...mail, receivedAt });
    this.#writing ??= this.#write();
  }

  /** Resolves once all pending records are written. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  #hasRoom(address: string, now: number): boolean {
    const hour = Math.floor(now / hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#ofUnauthenticated = new Budget(ofUnauthenticated);
    }
    return this.#ofUnauthenticated.take(1, networkOf(address));
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
        log.warn({ err: error }, 'outcomes of e-mails could not be stored');
      }
    }
    if (this.#lost > 0) log.warn({ lost: this.#lost }, 'outcomes of some e-mails were not stored');
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

/** At most as many records as a ring has slots. */
export const recordMails = singleWriteVerb(
  'email.recordMails',
  async (transaction, mails: readonly RecentMail[]) => {
    const byRing = new Map<number, RecentMail[]>();
    for (const mail of mails) byRing.set(mail.ring, [...(byRing.get(mail.ring) ?? []), mail]);
    const rows: Row[] = [];
    // A fixed order, so that no two nodes deadlock.
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

/** Returns the number of the first slot, counted since the ring was first used. */
async function takeSlots(transaction: Transaction, ring: number, count: number): Promise<number> {
  const row = await transaction.first<{ next: number }>(
    sql`INSERT INTO recent_mail_rings (ring, next) VALUES (${ring}, ${count})
        ON CONFLICT (ring) DO UPDATE SET next = recent_mail_rings.next + ${count}
        RETURNING next`,
  );
  return (row as { next: number }).next - count;
}

export interface ListedMail extends Omit<RecentMail, 'ring' | 'reason'> {
  /** The company the e-mail belongs to; null if none. */
  readonly company: string | null;
  /** Its place in the ring. */
  readonly slot: number;
  readonly reason: string | null;
}

export interface RecentMailsPage {
  /** One company, by its name or its id; null for the e-mails of all, and of no company. */
  readonly company: string | number | null;
  /** The last e-mail of the previous page of a company's. */
  readonly after?: Pick<ListedMail, 'receivedAt' | 'slot'> | undefined;
  readonly limit: number;
}

/** Newest first. */
export const listRecentMails = readVerb(
  'email.listRecentMails',
  async (reading, page: RecentMailsPage): Promise<readonly ListedMail[]> => {
    const { company } = page;
    const ids = typeof company === 'string' ? (await companyIds(reading, [company])).values() : [company];
    const rows = await (company === null ? readOfAll(reading, page.limit) : readOwn(reading, [...ids], page));
    const names = await companyNames(
      reading,
      rows.map(({ ring }) => ring),
    );
    return rows.map((row) => {
      const mail = stored.read(row);
      return {
        company: names.get(row.ring) ?? null,
        slot: row.slot,
        ...mail,
        reason: mail.reason ?? null,
      } as ListedMail;
    });
  },
);

interface MailRow {
  readonly ring: number;
  readonly slot: number;
}

const columnsOfMail = raw(`ring, slot, ${stored.names()}`);

async function readOfAll(reading: Reading, limit: number): Promise<readonly MailRow[]> {
  return reading.all<MailRow>(
    sql`SELECT ${columnsOfMail} FROM recent_mails ORDER BY received_at DESC LIMIT ${limit}`,
  );
}

/**
 * Reading the whole small ring is cheap; PostgreSQL would otherwise walk through everyone's e-mails in time order.
 */
async function readOwn(
  reading: Reading,
  ids: readonly (number | null)[],
  { after, limit }: RecentMailsPage,
): Promise<readonly MailRow[]> {
  const behind = after && sql`WHERE (received_at, slot) < (${after.receivedAt}, ${after.slot})`;
  return reading.all<MailRow>(
    sql`WITH own AS MATERIALIZED (SELECT * FROM recent_mails WHERE ring ${oneOf('bigint', ids)})
        SELECT ${columnsOfMail} FROM own ${behind ?? sql``} ORDER BY received_at DESC, slot DESC LIMIT ${limit}`,
  );
}

export const agedRecentMails: AgedRows = { table: 'recent_mails', key: 'ring, slot', time: 'received_at' };
