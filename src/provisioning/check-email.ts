/** Finds what is wrong with the e-mail senders and defaults of a plan, and with removing who pays for those that stay. */
import { isAllowedDomain, warningOf } from '../email/senders/domain-endings.ts';
import { unfitness } from '../email/senders/paying-user.ts';
import { type Fault, faultLine } from '../yaml/fault.ts';
import { companyOf, emailOf, type UsersAfter } from './compare-email.ts';
import { keyed, nameOf, outcome, wanted } from './edit-lists.ts';
import { type CompanyPlan, type Plan, placeOf } from './plan.ts';
import type { Planned } from './planned.ts';
import type { Edit, Edits, State } from './state.ts';

export function emailFaults(plan: Plan, edits: Edits, state: State, users: UsersAfter): readonly Fault[] {
  const senders = afterwards(state.emailSenders, edits.emailSenders, emailOf);
  const defaults = afterwards(state.emailDefaults, edits.emailDefaults, companyOf);
  return plan.companies
    .filter(({ remove }) => !remove)
    .flatMap((company) => {
      const { emailDefaults, emailSenders, name } = company;
      const after = defaults(name);
      const ofDefaults =
        emailDefaults === undefined || emailDefaults.remove || after === undefined
          ? []
          : payingFaults(emailDefaults, emailDefaults.payinguser, name, after, users);
      const ofSenders = emailSenders
        .filter(({ remove }) => !remove)
        .flatMap((sender) => {
          const entry = senders(sender.email);
          if (entry?.kept.company !== name) return [];
          const named = sender.payinguser ?? (emailDefaults?.remove ? undefined : emailDefaults?.payinguser);
          if (entry.kept.payinguser === '' && named === undefined)
            return [{ place: sender.place, sentence: noPayer }];
          return payingFaults(sender, named, name, entry, users);
        });
      return [...ownerFaults(company, state), ...domainFaults(company), ...ofDefaults, ...ofSenders];
    });
}

interface Afterwards<Kept> {
  readonly kept: Kept;
  /** The file changes it, or makes it. */
  readonly isEdited: boolean;
}

/** What there will be of a key, once the file is applied. */
function afterwards<Kept>(
  before: readonly Kept[],
  edits: readonly Edit<Kept>[],
  keyOf: (kept: Kept) => string,
): (key: string) => Afterwards<Kept> | undefined {
  const all = outcome(before, edits, keyOf);
  const edited = new Set(wanted(edits).map(keyOf));
  return (key) => {
    const kept = all.get(key);
    return kept && { kept, isEdited: edited.has(key) };
  };
}

const noPayer = 'needs a key "payinguser", since the "emailDefaults" of the company have none';

/** An address, or a domain, is on the list of one company only. */
function ownerFaults({ name, emailSenders }: CompanyPlan, state: State): readonly Fault[] {
  const existing = keyed(state.emailSenders, emailOf);
  return emailSenders.flatMap((sender) => {
    const owner = existing.get(sender.email)?.company ?? name;
    if (owner === name) return [];
    const sentence = `${sender.email} is on the list of the company ${owner}`;
    return [{ place: placeOf(sender, 'email'), sentence }];
  });
}

function domainFaults({ emailSenders, allowedDomainEndings }: CompanyPlan): readonly Fault[] {
  const endings = allowedDomainEndings.map(({ ending }) => ending);
  return emailSenders
    .filter(({ domain, remove }) => !(remove || isAllowedDomain(domain, endings)))
    .map((sender) => ({
      place: placeOf(sender, 'email'),
      sentence: `the domain ${sender.domain} ends with none of the "allowedDomainEndings" of the company (${endings.join(', ') || 'there are none'})`,
    }));
}

/**
 * There must be a user. That it is fit is asked of what the file changes only, as of a call: a payer can be suspended,
 * and what it pays for stays, also in the file, until it may pay again.
 */
function payingFaults(
  planned: Planned,
  /** As the file has it. */
  named: string | undefined,
  company: string,
  { kept, isEdited }: Afterwards<Paid>,
  users: UsersAfter,
): readonly Fault[] {
  if (kept.payinguser === undefined) return [];
  const user = users.get(kept.payinguser);
  const place = placeOf(planned, 'payinguser');
  if (user?.company !== company)
    return [{ place, sentence: `the company ${company} has no user "${named ?? kept.payinguser}" to pay` }];
  if (!isEdited) return [];
  const reason = unfitness(user)?.replaceAll('`', '"');
  if (reason !== undefined) return [{ place, sentence: `the user ${user.username} ${reason}` }];
  if (kept.splitCallback !== true || user.smtpSplit) return [];
  return [
    {
      place: placeOf(planned, 'splitCallback'),
      sentence: `the paying user ${user.username} needs "smtpSplit: true" for that`,
    },
  ];
}

interface Paid {
  readonly payinguser: string | undefined;
  readonly splitCallback: boolean | undefined;
}

/** Senders and defaults that the file names have been looked at already. `removers`: what removes a user, by its name. */
export function removedPayerFaults(
  plan: Plan,
  state: State,
  removers: ReadonlyMap<string, Planned>,
): readonly Fault[] {
  const named = new Set(plan.companies.flatMap(({ emailSenders }) => emailSenders.map(emailOf)));
  const redone = new Set(plan.companies.filter(({ emailDefaults }) => emailDefaults).map(nameOf));
  const leaving = new Set(plan.companies.filter(({ remove }) => remove).map(nameOf));
  const fault = (payer: string | undefined, what: string): readonly Fault[] => {
    const remover = removers.get(payer ?? '');
    if (remover === undefined) return [];
    return [{ place: placeOf(remover, 'remove'), sentence: `the user ${payer} pays for ${what}` }];
  };
  return [
    ...state.emailSenders
      .filter(({ email, company }) => !(named.has(email) || leaving.has(company)))
      .flatMap(({ email, payinguser }) =>
        fault(payinguser, `the e-mail sender ${email}; name another "payinguser" or remove it too`),
      ),
    ...state.emailDefaults
      .filter(({ company }) => !(redone.has(company) || leaving.has(company)))
      .flatMap(({ company, payinguser }) =>
        fault(payinguser, `e-mail senders of ${company} by default; change its "emailDefaults" too`),
      ),
  ];
}

/** What is allowed, but better known: a line each. */
export function emailWarnings(plan: Plan): readonly string[] {
  return plan.companies
    .filter(({ remove }) => !remove)
    .flatMap(({ allowedDomainEndings }) =>
      allowedDomainEndings.flatMap(({ ending, place }) => {
        const sentence = warningOf(ending);
        return sentence === undefined ? [] : [faultLine({ place, sentence })];
      }),
    );
}
