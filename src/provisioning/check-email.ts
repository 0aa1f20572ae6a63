/** Finds what is wrong with the e-mail senders and defaults of a plan, and with removing who pays for those that stay. */
import { isAllowedDomain, warningOf } from '../email/domain-endings.ts';
import { unfitness } from '../email/paying-user.ts';
import { companyOf, emailOf, type UsersAfter } from './compare-email.ts';
import { keyed, nameOf, outcome } from './edit-lists.ts';
import { type Fault, faultLine } from './fault.ts';
import { type CompanyPlan, type Plan, type Planned, placeOf } from './plan.ts';
import type { Edits, State } from './state.ts';

export function emailFaults(plan: Plan, edits: Edits, state: State, users: UsersAfter): readonly Fault[] {
  const senders = outcome(state.emailSenders, edits.emailSenders, emailOf);
  const defaults = outcome(state.emailDefaults, edits.emailDefaults, companyOf);
  return plan.companies
    .filter(({ remove }) => !remove)
    .flatMap((company) => {
      const { emailDefaults, emailSenders, name } = company;
      const after = defaults.get(name);
      const ofDefaults =
        emailDefaults === undefined || emailDefaults.remove || after === undefined
          ? []
          : payingFaults(emailDefaults, name, after, users);
      const ofSenders = emailSenders
        .filter(({ remove }) => !remove)
        .flatMap((sender) => {
          const entry = senders.get(sender.email);
          if (entry?.company !== name) return [];
          if (entry.payinguser === '') return [{ place: sender.place, sentence: noPayer }];
          return payingFaults(sender, name, entry, users);
        });
      return [...ownerFaults(company, state), ...domainFaults(company), ...ofDefaults, ...ofSenders];
    });
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

function payingFaults(
  planned: Planned,
  company: string,
  after: { readonly payinguser: string | undefined; readonly splitCallback: boolean | undefined },
  users: UsersAfter,
): readonly Fault[] {
  if (after.payinguser === undefined) return [];
  const user = users.get(after.payinguser);
  const place = placeOf(planned, 'payinguser');
  if (user?.company !== company)
    return [{ place, sentence: `the company ${company} has no user "${after.payinguser}" to pay` }];
  const reason = unfitness(user)?.replaceAll('`', '"');
  if (reason !== undefined) return [{ place, sentence: `the user ${user.username} ${reason}` }];
  if (after.splitCallback !== true || user.smtpSplit) return [];
  return [
    {
      place: placeOf(planned, 'splitCallback'),
      sentence: `the paying user ${user.username} needs "smtpSplit: true" for that`,
    },
  ];
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
