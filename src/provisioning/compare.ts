/** Compares what a file asks for with what the store holds: the edits that lead from one to the other. */
import { roles } from '../accounts/role.ts';
import type { SendingLimits } from '../accounts/sending-limits.ts';
import type { Route } from '../routing/route.ts';
import { compareEmailDefaults, compareEmailSenders, compareSenderRules } from './compare-email.ts';
import { editsOf, nameOf, outcome, usernameOf } from './edit-lists.ts';
import type { AddressBookPlan, CompanyPlan, Plan, Removable, RoutePlan, UserPlan } from './plan.ts';
import type {
  AddressBookState,
  CompanyState,
  Edit,
  Edits,
  State,
  TemplateState,
  UserState,
} from './state.ts';

/** Objects that the file does not name do not come up at all, and so stay as they are. */
export function compare(plan: Plan, state: State): Edits {
  const users = compareUsers(plan, state);
  const usersAfter = outcome(state.users, users, usernameOf);
  const emailDefaults = compareEmailDefaults(plan, state, usersAfter);
  return {
    companies: editsOf(plan.companies, state.companies, nameOf, companyAfter),
    users,
    addressBooks: compareBooks(plan, state),
    templates: compareTemplates(plan, state),
    emailDefaults,
    emailSenders: compareEmailSenders(plan, state, usersAfter, emailDefaults),
    senderRules: compareSenderRules(plan, state),
    carriers: editsOf(plan.carriers, state.carriers, nameOf, ({ name, type, settings }) => ({
      name,
      type,
      settings,
    })),
    routes: editsOf(plan.routes, state.routes, nameOf, routeAfter),
    numbers: editsOf(plan.numbers, state.numbers, numberOf, ({ number, rentedBy, pool, company }) => ({
      number,
      rentedBy,
      pool,
      company,
    })),
    operators: editsOf(plan.operators, state.operators, usernameOf, (operator, before) => ({
      username: operator.username,
      passwordHash: operator.passwordHash ?? before?.passwordHash ?? '',
    })),
  };
}

const numberOf = ({ number }: { readonly number: string }): string => number;

/** A company goes with all of its users. */
function compareUsers(plan: Plan, state: State): readonly Edit<UserState>[] {
  const leaving = new Set(plan.companies.filter(({ remove }) => remove).map(nameOf));
  const asked = plan.companies
    .filter(({ remove }) => !remove)
    .flatMap((company) => company.users.map((user) => ({ ...user, company: company.name })));
  const gone = state.users.filter(({ company }) => leaving.has(company));
  return [
    ...editsOf(asked, state.users, usernameOf, userAfter),
    ...gone.map((before) => ({ before, after: undefined })),
  ];
}

/** The names of company and book, with a border that stands in neither. */
export const bookKeyOf = ({ company, name }: { readonly company: string; readonly name: string }): string =>
  `${company}\n${name}`;

/** A company goes with its books. */
function compareBooks(plan: Plan, state: State): readonly Edit<AddressBookState>[] {
  const leaving = new Set(plan.companies.filter(({ remove }) => remove).map(nameOf));
  const asked = plan.companies
    .filter(({ remove }) => !remove)
    .flatMap((company) => company.addressBooks.map((book) => ({ ...book, company: company.name })));
  const gone = state.addressBooks.filter(({ company }) => leaving.has(company));
  return [
    ...editsOf(asked, state.addressBooks, bookKeyOf, bookAfter),
    ...gone.map((before) => ({ before, after: undefined })),
  ];
}

/** As with books; an id is a template's within its company only. */
function compareTemplates(plan: Plan, state: State): readonly Edit<TemplateState>[] {
  const leaving = new Set(plan.companies.filter(({ remove }) => remove).map(nameOf));
  const asked = plan.companies
    .filter(({ remove }) => !remove)
    .flatMap(({ name, templates }) => templates.map((template) => ({ ...template, company: name })));
  const gone = state.templates.filter(({ company }) => leaving.has(company));
  const keyOf = ({ company, id }: { readonly company: string; readonly id: number }) => `${id} ${company}`;
  return [
    ...editsOf(asked, state.templates, keyOf, ({ company, id, name, text }) => ({ company, id, name, text })),
    ...gone.map((before) => ({ before, after: undefined })),
  ];
}

function bookAfter(
  book: AddressBookPlan & { readonly company: string },
  before: AddressBookState | undefined,
): AddressBookState {
  return {
    id: before?.id ?? book.id,
    name: book.name,
    company: book.company,
    savedTagFilters: entriesAfter(book.savedTagFilters, before?.savedTagFilters),
    groups: entriesAfter(book.groups, before?.groups),
  };
}

function entriesAfter<Value>(
  asked: ReadonlyMap<string, Removable<Value>>,
  before: Readonly<Record<string, Value>> = {},
): Readonly<Record<string, Value>> {
  const after = new Map(Object.entries(before));
  for (const [name, { value }] of asked) {
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return Object.fromEntries(after);
}

function companyAfter(company: CompanyPlan, before: CompanyState | undefined): CompanyState {
  const { name, active, quotaParts, limits, defaultSender, sendHours } = company;
  const allowedDomainEndings = [...new Set(company.allowedDomainEndings.map(({ ending }) => ending))];
  return {
    id: before?.id ?? company.id,
    name,
    active,
    quotaParts,
    limits: someLimits(limits),
    defaultSender,
    sendHours,
    allowedDomainEndings,
  };
}

/** As the store gives them back. */
function someLimits(limits: SendingLimits | undefined): SendingLimits | undefined {
  return limits && Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined;
}

function routeAfter({ name, prefix, carriers, senders, users, priority }: RoutePlan): Route {
  return { name, prefix, carriers, senders: once(senders), users: once(users), priority };
}

function once(names: readonly string[] | undefined): readonly string[] | undefined {
  return names && [...new Set(names)];
}

function userAfter(user: UserPlan & { readonly company: string }, before: UserState | undefined): UserState {
  return {
    id: before?.id ?? user.id,
    username: user.username,
    company: user.company,
    passwordHash: user.passwordHash ?? before?.passwordHash,
    roles: roles.filter((role) => user.roles.includes(role)),
    active: user.active,
    quotaParts: user.quotaParts,
    limits: someLimits(user.limits),
    defaultSender: user.defaultSender,
    senders: once(user.senders),
    replaceCharacters: user.replaceCharacters,
    maxBatch: user.maxBatch,
    smtpSplit: user.smtpSplit,
    addressBooks: [...new Set(user.addressBooks)].sort(),
    defaultAddressBook: user.defaultAddressBook,
  };
}
