/** E-mail senders of a company in a provisioning file: who may send SMS by mail, and who may not. */
import { type EmailSenderRecord, emailSenderRecords } from '../../email/senders/entry-records.ts';
import {
  isAllowedDomain,
  noSettings,
  parseSenderKey,
  type SenderKey,
  settingNames,
  settled,
} from '../../email/senders/sender-entry.ts';
import { changed, created, type Edit, removed } from '../../foundation/edit.ts';
import { groupedBy } from '../../foundation/grouped.ts';
import type { Fault } from '../../yaml/fault.ts';
import { flag, needed, optional, type Read, text } from '../../yaml/fields.ts';
import { payerMentioned, type SettingsPlan, settingsFields } from '../objects/email-fields.ts';
import { type Keeps, type Kind, namedIn, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { companies } from './companies.ts';
import { emailDefaults, nobody, payerFinder, payingFaults } from './email-defaults.ts';
import { userRemovers } from './users.ts';

interface EmailSenderPlan extends Planned, SettingsPlan, SenderKey {
  readonly company: string;
  readonly blocked: boolean;
}

const key: Read<SenderKey> = (tree, faults) => {
  let found: SenderKey | undefined;
  text((written) => {
    const parsed = parseSenderKey(written);
    if (!parsed.ok) return { wrong: parsed.error.replace(/\.$/, '') };
    found = parsed.value;
    return { value: written };
  })(tree, faults);
  return found;
};

const senderFields = planned({
  email: needed(key, { email: '', domain: '' }),
  blocked: optional(flag, false),
  ...settingsFields,
});

export const emailSenders: Kind<EmailSenderPlan, EmailSenderRecord> = {
  section: 'emailSenders',
  within: 'company',
  noun: 'this sender',
  read: (tree, faults) => {
    const read = senderFields(tree, faults);
    if (read === undefined) return undefined;
    const { email: key, blocked, payinguser, remove, place, fieldPlaces, resets, ...settings } = read;
    return { ...key, blocked, payinguser, settings, remove, place, fieldPlaces, resets };
  },
  keyField: 'email',
  keyOf: ({ email }) => email,
  mentions: payerMentioned,
  load: (reading, scope) =>
    emailSenderRecords.read(reading, {
      email: namedIn(scope, 'emailSenders').keys,
      company: namedIn(scope, 'companies').removed,
      payinguser: namedIn(scope, 'users').removed,
    }),
  after: senderAfter,
  senders: {
    fields: ['sender'],
    nameOf: ({ email }) => `the e-mail sender ${email}`,
    many: 'the e-mail senders',
    isPersonal: true,
    isIdle: ({ blocked }) => blocked,
  },
  describe: (edits, audience) => (audience === 'log' ? countLines(edits) : senderLines(edits, audience)),
  faultsOf: senderFaults,
  faults: payerFaults,
  create: emailSenderRecords.make,
  change: emailSenderRecords.put,
  remove: emailSenderRecords.remove,
};

/** A value that nobody has set follows the company's default, including later changes to it. */
function senderAfter(
  { email, company, blocked, payinguser, settings }: EmailSenderPlan,
  before: EmailSenderRecord | undefined,
  view: View,
  keeps: Keeps,
): EmailSenderRecord {
  const was = view.before(emailDefaults).get(company);
  const is = view.after(emailDefaults).get(company);
  const settingsWere = settled(noSettings, was ?? noSettings);
  const wanted = {
    payinguser: payinguser === undefined ? (is?.payinguser ?? nobody) : payerFinder(view)(payinguser),
    ...settled(settings, is ?? noSettings),
  };
  const follows = { payinguser: was?.payinguser ?? nobody, ...settingsWere };
  const names = ['payinguser', ...settingNames] as const;
  const kept = names.filter((name) => before && keeps(name) && before[name] !== follows[name]);
  return {
    email,
    company,
    blocked: before && keeps('blocked') ? before.blocked : blocked,
    ...wanted,
    ...Object.fromEntries(kept.map((name) => [name, before?.[name]])),
  };
}

function senderFaults(sender: EmailSenderPlan, view: View): readonly Fault[] {
  const { email, company, domain, remove } = sender;
  const owner = view.before(emailSenders).get(email)?.company ?? company;
  const faults: Fault[] = [];
  if (owner !== company)
    faults.push(faultAt(sender, 'email', `${email} is on the list of the company ${owner}`));
  if (remove) return faults;
  const endings = view.after(companies).get(company)?.allowedDomainEndings ?? [];
  if (!isAllowedDomain(domain, endings)) {
    const sentence = `the domain ${domain} does not end with any of the "allowedDomainEndings" of the company (${endings.join(', ') || 'there are none'})`;
    faults.push(faultAt(sender, 'email', sentence));
  }
  const after = view.after(emailSenders).get(email);
  if (after?.company !== company) return faults;
  const byDefault = view.asked(emailDefaults).get(company);
  const named = sender.payinguser ?? (byDefault?.remove ? undefined : byDefault?.payinguser);
  if (after.payinguser === nobody && named === undefined) {
    const sentence = 'needs a key "payinguser", since the "emailDefaults" of the company have none';
    return [...faults, { place: sender.place, sentence }];
  }
  const isEdited = view.edited(emailSenders).has(email);
  return [...faults, ...payingFaults(sender, { ...after, named, isEdited }, view)];
}

/** Checks only senders that are not in the file; for the others, the payers have already been checked. */
function payerFaults(view: View): readonly Fault[] {
  const removers = userRemovers(view);
  return [...view.after(emailSenders).values()].flatMap(({ email, payinguser }) => {
    const remover = removers.get(payinguser);
    if (remover === undefined || view.asked(emailSenders).has(email)) return [];
    const sentence = `the user ${payinguser} pays for the e-mail sender ${email}; name another "payinguser", or remove the sender too`;
    return [faultAt(remover, 'remove', sentence)];
  });
}

const senderLines = lines<EmailSenderRecord>(({ email, company }) => `e-mail sender ${email} in ${company}`, {
  keys: ['email', 'company'],
  ordinary: { blocked: false, ...settled(noSettings) },
});

/** Written as `~ e-mail senders of Care: 2 created, 1 removed`. */
function countLines(edits: readonly Edit<EmailSenderRecord>[]): readonly string[] {
  const grouped = groupedBy(edits, (edit) => (edit.after ?? edit.before)?.company ?? '');
  return [...grouped].map(([company, some]) => {
    const counts = {
      created: created(some).length,
      changed: changed(some).length,
      removed: removed(some).length,
    };
    const described = Object.entries(counts).flatMap(([what, count]) =>
      count === 0 ? [] : `${count} ${what}`,
    );
    return `~ e-mail senders of ${company}: ${described.join(', ')}`;
  });
}
