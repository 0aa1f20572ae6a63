/**
 * Who may send SMS by e-mail, and how they are sent: the entry for a sender's address, or for a whole domain, and the defaults
 * of a company (API: email-to-SMS sender entry and company defaults).
 *
 *   no entry ──/set──▶ allowed ◀──/set──▶ blocked        both ──/unset──▶ no entry
 */
import { type FieldError, faultOfField } from '../../foundation/errors.ts';
import { type Fault, fault, quoted, type Result, success } from '../../foundation/result.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { parseDomain, parseEmailAddress } from '../../wire/email-address.ts';
import { isCountryCode } from '../../wire/phone-number.ts';
import { parseSender } from '../../wire/sender-id.ts';

/** The key of an entry; in an installation it belongs to at most one company. */
export interface SenderKey {
  /** `name@domain`, or `@domain` for everybody of the domain, as `parseEmailAddress` writes them. */
  readonly email: string;
  readonly domain: string;
}

/**
 * How SMS of a sender are sent. A setting with neither an explicit value nor a company default has the value that means none.
 */
export interface SendingSettings {
  /** Empty for the paying user's default sender. */
  readonly sender: string;
  readonly costCenter: string;
  readonly defaultCountryCode: string;
  /** In SMS parts. */
  readonly maxSms: number;
  readonly checkMobile: boolean;
  readonly includeSubject: boolean;
  readonly onlyNonDelivery: boolean;
  readonly origMsg: boolean;
  readonly splitCallback: boolean;
  readonly senderLogic: boolean;
}

/** The settings as set by a call or as company defaults; undefined where there is none. */
export type SomeSettings = { readonly [Name in keyof SendingSettings]: SendingSettings[Name] | undefined };

export interface PayingUser {
  readonly id: number;
  readonly username: string;
}

export interface SenderEntry {
  readonly email: string;
  readonly blocked: boolean;
  readonly payingUser: PayingUser;
  readonly settings: SendingSettings;
}

export interface EmailDefaults {
  readonly payingUser: PayingUser | undefined;
  readonly settings: SomeSettings;
}

export const maxSmsParts = 255;

const unset: SendingSettings = {
  sender: '',
  costCenter: '',
  defaultCountryCode: '',
  maxSms: maxSmsParts,
  checkMobile: false,
  includeSubject: false,
  onlyNonDelivery: false,
  origMsg: false,
  splitCallback: false,
  senderLogic: false,
};

export const settingNames = Object.keys(unset) as readonly (keyof SendingSettings)[];

export const noSettings = Object.fromEntries(
  settingNames.map((name) => [name, undefined]),
) as unknown as SomeSettings;

/** Returns the explicit value, or else the company's current default, or else the value that means none. */
export function settled(given: SomeSettings, defaults: SomeSettings = noSettings): SendingSettings {
  return Object.fromEntries(
    settingNames.map((name) => [name, given[name] ?? defaults[name] ?? unset[name]]),
  ) as unknown as SendingSettings;
}

/** Null clears a setting; undefined leaves it unchanged. */
export type SettingsChange = {
  readonly [Name in keyof SendingSettings]: SendingSettings[Name] | null | undefined;
};

export function changedSettings(before: SomeSettings, change: SettingsChange): SomeSettings {
  return Object.fromEntries(
    settingNames.map((name) => [
      name,
      change[name] === undefined ? before[name] : (change[name] ?? undefined),
    ]),
  ) as unknown as SomeSettings;
}

/**
 * A part of an address, as addresses are stored: in lower case, and labels in other alphabets in their ASCII form, which is
 * known only of whole labels.
 */
export function soughtIn(text: string): Result<string> {
  const stored = text
    .trim()
    .toLowerCase()
    .replace(/[^@.]+/g, (label) => {
      const domain = parseDomain(`${label}.example`);
      return domain.ok ? domain.value.slice(0, -'.example'.length) : label;
    });
  return success(stored);
}

export function parseSenderKey(text: string): Result<SenderKey> {
  if (text.startsWith('@')) {
    const domain = parseDomain(text.slice(1));
    return domain.ok ? success({ email: `@${domain.value}`, domain: domain.value }) : domain;
  }
  const address = parseEmailAddress(text);
  if (!address.ok) return address;
  const { local, domain } = address.value;
  return success({ email: `${local}@${domain}`, domain });
}

/**
 * Parses an allowed domain ending: a company lists only senders of domains with one of its endings (API: email-to-SMS, /set
 * rule 1). The result is in the form used to compare domains, with its optional leading dot.
 */
export function parseDomainEnding(text: string): Result<string> {
  const dot = text.startsWith('.') ? '.' : '';
  const domain = parseDomain(text.slice(dot.length));
  if (domain.ok) return success(dot + domain.value);
  const advice = text.startsWith('@') ? ' Leave out the @.' : '';
  return fault(domain.code, domain.error + advice, domain.values);
}

/** A plain string match, as the API contract has it: `care.example` also matches `intensivecare.example`. */
export function isAllowedDomain(domain: string, endings: readonly string[]): boolean {
  return endings.some((ending) => domain.endsWith(ending));
}

export function faultOfDomain(domain: string, endings: readonly string[]): FieldError | undefined {
  if (isAllowedDomain(domain, endings)) return undefined;
  const said = { sentence: 'domain_not_allowed', domain, endings: endings.join(', ') } as const;
  return faultOfField('email', 'domain_not_allowed', said);
}

/** A warning for the operator who configures the ending; undefined if it matches only subdomains. */
export function warningOf(ending: string): string | undefined {
  if (ending.startsWith('.')) return undefined;
  return `warning: the ending "${ending}" also matches domains that anyone can register, such as evil${ending}; ".${ending}" matches only subdomains of ${ending}`;
}

/**
 * The keys of possible entries for an address, in order of precedence: the entry for the whole address decides alone, and if
 * there is none, the entry for its domain does (API: states of a sender entry).
 */
export function keysFor(address: SenderKey): readonly [own: string, ofDomain: string] {
  return [address.email, `@${address.domain}`];
}

/** Calls create no more than this; the operator's file may list more. */
export const maxEntriesOfCompany = 10_000;

export const minSenderCharacters = 3;
export const maxSenderCharacters = 11;

/**
 * Parses a sender id as for any SMS, within an entry's narrower bounds, both as written (API: parameter bounds) and as
 * stored.
 */
export function parseEntrySender(text: string): Result<string> {
  const sender = parseSender(text);
  if (!sender.ok) return sender.values?.sentence === 'sender_wrong' ? outOfBounds(sender.values.why) : sender;
  for (const form of [text, sender.value.value]) {
    const { length } = Array.from(form);
    if (length < minSenderCharacters || length > maxSenderCharacters)
      return outOfBounds(
        storedReason({ sentence: 'sender_characters', sender: quoted(form), characters: length }),
      );
  }
  return success(sender.value.value);
}

function outOfBounds(reason: string): Fault {
  return fault('invalid_sender', {
    sentence: 'mail_sender_wrong',
    why: reason,
    fewest: minSenderCharacters,
    most: maxSenderCharacters,
  });
}

export function parseCountryCode(text: string): Result<string> {
  if (isCountryCode(text)) return success(text);
  return fault('invalid_value', { sentence: 'country_code_form', code: quoted(text) });
}
