/** The words that users and operators share: names, and passwords, of which only hashes are stored. */
import { isPasswordHash, type Passwords, passwordFault } from '../../accounts/password.ts';
import { isUsername, maxUsernameLength } from '../../accounts/user-records.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import type { Fault } from '../../yaml/fault.ts';
import { flag, optional, plainText, text, wholeNumber } from '../../yaml/fields.ts';
import { faultAt, type Planned } from './planned.ts';

export const name = text(plainText(100));
/** Ids stay far below 2^53, so that those drawn after the highest do as well. */
export const givenId = wholeNumber(1, 999_999_999_999_999);
export const remove = optional(flag, false);

export const username = text((written) =>
  isUsername(written) && written.trim() === written
    ? { value: written }
    : {
        wrong: `must be 1 to ${maxUsernameLength} characters without colons, control characters, or spaces at its ends`,
      },
);

const passwordHash = text((written) =>
  isPasswordHash(written)
    ? { value: written }
    : { wrong: 'must be an Argon2 hash in the PHC form ($argon2id$v=19$m=19456,t=2,p=1$…$…)' },
);

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
