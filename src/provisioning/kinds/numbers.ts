/** Numbers in a provisioning file, either rented by a user or in the pool for two-way SMS. */
import { readUsers } from '../../accounts/user-records.ts';
import { type NumberRecord, numberRecords } from '../../routing/number-records.ts';
import { cleanNumber, hasDecimals, withoutSeparators } from '../../wire/phone-number.ts';
import type { Fault } from '../../yaml/fault.ts';
import { flag, needed, optional, text } from '../../yaml/fields.ts';
import { name, remove, username } from '../objects/fields.ts';
import { type Kind, keeping, namedIn, removedAmong, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { companies } from './companies.ts';
import { userRemovers, users } from './users.ts';

interface NumberPlan extends Planned, NumberRecord {}

/** A number that phones can answer: a complete one, or a short code of its country. */
const ownNumber = text((written) => {
  const digits = withoutSeparators(written);
  if (/^[1-9]\d{2,5}$/.test(digits) && !hasDecimals(written)) return { value: digits };
  const cleaned = cleanNumber(written);
  return cleaned.ok ? { value: cleaned.value } : { wrong: cleaned.error };
});

export const numbers: Kind<NumberPlan, NumberRecord> = {
  section: 'numbers',
  within: 'file',
  noun: 'this number',
  read: planned({
    number: needed(ownNumber, ''),
    rentedBy: optional(username, undefined),
    pool: optional(flag, false),
    company: optional(name, undefined),
    remove,
  }),
  keyField: 'number',
  keyOf: ({ number }) => number,
  mentions: ({ rentedBy }) => (rentedBy === undefined ? {} : { users: { keys: [rentedBy] } }),
  async load(reading, scope) {
    const { removed: usernames } = namedIn(scope, 'users');
    const { removed: companies } = namedIn(scope, 'companies');
    const leaving = await readUsers(reading, { usernames, ids: [], companies });
    return numberRecords.read(reading, {
      number: namedIn(scope, 'numbers').keys,
      rentedBy: leaving.map(({ username }) => username),
      company: companies,
    });
  },
  after: ({ number, rentedBy, pool, company }, before, _, keeps) =>
    keeping({ number, rentedBy, pool, company }, before, keeps),
  describe: lines(({ number }) => `number ${number}`, {
    keys: ['number'],
    absent: { rentedBy: 'nobody', company: 'any' },
    ordinary: { pool: false },
  }),
  faultsOf: numberFaults,
  faults: leftBehind,
  create: numberRecords.put,
  change: numberRecords.put,
  remove: numberRecords.remove,
  news: ['accounts', 'senders'],
};

/** An answer to a rented number belongs to its renter, an answer to a pool number to the user who asked. */
function numberFaults(asked: NumberPlan, view: View): readonly Fault[] {
  const after = view.after(numbers).get(asked.number);
  if (asked.remove || after === undefined) return [];
  const faults: Fault[] = [];
  const { rentedBy, pool, company } = after;
  if (asked.rentedBy !== undefined && !view.after(users).has(asked.rentedBy))
    faults.push(faultAt(asked, 'rentedBy', `there is no user "${asked.rentedBy}"`));
  if (asked.company !== undefined && !view.after(companies).has(asked.company))
    faults.push(faultAt(asked, 'company', `there is no company "${asked.company}"`));
  if (company !== undefined && !pool) {
    const sentence = 'names the company whose pool has the number, so "pool: true" is needed too';
    faults.push(faultAt(asked, 'company', sentence));
  } else if (pool && rentedBy !== undefined) {
    const sentence = `a number is either in the pool or rented; this one is rented by ${rentedBy}`;
    faults.push(faultAt(asked, 'pool', sentence));
  }
  return faults;
}

/** Finds numbers of users and companies that are removed; those that the file gives to somebody have already been checked. */
function leftBehind(view: View): readonly Fault[] {
  const removers = userRemovers(view);
  const asked = view.asked(numbers);
  const after = [...view.after(numbers).values()];
  const ofCompanies = removedAmong(view.asked(companies)).flatMap((company) => {
    const own = after.find((one) => one.company === company.name && !asked.get(one.number)?.company);
    if (own === undefined) return [];
    const sentence = `the number ${own.number} is in the pool of the company ${company.name}; leave out its "company", or remove the number too`;
    return [faultAt(company, 'remove', sentence)];
  });
  const ofUsers = after.flatMap(({ number, rentedBy = '' }) => {
    const remover = removers.get(rentedBy);
    if (remover === undefined || asked.get(number)?.rentedBy) return [];
    const sentence = `the user ${rentedBy} rents the number ${number}; rent it to another user, or remove the number too`;
    return [faultAt(remover, 'remove', sentence)];
  });
  return [...ofCompanies, ...ofUsers];
}
