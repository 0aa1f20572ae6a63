/**
 * Searches messages, latest first, one page at a time. Each search walks one index and stops after a bounded number of steps.
 * Criteria that no index covers, such as a status, are checked on the messages that the index leads to; if that makes a page
 * short, the page says where the next one begins.
 */
import type { Visibility } from '../../accounts/visibility.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import { oldestBlockMs } from '../../storage/ids.ts';
import { type Fragment, oneOf, raw, rowSet, type Sql, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';
import { wordMatcher } from '../../wire/word-match.ts';
import { blockIn, blockOf, idsInBlock, loggedConversation } from '../message-log.ts';
import { type ListedMessage, listedMessage } from '../operator/inspect.ts';
import { isFormOf, isFormOfAny } from '../pool/leases.ts';

export interface MessageSearch extends Visibility {
  /** The caller in whose turn the store is searched. */
  readonly callerId: number;
  readonly id: number | undefined;
  readonly recipient: string | undefined;
  /** Any of these numbers. */
  readonly recipients?: readonly string[] | undefined;
  readonly conversation: string | undefined;
  readonly batchId: number | undefined;
  readonly sender: string | undefined;
  readonly costCenter: string | undefined;
  /** Each is the beginning of a word of the text. */
  readonly words?: string | undefined;
  /** Status codes. */
  readonly statuses: readonly number[] | undefined;
  /** Accepted at this time or later, and before `until`. */
  readonly since: number;
  readonly until: number;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export interface FoundPage {
  readonly messages: readonly ListedMessage[];
  /** The last place that was examined for the page; null when there is no more. */
  readonly next: Place | null;
}

interface Place {
  readonly time: number;
  readonly id: number;
}

/** A range of an index: the places of messages after the given one, in the order of the answer. */
type Range = (behind: Place) => Sql;

const beforeAll: Place = { time: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

/** Maximum number of messages read per statement when not all of them may be part of the answer. */
const messagesInStep = 500;
/** The same if the texts of the messages are read. */
const textsInStep = 100;
/** A word is looked for in so many characters from the beginning of a text, more than 13 parts. */
const charactersRead = 2_000;
/**
 * Maximum effort per call: searching a set of id blocks counts as one, as does reading `messagesOfEffort` messages
 * found there.
 */
const maxEffort = 100;
const messagesOfEffort = 50;
const textsOfEffort = 20;
const maxBlocksPerStep = 128;

export const searchMessages = inTurns(
  readVerb('messages.search', (reading, search: MessageSearch) => findMessages(reading, search)),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

export async function findMessages(reading: Reading, search: MessageSearch): Promise<FoundPage> {
  const { id, recipient, recipients, conversation, batchId } = search;
  if (recipients?.length === 0) return { messages: [], next: null };
  const hasWord = [recipient, recipients, conversation].some((one) => one !== undefined);
  const isByTime = id === undefined && !hasWord && batchId === undefined;
  const walk = new Walk(reading, search, isByTime);
  if (id === undefined && hasWord) return byBlocks(reading, search, walk);
  const range = await rangeOf(reading, search);
  if (range !== undefined) await walk.through(range);
  return walk.page(null);
}

async function rangeOf(reading: Reading, search: MessageSearch): Promise<Range | undefined> {
  const { id, batchId } = search;
  if (id !== undefined) return byId(search, id);
  return batchId === undefined ? byTime(search) : byBatch(reading, search, batchId);
}

/**
 * The rows of these messages of a company, to follow FROM. Each row contains the company, and the join order is fixed: as
 * long as PostgreSQL or SQLite has no statistics about the tables, it would read all messages of the company.
 */
export function namedMessages(companyId: number, messages: readonly { readonly id: number }[]): Sql {
  const named = rowSet(
    'named',
    { company_id: 'bigint', id: 'bigint' },
    messages.map(({ id }) => [companyId, id]),
  );
  return sql`${named} CROSS JOIN messages
    WHERE messages.company_id = named.company_id AND messages.id = named.id`;
}

/**
 * Goes from block to block of ids. As long as nothing is found, more blocks are examined at once each time, and fewer only
 * where very much is found: within a single block, the index provides the order. Each of several numbers is looked up by
 * itself, so fewer blocks are examined at once.
 */
async function byBlocks(reading: Reading, search: MessageSearch, walk: Walk): Promise<FoundPage> {
  const ends = await endsOf(reading, search);
  let last = Math.min(blockOf(ends.last), blockOf((search.after?.id ?? Number.MAX_SAFE_INTEGER) - 1));
  const lookups = search.recipient === undefined ? (search.recipients?.length ?? 1) : 1;
  const maxBlocks = Math.max(1, Math.floor(maxBlocksPerStep / lookups));
  const effort = Math.max(1, lookups / maxBlocksPerStep);
  let count = 1;
  while (last >= blockOf(ends.first)) {
    const blocks = Array.from({ length: count }, (_, index) => last - index);
    const seenBefore = walk.seen;
    if (!(await walk.through(byWord(search, blocks), effort, count > 1))) return walk.page(null);
    const seen = walk.seen - seenBefore;
    last = count > 1 && seen >= walk.stepSize ? blockOf(walk.behind.id) : last - count;
    if (walk.effortLeft <= 0) return walk.page({ time: 0, id: (last + 1) * idsInBlock });
    if (seen === 0) count = Math.min(2 * count, maxBlocks);
    else if (seen > messagesOfEffort) count = 1;
  }
  return walk.page(null);
}

class Walk {
  readonly #reading: Reading;
  readonly #search: MessageSearch;
  readonly #filter: Sql;
  readonly #matches: ((text: string) => boolean) | undefined;
  readonly #found: ListedMessage[] = [];
  readonly #order: Fragment;
  readonly stepSize: number;
  effortLeft = maxEffort;
  /** The number of messages that indexes led to, and the last of them. */
  seen = 0;
  behind: Place;
  #stoppedAt: Place | null = null;

  constructor(reading: Reading, search: MessageSearch, isByTime: boolean) {
    this.#reading = reading;
    this.#search = search;
    this.#filter = filterOf(search);
    this.#order = raw(isByTime ? 'created_at DESC, messages.id DESC' : 'messages.id DESC');
    const { after, limit, words } = search;
    this.#matches = words === undefined ? undefined : wordMatcher(words);
    const size = this.#matches === undefined ? messagesInStep : textsInStep;
    this.stepSize = areAllAnswered(search) ? limit + 1 : size;
    this.behind = after === undefined ? beforeAll : { time: after.time ?? beforeAll.time, id: after.id };
  }

  /**
   * False when the page is full or enough effort was spent on it. `effort`: that of a step, without the messages found.
   * `once`: no further than one step, for ranges that PostgreSQL reads and sorts as a whole.
   */
  async through(range: Range, effort = 1, once = false): Promise<boolean> {
    const { limit } = this.#search;
    const ofEffort = this.#matches === undefined ? messagesOfEffort : textsOfEffort;
    for (;;) {
      const places = await this.#reading.all<Place>(sql`${range(this.behind)} LIMIT ${this.stepSize}`);
      this.effortLeft -= effort + places.length / ofEffort;
      const last = places.at(-1);
      if (last === undefined) return true;
      this.seen += places.length;
      this.#found.push(...(await this.#fitting(places, limit + 1 - this.#found.length)));
      if (this.#found.length > limit) return false;
      if (places.length < this.stepSize) return true;
      this.behind = last;
      if (this.effortLeft <= 0) {
        this.#stoppedAt = last;
        return false;
      }
      if (once) return true;
    }
  }

  async #fitting(places: readonly Place[], limit: number): Promise<readonly ListedMessage[]> {
    const matches = this.#matches;
    if (matches === undefined) return this.#listed(places, limit);
    const texts = await this.#reading.all<{ id: number; text: string }>(
      sql`SELECT messages.id AS id, substr(text, 1, ${raw(String(charactersRead))}) AS text
          FROM ${namedMessages(this.#search.companyId, places)} AND ${this.#filter} ORDER BY ${this.#order}`,
    );
    const found = texts.filter(({ text }) => matches(text)).slice(0, limit);
    return found.length === 0 ? [] : this.#listed(found, limit);
  }

  async #listed(
    places: readonly { readonly id: number }[],
    limit: number,
  ): Promise<readonly ListedMessage[]> {
    return listedMessage.all(this.#reading, 'messages')`
      FROM ${namedMessages(this.#search.companyId, places)} AND ${this.#filter}
      ORDER BY ${this.#order} LIMIT ${limit}`;
  }

  /** `next` is where the walk has arrived, unless the page is already full. */
  page(next: Place | null): FoundPage {
    const messages = this.#found.slice(0, this.#search.limit);
    const last = messages.at(-1);
    if (this.#found.length > messages.length && last !== undefined)
      return { messages, next: { time: last.createdAt, id: last.id } };
    return { messages, next: this.#stoppedAt ?? next };
  }
}

/** Whether everything that the index of times leads to is part of the answer. */
function areAllAnswered(search: MessageSearch): boolean {
  const { id, recipient, recipients, conversation, batchId, sender, costCenter, words, statuses } = search;
  const criteria = [id, recipient, recipients, conversation, batchId, sender, costCenter, words, statuses];
  return criteria.every((one) => one === undefined);
}

function filterOf({
  recipient,
  recipients,
  conversation,
  batchId,
  sender,
  costCenter,
  statuses,
  userId,
  ...search
}: MessageSearch): Sql {
  const { since, until } = search;
  const isIn = sql`created_at >= ${since} AND created_at < ${until}`;
  const conditions = [
    recipient === undefined ? undefined : sql`recipient ${isFormOf(recipient)}`,
    recipients === undefined ? undefined : sql`recipient ${isFormOfAny(recipients)}`,
    conversation === undefined ? undefined : sql`conversation = ${conversation}`,
    batchId === undefined ? undefined : sql`batch_id = ${batchId}`,
    sender === undefined ? undefined : sql`sender = ${sender}`,
    costCenter === undefined ? undefined : sql`cost_center = ${costCenter}`,
    statuses === undefined ? undefined : sql`status ${oneOf('smallint', statuses)}`,
    userId === null ? undefined : sql`user_id = ${userId}`,
  ];
  return conditions.reduce<Sql>((all, one) => (one === undefined ? all : sql`${all} AND ${one}`), isIn);
}

function byTime({ companyId, userId, since, until }: MessageSearch): Range {
  const whose = userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;
  return (place) => {
    // Given two bounds, PostgreSQL starts at one and reads everything up to the other.
    const { time, id } = until <= place.time ? { time: until, id: 0 } : place;
    return sql`SELECT created_at AS time, id FROM message_log
        WHERE ${whose} AND created_at >= ${since} AND (created_at, id) < (${time}, ${id})
        ORDER BY created_at DESC, id DESC`;
  };
}

function byId({ companyId }: MessageSearch, id: number): Range {
  return (place) => sql`SELECT created_at AS time, id FROM messages
      WHERE company_id = ${companyId} AND id = ${id} AND id < ${place.id}`;
}

/** The messages of a batch have consecutive ids. */
async function byBatch(
  reading: Reading,
  { companyId, userId }: MessageSearch,
  batchId: number,
): Promise<Range | undefined> {
  const batch = await reading.first<{ userId: number; first: number | null; count: number }>(
    sql`SELECT user_id AS "userId", first_message_id AS first, expanded AS count FROM batches
        WHERE company_id = ${companyId} AND id = ${batchId}`,
  );
  if (batch === undefined || batch.first === null || (userId !== null && userId !== batch.userId))
    return undefined;
  const { first, count } = batch;
  return ({ id }) =>
    sql`SELECT created_at AS time, id FROM messages
        WHERE company_id = ${companyId} AND id >= ${first} AND id < ${first + count} AND id < ${id} ORDER BY id DESC`;
}

function byWord(search: MessageSearch, blocks: readonly number[]): Range {
  const { companyId, recipient, recipients = [], conversation } = search;
  // Two of the numbers may be forms of each other; a message that several terms lead to would be found several times.
  const words =
    recipient !== undefined
      ? [sql`recipient ${isFormOf(recipient)}`]
      : search.recipients !== undefined
        ? [...new Set(recipients.flatMap(formsOf))].map((form) => sql`recipient = ${form}`)
        : [sql`conversation = ${loggedConversation(conversation ?? '')}`];
  // Joined to a list of blocks, because PostgreSQL without statistics reads the whole company for one of many blocks.
  const named = blocks.map((block) => [companyId, block]);
  const from =
    blocks.length === 1
      ? sql`message_log WHERE company_id = ${companyId} AND ${blockIn('id')} = ${blocks[0] as number}`
      : sql`${rowSet('named', { company_id: 'bigint', block: 'bigint' }, named)} CROSS JOIN message_log
          WHERE message_log.company_id = named.company_id AND ${blockIn('message_log.id')} = named.block`;
  return ({ id }) => {
    // In a single block, the engines merge the messages of several numbers by id, and so read no more than one step of them.
    const [first = sql``, ...others] = words.map(
      (word) => sql`SELECT created_at AS time, id FROM ${from} AND ${word} AND id < ${id}`,
    );
    const all = others.reduce<Sql>((before, one) => sql`${before} UNION ALL ${one}`, first);
    return sql`${all} ORDER BY id DESC`;
  };
}

/**
 * The range of ids to search. A block of ids is used for a limited time: messages accepted longer than that before the period
 * have smaller ids than all messages of the period, and those accepted longer than that after it have greater ids.
 */
async function endsOf(
  reading: Reading,
  { companyId, since, until }: MessageSearch,
): Promise<{ first: number; last: number }> {
  const end = (order: Sql) =>
    sql`(SELECT id FROM messages WHERE company_id = ${companyId} ORDER BY id ${order} LIMIT 1)`;
  const logged = (bound: Sql, order: Sql) => sql`(SELECT id FROM message_log
      WHERE company_id = ${companyId} AND created_at ${bound} ORDER BY created_at ${order}, id ${order} LIMIT 1)`;
  const [asc, desc] = [sql`ASC`, sql`DESC`];
  const ends = await reading.first<{ first: number | null; last: number | null }>(
    sql`SELECT COALESCE(${logged(sql`< ${since - oldestBlockMs}`, desc)}, ${end(asc)}) AS first,
          COALESCE(${logged(sql`>= ${Math.min(until + oldestBlockMs, beforeAll.time)}`, asc)}, ${end(desc)}) AS last`,
  );
  return { first: ends?.first ?? 1, last: ends?.last ?? 0 };
}

interface SenderQuery extends Visibility {
  readonly callerId: number;
  readonly sender: string;
}

/** A sender that the latest of these messages have is recognised when it is typed. */
const sendersLookedAt = 500;

/** The sender as the latest messages have it, in capitals or not; undefined if none of them does. */
export const findLatestSender = inTurns(
  readVerb('messages.findLatestSender', async (reading, { companyId, userId, sender }: SenderQuery) => {
    const whose = userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;
    const latest = await reading.all<{ id: number }>(
      sql`SELECT id FROM message_log WHERE ${whose} ORDER BY created_at DESC, id DESC LIMIT ${sendersLookedAt}`,
    );
    if (latest.length === 0) return undefined;
    const found = await reading.first<{ sender: string }>(
      sql`SELECT sender FROM ${namedMessages(companyId, latest)} AND lower(sender) = lower(${sender}) LIMIT 1`,
    );
    return found?.sender;
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);
