/** A login account of a company. */
import type { Company } from './company.ts';
import type { Role } from './role.ts';

interface User {
  readonly id: number;
  readonly companyId: number;
  /** Unique in the whole service. It is the user's identity: a renamed user is another user. */
  readonly username: string;
  /** Argon2 in the PHC form; undefined for a user who gets in by API key only. */
  readonly passwordHash: string | undefined;
  readonly roles: readonly Role[];
  readonly active: boolean;
  /** ISO 3166 codes of those that the user may send to; undefined is all. */
  readonly countries: readonly string[] | undefined;
  /** SMS parts that the user may send in all; undefined is no limit but the company's. */
  readonly quotaParts: number | undefined;
  readonly defaultSender: string | undefined;
  /** The only senders the user may send from; undefined is any. */
  readonly senders: readonly string[] | undefined;
  readonly replaceCharacters: boolean;
  /** How many recipients a batch may have; undefined is as many as anybody's. */
  readonly maxBatch: number | undefined;
}

export interface Account {
  readonly user: User;
  readonly company: Company;
}

export function isActive({ user, company }: Account): boolean {
  return user.active && company.active;
}

export const maxUsernameLength = 200;

/**
 * A colon would end the user name in Basic credentials (RFC 7617, section 2); control characters and lone surrogates
 * can't be stored on both engines.
 */
const usernamePattern = new RegExp(`^[^:\\p{Cc}\\p{Cs}]{1,${maxUsernameLength}}$`, 'u');

export function isUsername(text: string): boolean {
  return usernamePattern.test(text);
}
