/** The fields that several kinds of objects have: names and ids, passwords, senders, limits, texts, webhooks. */
import { isPasswordHash, type Passwords, passwordFault } from '../../accounts/password.ts';
import type { SendingLimits } from '../../accounts/sending-limits.ts';
import { isUsername, maxUsernameLength } from '../../accounts/user-records.ts';
import { success } from '../../foundation/result.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import { faultOfUrl, keyOfSecret } from '../../webhooks/endpoint.ts';
import { isCountry } from '../../wire/country.ts';
import { parseSender } from '../../wire/sender-id.ts';
import { longestText } from '../../wire/sms/segments.ts';
import { formatTagFilter, parseTagFilter } from '../../wire/tag-filter.ts';
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
/** Ids stay far below 2^53, so that those drawn after the highest do as well. */
export const givenId = wholeNumber(1, 999_999_999_999_999);
export const remove = optional(flag, false);

/** A text as written, where it is right. */
function textThat(isRight: (written: string) => boolean, wrong: string): Read<string> {
  return text((written) => (isRight(written) ? { value: written } : { wrong }));
}

export const username = textThat(
  (written) => isUsername(written) && written.trim() === written,
  `must be 1 to ${maxUsernameLength} characters without colons, control characters, or spaces at its ends`,
);

const passwordHash = textThat(
  isPasswordHash,
  'must be an Argon2 hash in the PHC form ($argon2id$v=19$m=19456,t=2,p=1$…$…)',
);

/** Of passwords only hashes are stored. */
export const passwordFields = {
  /** What new ones must be like is looked at beside what is stored. */
  password: optional(text(), undefined),
  passwordHash: optional(passwordHash, undefined),
} as const;

export interface WithPassword extends Planned {
  /** As written; `hashed` before anything is compared or applied. */
  readonly password: string | undefined;
  /** Undefined: as it is. */
  readonly passwordHash: string | undefined;
}

interface Stored {
  readonly passwordHash: string | undefined;
}

export function bothPasswords(asked: WithPassword): readonly Fault[] {
  if (asked.password === undefined || asked.passwordHash === undefined) return [];
  return [faultAt(asked, 'passwordHash', 'give either "password" or "passwordHash", not both')];
}

/** Of new and changed ones: what was set before the rules grew stricter stays right, and its file applicable. */
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

/** A hash is salted: what is stored and says the same is kept, or every password would look changed. */
export async function hashed<Asked extends WithPassword>(
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

/** Those that a company, or a user, is limited to, each once. */
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

/** What a company or a user may send at most. Without any limit it is as if the key were left out. */
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

/** As `600 a minute, 20000 a day, NO SE only`. */
export function shortLimits(limits: SendingLimits | undefined): string | undefined {
  if (limits === undefined) return undefined;
  const { partsPerMinute, partsPerDay, countries } = limits;
  return [
    ...(partsPerMinute === undefined ? [] : [`${partsPerMinute} a minute`]),
    ...(partsPerDay === undefined ? [] : [`${partsPerDay} a day`]),
    ...(countries === undefined ? [] : [`${countries.join(' ')} only`]),
  ].join(', ');
}

/** The rule of a text that both engines can store, of several lines perhaps; lengths are in characters. */
export function storableText(longest: number, shortest = 1): TextRule {
  return (written) => {
    if (written.length < shortest) return { wrong: 'must not be empty' };
    if (written.length > longest) return { wrong: `must have at most ${longest} characters` };
    if (/[\0\p{Cs}]/u.test(written)) return { wrong: 'must not hold NUL or half a surrogate pair' };
    return { value: written };
  };
}

/** The text of an SMS, as written: it is made safe for phones when it is sent. */
export const messageText: Read<string> = text(storableText(longestText));

/** In string notation. */
export const tagFilter: Read<string> = ruled((written) => {
  const filter = parseTagFilter(written);
  return filter.ok ? success(formatTagFilter(filter.value)) : filter;
});

export const callbackUrl = text((written) => {
  const wrong = faultOfUrl(written);
  return wrong === undefined ? { value: written } : { wrong };
});

export const webhookSecret = textThat(
  (written) => keyOfSecret(written) !== undefined,
  'must be whsec_ and 24 to 64 octets in base64, such as whsec_ in front of the output of: openssl rand -base64 32',
);
