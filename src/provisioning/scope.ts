/** Which objects of the store a plan concerns. */
import { namedUser } from '../email/senders/paying-user.ts';
import type { Plan } from './plan.ts';

/** Users and numbers may be many, so that only those that a plan concerns are read. */
export interface Scope {
  readonly usernames: readonly string[];
  readonly userIds: readonly number[];
  readonly removedUsers: readonly string[];
  readonly removedCompanies: readonly string[];
  /** Whose address books, templates, e-mail defaults and sender rules are in scope. */
  readonly companies: readonly string[];
  readonly bookIds: readonly number[];
  readonly companyIds: readonly number[];
  readonly numbers: readonly string[];
  /** Keys of e-mail senders that the plan names. */
  readonly emails: readonly string[];
}

export function scopeOf(plan: Plan): Scope {
  const users = plan.companies.flatMap((company) => company.users);
  const senders = plan.companies.flatMap(({ emailSenders }) => emailSenders);
  const payers = [...senders, ...plan.companies.flatMap(({ emailDefaults }) => emailDefaults ?? [])]
    .flatMap(({ payinguser }) => payinguser ?? [])
    .map(namedUser);
  return {
    usernames: [
      ...users.map(({ username }) => username),
      ...plan.numbers.flatMap(({ rentedBy }) => rentedBy ?? []),
      ...plan.routes.flatMap((route) => route.users ?? []),
      ...payers.flatMap((payer) => ('username' in payer ? payer.username : [])),
    ],
    userIds: [
      ...users.flatMap(({ id }) => id ?? []),
      ...payers.flatMap((payer) => ('id' in payer ? payer.id : [])),
    ],
    removedUsers: users.filter(({ remove }) => remove).map(({ username }) => username),
    removedCompanies: plan.companies.filter(({ remove }) => remove).map(({ name }) => name),
    companies: plan.companies.map(({ name }) => name),
    bookIds: plan.companies.flatMap(({ addressBooks }) => addressBooks.flatMap(({ id }) => id ?? [])),
    companyIds: plan.companies.flatMap(({ id }) => id ?? []),
    numbers: plan.numbers.map(({ number }) => number),
    emails: senders.map(({ email }) => email),
  };
}
