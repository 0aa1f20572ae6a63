/** Everything about one phone number, from the rooms that have it: for the page of a person, and a stream of it for the person. */

import type { KeyObject } from 'node:crypto';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { visibilityOf } from '../accounts/visibility.ts';
import { readBatchNames } from '../batches/management/visible-batch.ts';
import { type VisibleBook, visibleBooks } from '../contacts/management/visible-books.ts';
import { type ContactOfNumber, readContactsOfNumber } from '../contacts/of-number-records.ts';
import { ServiceError } from '../foundation/errors.ts';
import { type Cursor, pageOf } from '../http/parameters/page.ts';
import { type RunOfMessage, readRunsOfMessages } from '../jobs/management/run-of-message-records.ts';
import {
  listConversationsOf,
  listReceivedFrom,
  listSentTo,
  type OfNumber,
  type SentToNumber,
} from '../messages/management/of-number-records.ts';
import type { Store } from '../storage/store.ts';
import { cleanNumber } from '../wire/phone-number.ts';
import { digestOf } from './erasure.ts';
import { findErasure } from './erasure-store.ts';

export interface PeopleServices {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly secret: KeyObject;
}

export function numberOf(given: string): string {
  const number = cleanNumber(given);
  if (number.ok) return number.value;
  throw new ServiceError(number.code, number.error, {
    errors: [{ field: 'number', code: number.code, error: number.error }],
  });
}

const mostConversations = 50;

export interface FoundContact extends ContactOfNumber {
  readonly book: VisibleBook;
}

export async function readPerson({ store, secret }: PeopleServices, caller: Caller, number: string) {
  const visible = visibilityOf(caller);
  const { companyId } = visible;
  const isAdministrator = visible.userId === null;
  const digest = digestOf(secret, companyId, number);
  const [contacts, conversations, erasure] = await Promise.all([
    contactsOf(store, caller, number),
    store.read(listConversationsOf, { ...visible, number, limit: mostConversations }),
    isAdministrator ? store.read(findErasure, { companyId, digest }) : null,
  ]);
  return { contacts, conversations, erasure };
}

export async function contactsOf(
  store: Store,
  caller: Caller,
  number: string,
): Promise<readonly FoundContact[]> {
  const books = new Map((await visibleBooks(store, caller)).map((book) => [book.id, book]));
  const found = await store.read(readContactsOfNumber, { bookIds: [...books.keys()], number });
  return found.map((contact) => ({ ...contact, book: books.get(contact.bookId) as VisibleBook }));
}

export interface PageOfNumber {
  readonly number: string;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

const queryOf = (caller: Caller, page: PageOfNumber): OfNumber => ({
  ...visibilityOf(caller),
  ...page,
  callerId: caller.userId,
});

export interface SentAsPart extends SentToNumber {
  readonly run: RunOfMessage | undefined;
  readonly batchName: string | undefined;
}

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
    messages: messages.map(
      (message): SentAsPart => ({
        ...message,
        run: runOf.get(message.id),
        batchName: nameOf.get(message.batchId ?? 0),
      }),
    ),
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

export function requireAdministrator(caller: Caller): void {
  requireRole(caller, 'companyAdmin');
}
