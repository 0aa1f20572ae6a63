/**
 * Who may send SMS by e-mail, and how they are sent: the entry of a sender's address, or of a whole domain, and the
 * defaults of a company (API: email-to-SMS sender entry and company defaults).
 *
 *   no entry ──/set──▶ allowed ◀──/set──▶ blocked        both ──/unset──▶ no entry
 */
import type { FieldError } from '../../foundation/errors.ts';
import { type Fault, fault, quoted, type Result, success } from '../../foundation/result.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import { parseDomain, parseEmailAddress } from '../../wire/email-address.ts';
import { isCountryCode } from '../../wire/phone-number.ts';
import { parseSender } from '../../wire/sender-id.ts';

/** What an entry is found by; in the installation it belongs to one company at most. */
export interface SenderKey {
  /** `name@domain`, or `@domain` for everybody of the domain, as `parseEmailAddress` writes them. */
  readonly email: string;
  readonly domain: string;
}

/** How SMS of a sender go out. What is neither given nor a default of the company has the value that stands for none. */
export interface SendingSettings {
  /** The empty string: the paying user's own default. */
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

/** Each as a call gives it, or as the default of a company; undefined where there is none. */
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

/** What was given, else the default of the company as it is now, else what stands for none. */
export function settled(given: SomeSettings, defaults: SomeSettings = noSettings): SendingSettings {
  return Object.fromEntries(
    settingNames.map((name) => [name, given[name] ?? defaults[name] ?? unset[name]]),
  ) as unknown as SendingSettings;
}

/** Null clears, undefined leaves as it is. */
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
 * A company lists senders of domains that end with one of its allowed endings (API: email-to-SMS, /set rule 1): one such
 * ending, in the form in which domains are compared, with the dot that it may begin with.
 */
export function parseDomainEnding(text: string): Result<string> {
  const dot = text.startsWith('.') ? '.' : '';
  const domain = parseDomain(text.slice(dot.length));
  if (domain.ok) return success(dot + domain.value);
  const advice = text.startsWith('@') ? ' Leave out the @.' : '';
  return fault(domain.code, domain.error + advice);
}

/** A match of characters, as the API contract has it: `care.example` fits `intensivecare.example` too. */
export function isAllowedDomain(domain: string, endings: readonly string[]): boolean {
  return endings.some((ending) => domain.endsWith(ending));
}

export function faultOfDomain(domain: string, endings: readonly string[]): FieldError | undefined {
  if (isAllowedDomain(domain, endings)) return undefined;
  const said = { sentence: 'domain_not_allowed', domain, endings: endings.join(', ') } as const;
  return { field: 'email', code: 'domain_not_allowed', error: inEnglish(said), values: said };
}

/** For the operator, who gives the ending; undefined where it fits nothing but what lies below it. */
export function warningOf(ending: string): string | undefined {
  if (ending.startsWith('.')) return undefined;
  return `warning: the ending "${ending}" also fits domains that anybody may register, such as evil${ending}; ".${ending}" fits only what lies below ${ending}`;
}

/**
 * The keys under which the entry for an address may stand, in the order of their weight: an entry of the whole address
 * alone decides, else that of its domain does (API: states of a sender entry).
 */
export function keysFor(address: SenderKey): readonly [own: string, ofDomain: string] {
  return [address.email, `@${address.domain}`];
}

/** Calls make no more; the operator's file may list more. */
export const maxEntriesOfCompany = 10_000;

export const minSenderCharacters = 3;
export const maxSenderCharacters = 11;

/** A sender id as for any SMS, within the narrower bounds of an entry, as written (API: parameter bounds) and as kept. */
export function parseEntrySender(text: string): Result<string> {
  const sender = parseSender(text);
  if (!sender.ok) return outOfBounds(sender.error.slice(0, sender.error.lastIndexOf(' It is ')));
  for (const form of [text, sender.value.value]) {
    const { length } = Array.from(form);
    if (length < minSenderCharacters || length > maxSenderCharacters)
      return outOfBounds(`The sender id ${quoted(form)} has ${length} characters.`);
  }
  return success(sender.value.value);
}

function outOfBounds(sentence: string): Fault {
  return fault(
    'invalid_sender',
    `${sentence} Here it is ${minSenderCharacters} to ${maxSenderCharacters} letters, digits and simple signs.`,
  );
}

export function parseCountryCode(text: string): Result<string> {
  if (isCountryCode(text)) return success(text);
  return fault('invalid_value', { sentence: 'country_code_form', code: quoted(text) });
}
