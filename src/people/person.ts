/**
 * Collects everything about one phone number from the rooms that have it, for a person's page and as a file for the person.
 */
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { visibilityOf } from '../accounts/visibility.ts';
import { byUser, noteAct } from '../audit/audit-log.ts';
import { readBatchNames } from '../batches/management/visible-batch.ts';
import type { AddressBook } from '../contacts/address-book.ts';
import { plainContact } from '../contacts/management/shown-contact.ts';
import { visibleBooks } from '../contacts/management/visible-books.ts';
import {
  type ContactOfNumber,
  type PlaceInBook,
  readContactsOfNumber,
} from '../contacts/of-number-records.ts';
import { linesInSlices } from '../http/answers/sliced-answer.ts';
import { type Cursor, pageOf } from '../http/parameters/page.ts';
import { readRunsOfMessages } from '../jobs/management/runs.ts';
import {
  listConversationsOf,
  listReceivedFrom,
  listSentTo,
  type OfNumber,
} from '../messages/management/of-number-records.ts';
import { listedMessage } from '../messages/management/shown-message.ts';
import { readNearMissesOfNumber } from '../opt-outs/near-miss.ts';
import { readOptOutsOfNumber } from '../opt-outs/opt-out.ts';
import { personDigest } from '../opt-outs/person-digest.ts';
import type { Store } from '../storage/store.ts';
import { formsOf } from '../wire/phone-number.ts';
import { findErasure, type PeopleServices } from './erasure.ts';

/** At most this many conversations are on a person's page; an export has all. */
const maxConversations = 50;
/** At most so many near misses are on a person's page, and in an export, which has the SMS anyway. */
const maxNearMisses = 10;
const maxExportedNearMisses = 1_000;

export async function readPerson({ store, secret }: PeopleServices, caller: Caller, number: string) {
  const visible = visibilityOf(caller);
  const { companyId } = visible;
  const isAdministrator = visible.userId === null;
  const digests = formsOf(number).map((form) => personDigest(secret, companyId, form));
  const contacts: FoundContact[] = [];
  for await (const some of contactsOf(store, caller, number, { isWhole: false })) contacts.push(...some);
  const page = { ...visible, number, after: undefined, limit: maxConversations + 1 };
  const near = { companyId, phone: number, limit: maxNearMisses };
  const [conversations, optOuts, nearMisses, erasure] = await Promise.all([
    store.read(listConversationsOf, page),
    store.read(readOptOutsOfNumber, { companyId, phone: number, secret }),
    isAdministrator ? store.read(readNearMissesOfNumber, near) : [],
    isAdministrator ? store.read(findErasure, { companyId, digests }) : null,
  ]);
  return {
    contacts,
    conversations: conversations.slice(0, maxConversations),
    moreConversations: conversations.length > maxConversations,
    optOuts,
    nearMisses,
    erasure,
  };
}

interface FoundContact extends ContactOfNumber {
  readonly book: AddressBook;
}

/** Few companies have more address books. */
const maxBooksPerStep = 200;

/** With `isWhole`, all contacts; otherwise at most the first hundred of each book. */
async function* contactsOf(
  store: Store,
  caller: Caller,
  number: string,
  { isWhole }: { readonly isWhole: boolean },
): AsyncGenerator<readonly FoundContact[]> {
  for (let name: string | undefined; ; ) {
    const from = { language: 'en', name } as const;
    const page = await visibleBooks(store, caller, { from, limit: maxBooksPerStep });
    const books = new Map(page.map((book) => [book.id, book]));
    let places: readonly PlaceInBook[] = page.map(({ id }) => ({ bookId: id, after: 0 }));
    while (places.length > 0) {
      const { contacts, next } = await store.read(readContactsOfNumber, { places, number });
      yield contacts.map((one) => ({ ...one, book: books.get(one.bookId) as AddressBook }));
      places = isWhole ? next : [];
    }
    name = page.at(-1)?.name;
    if (page.length < maxBooksPerStep) return;
  }
}

interface PageOfNumber {
  readonly number: string;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

const queryOf = (caller: Caller, page: PageOfNumber): OfNumber => ({
  ...visibilityOf(caller),
  ...page,
  callerId: caller.userId,
});

export async function readSent({ store }: PeopleServices, caller: Caller, page: PageOfNumber) {
  const query = queryOf(caller, page);
  const { messages, next } = await store.read(listSentTo, query);
  const ids = messages.map(({ id }) => id);
  const batchIds = [...new Set(messages.flatMap(({ batchId }) => batchId ?? []))];
  const { companyId } = query;
  const [runs, batches] = await Promise.all([
    store.read(readRunsOfMessages, { companyId, ids }),
    store.read(readBatchNames, { companyId, ids: batchIds }),
  ]);
  const runOf = new Map(runs.map((run) => [run.messageId, run]));
  const nameOf = new Map(batches.map(({ id, name }) => [id, name]));
  return {
    messages: messages.map((message) => ({
      ...message,
      run: runOf.get(message.id),
      batchName: nameOf.get(message.batchId ?? 0),
    })),
    next,
  };
}

export async function readReceived({ store }: PeopleServices, caller: Caller, page: PageOfNumber) {
  const rows = await store.read(listReceivedFrom, {
    ...queryOf(caller, page),
    limit: page.limit + 1,
  });
  return pageOf(rows, page.limit, ({ at, id }) => `${at}.${id}`);
}

const pageLength = 200;
const iso = (at: number) => new Date(at).toISOString();

/** A file of JSON lines (GDPR, article 15), one page at a time. */
export async function exportPerson(services: PeopleServices, caller: Caller, number: string) {
  requireRole(caller, 'companyAdmin');
  const { companyId } = caller;
  const now = services.clock.now();
  await services.store.write(noteAct, {
    companyId,
    at: now,
    by: byUser(caller),
    act: 'person.export',
    object: number,
  });
  return linesInSlices(`${number} ${iso(now).slice(0, 10)}.jsonl`, pagesOf(services, caller, number));
}

async function* pagesOf(
  services: PeopleServices,
  caller: Caller,
  number: string,
): AsyncGenerator<readonly object[]> {
  const { store } = services;
  for await (const contacts of contactsOf(store, caller, number, { isWhole: true }))
    yield contacts.map((contact) => ({
      kind: 'contact',
      book: contact.book.name,
      ...plainContact(contact),
    }));
  const { companyId } = caller;
  const optOuts = await store.read(readOptOutsOfNumber, {
    companyId,
    phone: number,
    secret: services.secret,
  });
  yield optOuts.map(({ category, since, source, word, proof, number: to, addedBy }) => ({
    kind: 'optOut',
    category,
    since: iso(since),
    source,
    ...(word !== '' && { word }),
    ...(proof !== '' && { proof }),
    ...(to !== '' && { to }),
    ...(addedBy !== null && { addedBy }),
  }));
  const near = { companyId, phone: number, limit: maxExportedNearMisses };
  const nearMisses = await store.read(readNearMissesOfNumber, near);
  yield nearMisses.map(({ incomingId, number: to, text, at, settledAt, settledBy, optsOut }) => ({
    kind: 'nearMiss',
    id: String(incomingId),
    time: iso(at),
    to,
    text,
    ...(settledAt !== null && { settled: iso(settledAt), settledBy, optsOut }),
  }));
  for (let after: Cursor | undefined; ; ) {
    const page = { ...visibilityOf(caller), number, after, limit: pageLength };
    const conversations = await store.read(listConversationsOf, page);
    yield conversations.map(({ id, username, number: with_, lastAt }) => ({
      kind: 'conversation',
      id: String(id),
      username,
      number: with_,
      last: iso(lastAt),
    }));
    const last = conversations.at(-1);
    if (conversations.length < pageLength || last === undefined) break;
    after = { time: last.lastAt, id: last.id };
  }
  for (let after: Cursor | undefined; ; ) {
    const { messages, next } = await readSent(services, caller, { number, after, limit: pageLength });
    yield messages.map(({ run, batchName, ...message }) => ({
      kind: 'sent',
      ...listedMessage(message),
      message: message.text,
      ...(batchName !== undefined && { batchName }),
      ...(run !== undefined && { runId: run.runId, run: run.name, answered: run.state }),
    }));
    if (next === null) break;
    after = next;
  }
  for (let after: Cursor | undefined; ; ) {
    const { items } = await readReceived(services, caller, { number, after, limit: pageLength });
    yield items.map(({ id, at, number: to, text, username, runId }) => ({
      kind: 'received',
      id: String(id),
      time: iso(at),
      from: number,
      to,
      message: text,
      username,
      ...(runId !== null && { runId }),
    }));
    const last = items.at(-1);
    if (items.length < pageLength || last === undefined) return;
    after = { time: last.at, id: last.id };
  }
}
