/** Users of a company in a provisioning file: who signs in, what they may do, and which address books they may read. */
import { isDeepStrictEqual } from 'node:util';
import { readJobOwners, writeJobOwners } from '../../accounts/job-owner-records.ts';
import { roles } from '../../accounts/role.ts';
import { smppPasswordKey } from '../../accounts/set-keys.ts';
import { readSmppLogins, type SmppLogin, writeSmppLogins } from '../../accounts/smpp-logins.ts';
import {
  createUsers,
  readUsers,
  removeUsers,
  type UserRecord,
  updateUsers,
} from '../../accounts/user-records.ts';
import { greatestMaxRecipients, standardMaxRecipients } from '../../batches/batch.ts';
import { bookKeyOf } from '../../contacts/book-records.ts';
import { type ReadableBooks, readReadableBooks, writeReaders } from '../../contacts/reader-records.ts';
import { payerIds } from '../../email/senders/entry-records.ts';
import type { Transaction } from '../../storage/verb.ts';
import { removeCallbackUrls } from '../../webhooks/callback-url.ts';
import { categories, standardCategory } from '../../wire/category.ts';
import { canonicalEmail } from '../../wire/email-address.ts';
import type { Fault } from '../../yaml/fault.ts';
import { explicitList, flag, needed, oneOfWords, optional, ruled, wholeNumber } from '../../yaml/fields.ts';
import {
  bothPasswords,
  givenId,
  hashed,
  name,
  passwordFields,
  quotaParts,
  remove,
  sender,
  senders,
  sendingLimits,
  shortLimits,
  username,
  type WithPassword,
  weakPassword,
} from '../objects/fields.ts';
import { type Keeps, type Kind, keeping, namedIn, removedAmong, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import {
  loginAfter,
  type SmppLoginPlan,
  sharedSystemIdFaults,
  shownLogin,
  smppLogin,
  smppPasswordFaults,
} from '../objects/smpp-login.ts';
import { addressBooks } from './address-books.ts';
import { companies } from './companies.ts';
import { systemUsers } from './system-users.ts';

export interface UserPlan extends WithPassword, Omit<UserRecord, 'passwordHash'> {
  /** The names of the company's address books that the user may read; undefined means the default one, if any. */
  readonly addressBooks: readonly string[] | undefined;
  readonly defaultAddressBook: string | undefined;
  readonly systemUser: string | undefined;
  readonly smpp: SmppLoginPlan | undefined;
}

export interface UserState extends UserRecord, ReadableBooks {
  /** The name of the system user that owns the jobs which the user may start. */
  readonly systemUser: string | undefined;
  /** The login of the user's programs at the SMPP server. */
  readonly smpp: SmppLogin | undefined;
}

const userFields = {
  username: needed(username, ''),
  id: optional(givenId, undefined),
  ...passwordFields,
  roles: optional(explicitList(oneOfWords(roles), 'none'), []),
  active: optional(flag, true),
  quotaParts,
  limits: optional(sendingLimits, undefined),
  defaultSender: optional(sender, undefined),
  senders,
  replaceCharacters: optional(flag, false),
  maxBatch: optional(wholeNumber(0, greatestMaxRecipients), undefined),
  smtpSplit: optional(flag, false),
  email: optional(ruled(canonicalEmail), undefined),
  category: optional(oneOfWords(categories), standardCategory),
  addressBooks: optional(explicitList(name, 'none'), undefined),
  defaultAddressBook: optional(name, undefined),
  systemUser: optional(username, undefined),
  smpp: optional(smppLogin, undefined),
  remove,
} as const;

const readUser = planned(userFields);

export const users: Kind<UserPlan, UserState> = {
  section: 'users',
  within: 'company',
  noun: 'this username',
  read(tree, faults) {
    const user = readUser(tree, faults);
    const place = user?.smpp?.fieldPlaces.password;
    if (user === undefined || place === undefined) return user;
    // Counts as a key of its own: a password that no file sets can be made by the company's administrators.
    return { ...user, fieldPlaces: { ...user.fieldPlaces, [smppPasswordKey]: place } };
  },
  keyField: 'username',
  keyOf: ({ username }) => username,
  ids: { noun: 'user', retired: 'user' },
  mentions: ({ systemUser, smpp }) => ({
    systemUsers: { keys: systemUser === undefined ? [] : [systemUser] },
    // Whichever user has the system id now is loaded too.
    users: { keys: smpp === undefined ? [] : [smpp.systemId] },
  }),
  async load(reading, scope) {
    const { keys, ids } = namedIn(scope, 'users');
    const { keys: companies, removed } = namedIn(scope, 'companies');
    const payers = await payerIds(reading, { companies, emails: namedIn(scope, 'emailSenders').keys });
    const bound = await readSmppLogins(reading, { ids: [], systemIds: keys });
    const named = { usernames: keys, ids: [...ids, ...payers, ...bound.keys()], companies: removed };
    const found = await readUsers(reading, named);
    const userIds = found.flatMap(({ id }) => id ?? []);
    const logins = await readSmppLogins(reading, { ids: userIds, systemIds: [] });
    const books = await readReadableBooks(reading, userIds);
    const owners = await readJobOwners(reading, userIds);
    return found.map(({ id = 0, ...user }) => ({
      id,
      ...user,
      systemUser: owners.get(id),
      smpp: logins.get(id),
      ...(books.get(id) ?? noBooks),
    }));
  },
  after(asked, before, _, keeps) {
    const wanted = {
      id: before?.id ?? asked.id,
      username: asked.username,
      company: asked.company,
      passwordHash: asked.passwordHash ?? before?.passwordHash,
      roles: roles.filter((role) => asked.roles.includes(role)),
      active: asked.active,
      quotaParts: asked.quotaParts,
      limits: asked.limits,
      defaultSender: asked.defaultSender,
      senders: asked.senders,
      replaceCharacters: asked.replaceCharacters,
      maxBatch: asked.maxBatch,
      smtpSplit: asked.smtpSplit,
      email: asked.email,
      category: asked.category === standardCategory ? undefined : asked.category,
      systemUser: asked.systemUser,
      smpp: loginAfter(asked.smpp, before?.smpp),
      ...noBooks,
    };
    const apart = ['passwordHash', 'addressBooks', 'defaultAddressBook'];
    return { ...keeping(wanted, before, keeps, apart), ...booksAfter(asked, before, keeps) };
  },
  senders: {
    fields: ['defaultSender', 'senders'],
    nameOf: ({ username }) => `the user ${username}`,
    many: 'the users',
  },
  describe: lines(({ username, company }) => `user ${username} in ${company}`, {
    as: (user) => ({ ...user, limits: shortLimits(user.limits), ...shownLogin(user.smpp) }),
    keys: ['username', 'company'],
    hiddenInLog: ['email'],
    absent: {
      quotaParts: 'unlimited',
      senders: 'any',
      maxBatch: String(standardMaxRecipients),
      category: standardCategory,
    },
    ordinary: { active: true, replaceCharacters: false, smtpSplit: false, addressBooks: [] },
  }),
  fileFaults: bothPasswords,
  faultsOf(asked, view) {
    const owner = view.before(users).get(asked.username)?.company ?? asked.company;
    if (owner === asked.company) return asked.remove ? [] : linkFaults(asked, view);
    const sentence = `the user ${asked.username} belongs to the company ${owner}; usernames are unique in the whole service`;
    return [faultAt(asked, 'username', sentence)];
  },
  async slowFaults(asked, before, passwords) {
    const weak = await weakPassword(asked, before, passwords);
    return asked.smpp === undefined ? weak : [...weak, ...smppPasswordFaults(asked.smpp)];
  },
  async protect(asked, before, tools) {
    const { smpp, ...user } = await hashed(asked, before, tools);
    return { ...user, smpp: smpp && (await hashed(smpp, before?.smpp, tools)) };
  },
  faults: (view) => sharedSystemIdFaults(view.asked(users), view.after(users)),
  async create(transaction, created) {
    await createUsers(transaction, created);
    await writeLinks(transaction, created, []);
  },
  async change(transaction, after, before) {
    await updateUsers(transaction, after);
    await writeLinks(transaction, after, before);
  },
  async remove(transaction, removed) {
    await removeCallbackUrls(
      transaction,
      removed.map(({ username }) => username),
    );
    await removeUsers(transaction, removed);
  },
  news: ['accounts'],
};

const noBooks: ReadableBooks = { addressBooks: [], defaultAddressBook: undefined };

/** Writes address books and system users if they have changed. */
async function writeLinks(
  transaction: Transaction,
  after: readonly UserState[],
  before: readonly UserState[],
): Promise<void> {
  const rights = ({ addressBooks, defaultAddressBook }: ReadableBooks) =>
    JSON.stringify([addressBooks, defaultAddressBook ?? null]);
  const readers = after.filter((user, at) => rights(user) !== rights(before[at] ?? noBooks));
  await writeReaders(transaction, readers);
  const owners = after.filter(({ systemUser }, at) => systemUser !== before[at]?.systemUser);
  await writeJobOwners(transaction, owners);
  const bound = after.filter(({ smpp }, at) => !isDeepStrictEqual(smpp, before[at]?.smpp));
  await writeSmppLogins(transaction, bound);
}

/** A user without named books may read whichever book is the default one at the time. */
function booksAfter(asked: UserPlan, before: UserState | undefined, keeps: Keeps): ReadableBooks {
  const byDefault = (book: string | undefined) => (book === undefined ? [] : [book]);
  const keepsDefault = before !== undefined && keeps('defaultAddressBook');
  const defaultAddressBook = keepsDefault ? before.defaultAddressBook : asked.defaultAddressBook;
  const wanted = asked.addressBooks ?? byDefault(defaultAddressBook);
  const keepsBooks =
    before !== undefined &&
    keeps('addressBooks') &&
    before.addressBooks.join('\n') !== byDefault(before.defaultAddressBook).join('\n');
  const books = keepsBooks ? [...before.addressBooks, ...byDefault(defaultAddressBook)] : wanted;
  return { addressBooks: [...new Set(books)].sort(), defaultAddressBook };
}

function linkFaults(user: UserPlan, view: View): readonly Fault[] {
  const { company, username, fieldPlaces } = user;
  const after = view.after(users).get(username);
  if (after === undefined) return [];
  const { defaultSender, senders, defaultAddressBook, addressBooks: readable, systemUser } = after;
  const faults: Fault[] = [];
  /** Reports a fault at the first field or, if the file does not name that field, at the other. */
  const add = (field: string, other: string, sentence: string) =>
    faults.push(faultAt(user, field in fieldPlaces ? field : other, sentence));
  const isOwner = systemUser === undefined || view.after(systemUsers).get(systemUser)?.company === company;
  if (!isOwner && 'systemUser' in fieldPlaces)
    add('systemUser', 'systemUser', `the company ${company} has no system user "${systemUser}"`);
  if (defaultSender !== undefined && senders?.includes(defaultSender) === false)
    add(
      'defaultSender',
      'senders',
      `${defaultSender} is not among the "senders" that this user is limited to`,
    );
  const theirs = view.after(companies).get(company)?.senders;
  if (theirs !== undefined && senders?.length && !senders.some((sender) => theirs.includes(sender)))
    add('senders', 'username', `none of these senders is among the "senders" of ${company}`);
  if (defaultAddressBook !== undefined && !readable.includes(defaultAddressBook)) {
    const sentence = `"${defaultAddressBook}" is not among the "addressBooks" that this user may read`;
    add('defaultAddressBook', 'addressBooks', sentence);
  }
  const books = view.after(addressBooks);
  for (const name of readable.filter((name) => !books.has(bookKeyOf({ company, name }))))
    add('addressBooks', 'defaultAddressBook', `the company ${company} has no address book "${name}"`);
  return faults;
}

/**
 * Users to be removed, by name, each with the entry of the file that removes the user: the user's own entry or the
 * company's.
 */
export function userRemovers(view: View): ReadonlyMap<string, Planned> {
  const removers = new Map<string, Planned>();
  for (const user of removedAmong(view.asked(users))) removers.set(user.username, user);
  const leaving = view.asked(companies);
  for (const { username, company } of view.before(users).values()) {
    const remover = leaving.get(company);
    if (remover?.remove) removers.set(username, remover);
  }
  return removers;
}
