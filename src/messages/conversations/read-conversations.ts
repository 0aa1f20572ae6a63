/** Lists, shows and changes conversations for their user or an administrator of the company. */
import type { Caller } from '../../accounts/caller.ts';
import { listViewers } from '../../accounts/logins.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import { byUser, noteLook } from '../../audit/audit-log.ts';
import { numbersOfName } from '../../contacts/names-of-numbers.ts';
import { findPeople } from '../../contacts/people.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import { quoted } from '../../foundation/result.ts';
import { type Cursor, pageOf } from '../../http/parameters/page.ts';
import type { Context } from '../../storage/context.ts';
import type { Store } from '../../storage/store.ts';
import { theCaller } from '../../storage/verb.ts';
import { parseMessageId } from '../message.ts';
import { newest, type ThreadPlace } from './both-ways.ts';
import {
  assignConversation,
  type Conversation,
  type ConversationAct,
  type ConversationQuery,
  changeConversation,
  findOpenConversation,
  type ListedConversation,
  listConversations,
  type OpenConversation,
} from './conversation.ts';
import { readThread, type Thread } from './thread-store.ts';

/** A prefix of the phone's number, or of the name of the person whose number it is. */
export type ConversationSearch = { readonly prefix: string } | { readonly name: string };

export interface ConversationFilter {
  readonly unread: boolean;
  readonly archived: boolean;
  readonly mine: boolean;
  readonly assigned: ConversationQuery['assigned'];
  readonly search: ConversationSearch | undefined;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

/** Adds the name of the contact with this phone in the caller's default address book; empty when there is none. */
export type Named<Value> = Value & { readonly name: string };

export async function list(
  { store }: Context,
  caller: Caller,
  { unread, archived, mine, assigned, search, after, limit }: ConversationFilter,
  signal: AbortSignal,
) {
  const visible = visibilityOf(caller);
  const prefix = search !== undefined && 'prefix' in search ? search.prefix : undefined;
  const phones =
    search !== undefined && 'name' in search
      ? await numbersOfName(store, caller.userId, search.name)
      : undefined;
  if (phones?.length === 0) return { conversations: [], next: undefined };
  const query = {
    ...(mine ? { ...visible, userId: caller.userId } : visible),
    callerId: caller.userId,
    unread,
    archived,
    assigned,
    prefix,
    phones,
    after,
    limit: limit + 1,
  };
  const { found, behind } = await store.read(listConversations, query, { signal });
  const { items, next } = pageOf(found, limit, ({ lastAt, id }) => `${lastAt}.${id}`);
  return {
    conversations: await named<ListedConversation>(store, caller, items),
    next: next ?? (behind === null ? undefined : `${behind.time}.${behind.id}`),
  };
}

/** Viewing someone else's conversation is recorded in the audit log. */
export async function show(
  { store, clock }: Context,
  caller: Caller,
  id: string,
  { after = newest, limit }: { readonly after: ThreadPlace | undefined; readonly limit: number },
  signal: AbortSignal,
): Promise<Omit<Thread, 'conversation'> & { readonly conversation: Named<Conversation> }> {
  const query = {
    ...visibilityOf(caller),
    id: idOf(id),
    callerId: caller.userId,
    after,
    limit,
    now: clock.now(),
  };
  const thread = await store.read(readThread, query, { signal });
  if (thread === null) throw noConversation(id);
  const { companyId, userId, username } = thread.conversation;
  if (userId !== caller.userId)
    await store.write(noteLook, {
      companyId,
      at: query.now,
      by: byUser(caller),
      act: 'conversation.look',
      object: String(query.id),
      details: { sentence: 'of_user', user: username },
    });
  const [conversation] = await named(store, caller, [thread.conversation]);
  return { ...thread, conversation: conversation as Named<Conversation> };
}

export async function change(
  { store, clock }: Context,
  caller: Caller,
  { id, ifMatch }: { readonly id: string; readonly ifMatch: IfMatch },
  act: ConversationAct,
): Promise<Named<Conversation>> {
  const changed = await store.write(changeConversation, {
    ...visibilityOf(caller),
    id: idOf(id),
    act,
    ifMatch,
    callerId: caller.userId,
    by: byUser(caller),
    now: clock.now(),
  });
  return changedOf(store, caller, id, changed);
}

async function changedOf(
  store: Store,
  caller: Caller,
  id: string,
  changed: Conversation | 'changedMeanwhile' | null,
): Promise<Named<Conversation>> {
  if (changed === null) throw noConversation(id);
  if (changed === 'changedMeanwhile')
    throw new ServiceError(
      'changed_meanwhile',
      'The conversation has changed since it was shown. Reload it and try again. Nothing was changed.',
    );
  const [conversation] = await named(store, caller, [changed]);
  return conversation as Named<Conversation>;
}

/** A `user` of null means nobody. */
export async function assign(
  { store, clock }: Context,
  caller: Caller,
  { id, user, ifMatch }: { readonly id: string; readonly user: string | null; readonly ifMatch: IfMatch },
): Promise<Named<Conversation>> {
  const changed = await store.write(assignConversation, {
    ...visibilityOf(caller),
    id: idOf(id),
    ifMatch,
    username: user,
    by: byUser(caller),
    now: clock.now(),
  });
  if (changed !== 'noUser') return changedOf(store, caller, id, changed);
  throw new ServiceError('not_found', { sentence: 'blind_user', user: quoted(user ?? '') });
}

/** The users that a conversation can be assigned to, by name. */
export async function colleagues(
  reading: Context,
  caller: Caller,
  { id, after, limit }: { readonly id: string; readonly after: string; readonly limit: number },
) {
  const { conversation } = await findOpen(reading, caller, id);
  const { companyId, userId } = conversation;
  return reading.store.read(listViewers, { companyId, userId, after, limit });
}

/** A visible conversation, and how it can be answered. */
export async function findOpen(
  { store, clock }: Context,
  caller: Caller,
  id: string,
): Promise<OpenConversation> {
  const found = await store.read(findOpenConversation, {
    ...visibilityOf(caller),
    id: idOf(id),
    now: clock.now(),
  });
  if (found === null) throw noConversation(id);
  return found;
}

/** Anything that is not an id becomes a number above all ids, so nothing is found. */
function idOf(given: string): number {
  return parseMessageId(given) ?? Number.MAX_SAFE_INTEGER;
}

export function noConversation(id: string): ServiceError {
  return new ServiceError('not_found', { sentence: 'none_such', noun: 'conversation', id });
}

async function named<Row extends Conversation>(
  store: Store,
  caller: Caller,
  conversations: readonly Row[],
): Promise<readonly Named<Row>[]> {
  if (conversations.length === 0) return [];
  const numbers = [...new Set(conversations.map(({ phone }) => phone))];
  const selections = [{ numbers, filters: [], savedFilters: [], groups: [] }];
  const found = await findPeople(store, { ...theCaller(caller), selections, limit: 1 });
  const people = found.kind === 'found' ? (found.people[0] ?? []) : [];
  const names = new Map(people.map(({ phone, name }) => [phone, name]));
  return conversations.map((one) => ({ ...one, name: names.get(one.phone) ?? '' }));
}
