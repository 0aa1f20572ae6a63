/** Tells edits to people, a line each, without any secret. */

import { isDeepStrictEqual } from 'node:util';
import type { SendingLimits } from '../accounts/sending-limits.ts';
import { standardMaxRecipients } from '../batches/batch.ts';
import type { SendHours } from '../batches/hours/send-hours.ts';
import { noSettings, settled } from '../email/senders/sender-entry.ts';
import { groupedBy } from '../foundation/grouped.ts';
import { changed, created, gone } from './edit-lists.ts';
import type {
  AddressBookState,
  CarrierState,
  CompanyState,
  Edit,
  Edits,
  EmailSenderState,
  TemplateState,
} from './state.ts';

/** A log holds no texts, and no people: of e-mail senders, as of contacts, it gets the counts. */
export type Audience = 'operator' | 'log';

export function describe(edits: Edits, audience: Audience = 'operator'): readonly string[] {
  const isLog = audience === 'log';
  return [
    ...edits.companies.map((edit) => line(short(edit), ({ name }) => `company ${name}`)),
    ...edits.addressBooks.map((edit) =>
      line(discreet(edit), ({ name, company }) => `address book ${name} in ${company}`),
    ),
    ...edits.users.map((edit) =>
      line(short(edit), ({ username, company }) => `user ${username} in ${company}`),
    ),
    ...edits.templates.map((edit) =>
      line(quotedText(edit), ({ id, company }) => `template ${id} in ${company}`, {
        keys: templateKeys,
        secret: isLog ? secretOrText : secretFields,
      }),
    ),
    ...edits.emailDefaults.map((edit) => line(edit, ({ company }) => `e-mail defaults of ${company}`)),
    ...(isLog ? countLines(edits.emailSenders) : edits.emailSenders.map(senderLine)),
    ...edits.senderRules.map((edit) =>
      line(edit, ({ domain, company }) => `sender rule of ${domain} in ${company}`, { keys: ruleKeys }),
    ),
    ...edits.carriers.map((edit) => line(flattened(edit), ({ name }) => `carrier ${name}`)),
    ...edits.routes.map((edit) => line(edit, ({ name }) => `route ${name === '' ? '""' : name}`)),
    ...edits.numbers.map((edit) => line(edit, ({ number }) => `number ${number}`, { keys: numberKeys })),
    ...edits.operators.map((edit) => line(edit, ({ username }) => `operator ${username}`)),
  ];
}

function senderLine(edit: Edit<EmailSenderState>): string {
  return line(edit, ({ email, company }) => `e-mail sender ${email} in ${company}`);
}

/** As `~ e-mail senders of Care: 2 created, 1 removed`. */
function countLines(edits: readonly Edit<EmailSenderState>[]): readonly string[] {
  const companies = groupedBy(edits, (edit) => (edit.after ?? edit.before)?.company ?? '');
  return [...companies].map(([company, some]) => {
    const counts = {
      created: created(some).length,
      changed: changed(some).length,
      removed: gone(some, ({ email }) => email).length,
    };
    const told = Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`));
    return `~ e-mail senders of ${company}: ${told.join(', ')}`;
  });
}

function line<Kept extends object>(
  { before, after }: Edit<Kept>,
  nameOf: (kept: Kept) => string,
  { keys = ordinaryKeys, secret = secretFields }: { keys?: ReadonlySet<string>; secret?: RegExp } = {},
): string {
  if (after === undefined) return `- ${nameOf(before as Kept)}`;
  const name = nameOf(after);
  const details = Object.keys(after)
    .filter((field) => !keys.has(field))
    .flatMap((field) => detail(field, { before, after, secret }));
  const sign = before === undefined ? '+' : '~';
  return details.length === 0 ? `${sign} ${name}` : `${sign} ${name}: ${details.join(', ')}`;
}

/** Fields that the name of an object already tells. */
const ordinaryKeys: ReadonlySet<string> = new Set(['name', 'username', 'company', 'number', 'email']);
const numberKeys: ReadonlySet<string> = new Set(['number']);
const templateKeys: ReadonlySet<string> = new Set(['id', 'company']);
const ruleKeys: ReadonlySet<string> = new Set(['domain', 'company']);
const secretFields = /password|secret/i;
const secretOrText = /password|secret|^text$/i;

/** What a field means that has no value. */
const withoutValue: Readonly<Record<string, string>> = {
  quotaParts: 'unlimited',
  senders: 'any',
  users: 'any',
  limits: 'none',
  rentedBy: 'nobody',
  /** Of a number of the pool. */
  company: 'any',
  sendHours: 'any',
  maxBatch: String(standardMaxRecipients),
};
/** What goes without saying of a new object. */
const ordinary: Readonly<Record<string, unknown>> = {
  active: true,
  replaceCharacters: false,
  priority: 0,
  pool: false,
  smtpSplit: false,
  blocked: false,
  ...settled(noSettings),
};
/** What a new object has none of goes without saying too. */
const unsaid: ReadonlySet<string> = new Set(['addressBooks', 'allowedDomainEndings']);

function detail(
  field: string,
  { before, after, secret }: { before: object | undefined; after: object; secret: RegExp },
): readonly string[] {
  const to = (after as Record<string, unknown>)[field];
  if (before === undefined) {
    if (to === undefined || to === ordinary[field] || secret.test(field)) return [];
    if (unsaid.has(field) && Array.isArray(to) && to.length === 0) return [];
    return [`${label(field)} ${shown(field, to)}`];
  }
  const from = (before as Record<string, unknown>)[field];
  if (isDeepStrictEqual(from, to)) return [];
  if (secret.test(field)) return [`${label(field)} changed`];
  return [`${label(field)} ${shown(field, from)} -> ${shown(field, to)}`];
}

function label(field: string): string {
  return field === 'passwordHash' ? 'password' : field;
}

function shown(field: string, value: unknown): string {
  if (value === undefined) return withoutValue[field] ?? 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  if (typeof value === 'object') {
    return JSON.stringify(value, (key, inner) => (secretFields.test(key) ? '(secret)' : inner));
  }
  return value === '' ? '""' : String(value);
}

/** Hours as `07:00-21:00 Europe/Stockholm batch drop`, limits as `600 a minute, 20000 a day, NO SE only`. */
function short<
  Kept extends Pick<CompanyState, 'limits'> & { readonly sendHours?: CompanyState['sendHours'] },
>({ before, after }: Edit<Kept>) {
  const told = (kept: Kept | undefined) =>
    kept && {
      ...kept,
      limits: kept.limits && shortLimits(kept.limits),
      ...(kept.sendHours && { sendHours: shortHours(kept.sendHours) }),
    };
  return { before: told(before), after: told(after) };
}

function shortHours({ from, to, zone, batch }: SendHours): string {
  return `${from}-${to} ${zone} batch ${batch}`;
}

function shortLimits({ partsPerMinute, partsPerDay, countries }: SendingLimits): string {
  return [
    ...(partsPerMinute === undefined ? [] : [`${partsPerMinute} a minute`]),
    ...(partsPerDay === undefined ? [] : [`${partsPerDay} a day`]),
    ...(countries === undefined ? [] : [`${countries.join(' ')} only`]),
  ].join(', ');
}

/** A text may have several lines. */
function quotedText({ before, after }: Edit<TemplateState>): Edit<TemplateState> {
  const quoted = (template: TemplateState | undefined) =>
    template && { ...template, text: JSON.stringify(template.text) };
  return { before: quoted(before), after: quoted(after) };
}

/** The settings of a carrier stand beside its name and type, as in the file. */
function flattened({ before, after }: Edit<CarrierState>): Edit<{ name: string }> {
  const all = new Set([...Object.keys(before?.settings ?? {}), ...Object.keys(after?.settings ?? {})]);
  const none = Object.fromEntries([...all].map((setting) => [setting, undefined]));
  const flat = (carrier: CarrierState | undefined) =>
    carrier && { name: carrier.name, type: carrier.type, ...none, ...carrier.settings };
  return { before: flat(before), after: flat(after) };
}

/** Filters and groups by their names. Members are people, who are counted and not named. */
function discreet({ before, after }: Edit<AddressBookState>): Edit<{ name: string; company: string }> {
  const names = (field: 'savedTagFilters' | 'groups') => [
    ...new Set([...Object.keys(before?.[field] ?? {}), ...Object.keys(after?.[field] ?? {})]),
  ];
  const groups = names('groups');
  const hasChanged = (name: string) => !isDeepStrictEqual(before?.groups[name], after?.groups[name]);
  const flat = (book: AddressBookState | undefined, when: string) =>
    book && {
      id: book.id,
      name: book.name,
      company: book.company,
      ...Object.fromEntries(
        names('savedTagFilters').map((name) => [`filter ${name}`, book.savedTagFilters[name]]),
      ),
      ...Object.fromEntries(
        groups.map((name) => [`group ${name}`, counted(book.groups[name], hasChanged(name) ? when : '')]),
      ),
    };
  return { before: flat(before, ''), after: flat(after, before === undefined ? '' : ' now') };
}

function counted(members: readonly string[] | undefined, when: string): string | undefined {
  if (members === undefined) return undefined;
  return `${members.length} ${members.length === 1 ? 'member' : 'members'}${when}`;
}
