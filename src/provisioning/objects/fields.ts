/** Fields shared by several kinds of objects: names and ids, passwords, senders, limits, texts, webhooks. */
import { isPasswordHash, type Passwords, passwordFault } from '../../accounts/password.ts';
import type { SendingLimits } from '../../accounts/sending-limits.ts';
import { isUsername, maxUsernameLength } from '../../accounts/user-records.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import { faultOfUrl, keyOfSecret } from '../../webhooks/endpoint.ts';
import { isCountry } from '../../wire/country.ts';
import { parseSender } from '../../wire/sender-id.ts';
import { longestText } from '../../wire/sms/segments.ts';
import { normalTagFilter } from '../../wire/tag-filter.ts';
import type { Fault } from '../../yaml/fault.ts';
import {
  explicitList,
  flag,
  list,
  object,
  optional,
  plainText,
  type Read,
  ruled,
  type TextRule,
  text,
  wholeNumber,
} from '../../yaml/fields.ts';
import { faultAt, type Planned } from './planned.ts';

export const name = text(plainText(100));
/** Ids stay far below 2^53, so that ids drawn after the highest one do too. */
export const givenId = wholeNumber(1, 999_999_999_999_999);
export const remove = optional(flag, false);

/** A text exactly as written, if it is valid. */
function textThat(isRight: (written: string) => boolean, wrong: string): Read<string> {
  return text((written) => (isRight(written) ? { value: written } : { wrong }));
}

export const username = textThat(
  (written) => isUsername(written) && written.trim() === written,
  `must be 1 to ${maxUsernameLength} characters without colons, control characters, or spaces at either end`,
);

const passwordHash = textThat(
  isPasswordHash,
  'must be an Argon2 hash in the PHC form ($argon2id$v=19$m=19456,t=2,p=1$…$…)',
);

/** Only hashes of passwords are stored. */
export const passwordFields = {
  /** The rules for new passwords are checked together with what is stored. */
  password: optional(text(), undefined),
  passwordHash: optional(passwordHash, undefined),
} as const;

export interface WithPassword extends Planned {
  /** As written; `hashed` runs before anything is compared or applied. */
  readonly password: string | undefined;
  /** Undefined when the password stays as it is. */
  readonly passwordHash: string | undefined;
}

interface Stored {
  readonly passwordHash: string | undefined;
}

export function bothPasswords(asked: WithPassword): readonly Fault[] {
  if (asked.password === undefined || asked.passwordHash === undefined) return [];
  return [faultAt(asked, 'passwordHash', 'give either "password" or "passwordHash", not both')];
}

/**
 * Checks only new and changed passwords: one that was set before the rules became stricter stays valid, so that its file can
 * still be applied.
 */
export async function weakPassword(
  asked: WithPassword,
  before: Stored | undefined,
  passwords: Passwords,
): Promise<readonly Fault[]> {
  const { password } = asked;
  if (password === undefined) return [];
  const sentence = passwordFault(password);
  if (sentence === undefined || (await isStored(password, before, passwords))) return [];
  return [faultAt(asked, 'password', inEnglish(sentence))];
}

/** Hashes are salted, so a stored hash of the same password is kept; otherwise every password would look changed. */
export async function hashed<Asked extends Pick<WithPassword, 'password' | 'passwordHash'>>(
  asked: Asked,
  before: Stored | undefined,
  { passwords }: { readonly passwords: Passwords },
): Promise<Asked> {
  const { password } = asked;
  if (password === undefined) return asked;
  const passwordHash = (await isStored(password, before, passwords))
    ? before?.passwordHash
    : await passwords.hash(password);
  return { ...asked, password: undefined, passwordHash };
}

async function isStored(
  password: string,
  before: Stored | undefined,
  passwords: Passwords,
): Promise<boolean> {
  const stored = before?.passwordHash;
  return stored !== undefined && passwords.matches(password, stored);
}

export const sender = text((written) => {
  const sender = parseSender(written);
  return sender.ok ? { value: sender.value.value } : { wrong: sender.error };
});

/** The senders that a company or user is limited to, each only once. */
export const senders = optional(distinct(explicitList(sender, 'any', 1_000)), undefined);

function distinct(read: Read<readonly string[]>): Read<readonly string[]> {
  return (tree, faults) => {
    const items = read(tree, faults);
    return items && [...new Set(items)];
  };
}

export const quotaParts = optional(wholeNumber(0, 1_000_000_000_000), undefined);

const country = text((written) => {
  const code = written.toUpperCase();
  if (/^[A-Z]{2}$/.test(code) && isCountry(code)) return { value: code };
  return { wrong: 'must be the code of a country with phone numbers, two letters such as SE (ISO 3166)' };
});

const parts = optional(wholeNumber(1, 1_000_000_000), undefined);

const limitsFields = object({
  partsPerMinute: parts,
  partsPerDay: parts,
  countries: optional(list(country), undefined),
});

/** The most that a company or user may send. A value without any limit counts as an omitted key. */
export const sendingLimits: Read<SendingLimits> = (tree, faults) => {
  const read = limitsFields(tree, faults);
  if (read === undefined) return undefined;
  const { partsPerMinute, partsPerDay, countries, place, fieldPlaces } = read;
  if (countries?.length === 0) {
    const sentence = 'must name at least one country; leave the key out for all';
    faults.push({ place: fieldPlaces.countries ?? place, sentence });
  }
  if (partsPerMinute === undefined && partsPerDay === undefined && countries === undefined) return undefined;
  return { partsPerMinute, partsPerDay, countries: countries && [...new Set(countries)].sort() };
};

/** Written as `600 a minute, 20000 a day, NO SE only`. */
export function shortLimits(limits: SendingLimits | undefined): string | undefined {
  if (limits === undefined) return undefined;
  const { partsPerMinute, partsPerDay, countries } = limits;
  return [
    ...(partsPerMinute === undefined ? [] : [`${partsPerMinute} a minute`]),
    ...(partsPerDay === undefined ? [] : [`${partsPerDay} a day`]),
    ...(countries === undefined ? [] : [`${countries.join(' ')} only`]),
  ].join(', ');
}

/** The rule for a text, possibly of several lines, that both engines can store; lengths are in characters. */
export function storableText(longest: number, shortest = 1): TextRule {
  return (written) => {
    if (written.length < shortest) return { wrong: 'must not be empty' };
    if (written.length > longest) return { wrong: `must have at most ${longest} characters` };
    if (/[\0\p{Cs}]/u.test(written)) return { wrong: 'must not contain NUL or half a surrogate pair' };
    return { value: written };
  };
}

/** The text of an SMS as written; it is made safe for phones when it is sent. */
export const messageText: Read<string> = text(storableText(longestText));

/** In string notation. */
export const tagFilter: Read<string> = ruled(normalTagFilter);

export const callbackUrl = text((written) => {
  const wrong = faultOfUrl(written);
  return wrong === undefined ? { value: written } : { wrong };
});

export const webhookSecret = textThat(
  (written) => keyOfSecret(written) !== undefined,
  'must be whsec_ followed by 24 to 64 octets in base64, such as whsec_ in front of the output of: openssl rand -base64 32',
);
