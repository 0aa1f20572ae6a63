/** Compares what a file says of e-mail senders with what the store holds, each sender with the defaults as they will be. */
import { namedUser } from '../email/senders/paying-user.ts';
import { noSettings, type SomeSettings, settingNames, settled } from '../email/senders/sender-entry.ts';
import { editsOf, nameOf, outcome } from './edit-lists.ts';
import type { Plan } from './plan.ts';
import type {
  Edit,
  EmailDefaultsState,
  EmailSenderState,
  SenderRuleState,
  State,
  UserState,
} from './state.ts';

export const companyOf = ({ company }: { readonly company: string }): string => company;
export const emailOf = ({ email }: { readonly email: string }): string => email;

/** The users as they will be, by name. */
export type UsersAfter = ReadonlyMap<string, UserState>;

/** For a text that names nobody: no user has this name, and the check tells the text of the file. */
const nobody = '';

/** By its id in digits, else by its name: the name of the user that is meant. */
function payerFinder(users: UsersAfter): (text: string) => string {
  const byId = new Map([...users.values()].map(({ id, username }) => [id, username]));
  return (text) => {
    const named = namedUser(text);
    const username = 'id' in named ? byId.get(named.id) : users.get(named.username)?.username;
    return username ?? nobody;
  };
}

export function compareEmailDefaults(
  plan: Plan,
  state: State,
  users: UsersAfter,
): readonly Edit<EmailDefaultsState>[] {
  const payerOf = payerFinder(users);
  const asked = plan.companies
    .filter(({ remove }) => !remove)
    .flatMap(({ name, emailDefaults }) => (emailDefaults ? [{ ...emailDefaults, company: name }] : []));
  return [
    ...editsOf(asked, state.emailDefaults, companyOf, ({ company, payinguser, settings }) => {
      const isEmpty = payinguser === undefined && settingNames.every((name) => settings[name] === undefined);
      const payer = payinguser === undefined ? undefined : payerOf(payinguser);
      return isEmpty ? undefined : { company, payinguser: payer, ...settings };
    }),
    ...goneWith(plan, state.emailDefaults),
  ];
}

export function compareEmailSenders(
  plan: Plan,
  state: State,
  users: UsersAfter,
  defaultsEdits: readonly Edit<EmailDefaultsState>[],
): readonly Edit<EmailSenderState>[] {
  const payerOf = payerFinder(users);
  const defaultsAfter = outcome(state.emailDefaults, defaultsEdits, companyOf);
  const asked = plan.companies
    .filter(({ remove }) => !remove)
    .flatMap(({ name, emailSenders }) => emailSenders.map((sender) => ({ ...sender, company: name })));
  return [
    ...editsOf(asked, state.emailSenders, emailOf, ({ email, company, blocked, payinguser, settings }) => {
      const defaults = defaultsAfter.get(company);
      const payer = payinguser === undefined ? (defaults?.payinguser ?? nobody) : payerOf(payinguser);
      return {
        email,
        company,
        blocked,
        payinguser: payer,
        ...settled(settings, settingsOf(defaults)),
      };
    }),
    ...goneWith(plan, state.emailSenders),
  ];
}

/** A domain is a rule's key within its company only. */
export function compareSenderRules(plan: Plan, state: State): readonly Edit<SenderRuleState>[] {
  const asked = plan.companies
    .filter(({ remove }) => !remove)
    .flatMap(({ name, senderRules }) => senderRules.map((rule) => ({ ...rule, company: name })));
  const keyOf = ({ company, domain }: Omit<SenderRuleState, 'sender'>) => `${domain} ${company}`;
  return [
    ...editsOf(asked, state.senderRules, keyOf, ({ company, domain, sender }) => ({
      company,
      domain,
      sender,
    })),
    ...goneWith(plan, state.senderRules),
  ];
}

function settingsOf(defaults: EmailDefaultsState | undefined): SomeSettings {
  return defaults ?? noSettings;
}

/** A company goes with its senders and defaults. */
function goneWith<Kept extends { readonly company: string }>(
  plan: Plan,
  kept: readonly Kept[],
): readonly Edit<Kept>[] {
  const leaving = new Set(plan.companies.filter(({ remove }) => remove).map(nameOf));
  return kept.filter(({ company }) => leaving.has(company)).map((before) => ({ before, after: undefined }));
}
