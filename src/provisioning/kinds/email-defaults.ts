/** Settings of a company for all its e-mail senders, in a provisioning file. */
import { type EmailDefaultsRecord, emailDefaultsRecords } from '../../email/senders/entry-records.ts';
import { namedUser, unfitness } from '../../email/senders/paying-user.ts';
import type { Fault } from '../../yaml/fault.ts';
import { payerMentioned, type SettingsPlan, settingsFields } from '../objects/email-fields.ts';
import { type Kind, keeping, namedIn, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { type UserState, userRemovers, users } from './users.ts';

export interface EmailDefaultsPlan extends Planned, SettingsPlan {
  readonly company: string;
}

const defaultsFields = planned(settingsFields);

export const emailDefaults: Kind<EmailDefaultsPlan, EmailDefaultsRecord> = {
  section: 'emailDefaults',
  within: 'company',
  isSingle: true,
  noun: 'these defaults',
  read: (tree, faults) => {
    const read = defaultsFields(tree, faults);
    if (read === undefined) return undefined;
    const { payinguser, remove, place, fieldPlaces, resets, ...settings } = read;
    return { payinguser, settings, remove, place, fieldPlaces, resets };
  },
  keyField: 'company',
  keyOf: ({ company }) => company,
  mentions: payerMentioned,
  async load(reading, scope) {
    const all = await emailDefaultsRecords.read(reading, { company: namedIn(scope, 'companies').keys });
    return all.filter(saysAnything);
  },
  after({ company, payinguser, settings }, before, view, keeps) {
    const payer = payinguser === undefined ? undefined : payerFinder(view)(payinguser);
    const wanted = keeping({ company, payinguser: payer, ...settings }, before, keeps);
    return saysAnything(wanted) ? wanted : undefined;
  },
  senders: { fields: ['sender'], nameOf: () => 'the e-mail defaults' },
  describe: lines(({ company }) => `e-mail defaults of ${company}`),
  faultsOf: ownFaults,
  faults: payerFaults,
  create: emailDefaultsRecords.put,
  change: emailDefaultsRecords.put,
  remove: emailDefaultsRecords.remove,
};

function saysAnything({ company: _, ...settings }: EmailDefaultsRecord): boolean {
  return Object.values(settings).some((value) => value !== undefined);
}

function ownFaults(defaults: EmailDefaultsPlan, view: View): readonly Fault[] {
  const after = view.after(emailDefaults).get(defaults.company);
  if (defaults.remove || after === undefined) return [];
  const isEdited = view.edited(emailDefaults).has(defaults.company);
  return payingFaults(defaults, { ...after, named: defaults.payinguser, isEdited }, view);
}

/** Checks only defaults that are not in the file; for the others, the payers have already been checked. */
function payerFaults(view: View): readonly Fault[] {
  const removers = userRemovers(view);
  return [...view.after(emailDefaults).values()].flatMap(({ company, payinguser = '' }) => {
    const remover = removers.get(payinguser);
    if (remover === undefined || view.asked(emailDefaults).has(company)) return [];
    const sentence = `the user ${payinguser} pays for e-mail senders of ${company} by default; change the "emailDefaults" of the company too`;
    return [faultAt(remover, 'remove', sentence)];
  });
}

/** Represents a text that matches no user: no user has this name, and the check reports the text from the file. */
export const nobody = '';

/** Finds the name of the intended user by the id in digits, otherwise by the name. */
export function payerFinder(view: View): (text: string) => string {
  const all = view.after(users);
  return (text) => {
    const named = namedUser(text);
    if ('username' in named) return all.get(named.username)?.username ?? nobody;
    return byId(all).get(named.id) ?? nobody;
  };
}

const namesById = new WeakMap<ReadonlyMap<string, UserState>, ReadonlyMap<number | undefined, string>>();

/** The names of users by id, computed once for all payers. */
function byId(all: ReadonlyMap<string, UserState>): ReadonlyMap<number | undefined, string> {
  const names = namesById.get(all) ?? new Map([...all.values()].map(({ id, username }) => [id, username]));
  namesById.set(all, names);
  return names;
}

interface Paid {
  /** The company's name. */
  readonly company: string;
  readonly payinguser: string | undefined;
  readonly splitCallback: boolean | undefined;
  /** As written in the file. */
  readonly named: string | undefined;
  readonly isEdited: boolean;
}

/**
 * The user must exist. Whether the user is fit to pay is checked only for what the file changes, as in a call: a payer can be
 * suspended, and what that user pays for stays, even in the file, until the user may pay again.
 */
export function payingFaults(asked: Planned, paid: Paid, view: View): readonly Fault[] {
  const { company, payinguser, splitCallback, named, isEdited } = paid;
  if (payinguser === undefined) return [];
  const user = view.after(users).get(payinguser);
  if (user?.company !== company) {
    const sentence = `the company ${company} has no user "${named ?? payinguser}" to pay`;
    return [faultAt(asked, 'payinguser', sentence)];
  }
  if (!isEdited) return [];
  const reason = unfitness(user)?.replaceAll('`', '"');
  if (reason !== undefined) return [faultAt(asked, 'payinguser', `the user ${user.username} ${reason}`)];
  if (splitCallback !== true || user.smtpSplit) return [];
  const sentence = `the paying user ${user.username} needs "smtpSplit: true" for "splitCallback"`;
  return [faultAt(asked, 'splitCallback', sentence)];
}
