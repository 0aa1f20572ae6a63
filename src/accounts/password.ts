/** Stores passwords as Argon2id hashes only. Hashing is rationed, since each hash takes 19 MiB and milliseconds of a core. */
import { randomBytes } from 'node:crypto';
import { type Algorithm, hash, parseOptions, verify } from '@node-rs/argon2';
import { ServiceError } from '../foundation/errors.ts';
import { fault, type Result, success } from '../foundation/result.ts';
import { inEnglish, type Sentence } from '../foundation/sentences.ts';

/** OWASP Password Storage Cheat Sheet, Argon2id: 19 MiB, 2 passes, 1 lane. Takes 7 ms on the benchmark machine. */
const usualCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The library declares its algorithms as a const enum, which `isolatedModules` can't read. */
const argon2id = 2 as Algorithm.Argon2id;
const saltLength = 16;
const outputLength = 32;

/** Longer passwords are refused when set, so a longer one is never right and needs no hashing. */
export const maxPasswordLength = 1_024;

/** Shorter passwords are refused when set, because they can be guessed by brute force. */
export const minPasswordLength = 12;

/** The fault of a new password, as the end of a sentence; undefined when there is none. */
export function passwordFault(password: string): Sentence | undefined {
  const length = [...password].length;
  if (length < minPasswordLength) return { sentence: 'password_too_short', fewest: minPasswordLength };
  if (password.length > maxPasswordLength) return { sentence: 'password_too_long', most: maxPasswordLength };
  return undefined;
}

/** Puts the fault into words for API calls that set a password. */
export function checkNewPassword(password: string): Result<string> {
  const wrong = passwordFault(password);
  if (wrong === undefined) return success(password);
  return fault('invalid_value', `The password ${inEnglish(wrong)}.`, wrong);
}

/** The maximum memory that a verification may take; a stored hash may have been made elsewhere with other costs. */
const maxMemoryCost = 1_048_576;

/** Whether a password can be verified against the text, which must be Argon2 in the PHC format at an acceptable cost. */
export function isPasswordHash(text: string): boolean {
  try {
    return parseOptions(text).memoryCost <= maxMemoryCost;
  } catch {
    // The library reports a text that is not a hash only by throwing.
    return false;
  }
}

/** A hash that no password matches, and that costs as much to verify as a real one. */
function hashOfNothing({ memoryCost, timeCost, parallelism }: typeof usualCost): string {
  const base64 = (length: number) => randomBytes(length).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(saltLength)}$${base64(outputLength)}`;
}

export class Passwords {
  readonly #cost: typeof usualCost;
  readonly #hashOfNothing: string;
  /** Separate, so that logins never wait while other users set a password. */
  readonly #verifying: Lane;
  readonly #choosing: Lane;
  #verifications = 0;

  /**
   * `concurrency` applies to each kind. One task of each kind leaves half of Node's thread pool to files and DNS
   * lookups.
   */
  constructor(concurrency = 1, cost = usualCost) {
    this.#verifying = new Lane(concurrency);
    this.#choosing = new Lane(concurrency);
    this.#cost = cost;
    this.#hashOfNothing = hashOfNothing(cost);
  }

  get verifications(): number {
    return this.#verifications;
  }

  async hash(password: string): Promise<string> {
    if (password.length > maxPasswordLength) {
      throw new ServiceError(
        'invalid_value',
        `A password can have at most ${maxPasswordLength} characters; this one has ${password.length}.`,
      );
    }
    return this.#choosing.run(() =>
      hash(password, { ...this.#cost, algorithm: argon2id, outputLen: outputLength }),
    );
  }

  /**
   * Verifies even when there is no hash to verify against (an unknown user, a user without a password), so that the response
   * time does not reveal which users exist.
   */
  async matches(password: string, passwordHash: string | undefined): Promise<boolean> {
    return this.#verifying.run(async () => {
      this.#verifications += 1;
      const matches = await verify(passwordHash ?? this.#hashOfNothing, password);
      return matches && passwordHash !== undefined;
    });
  }
}

/** Runs at most this many tasks at once; the others wait in order of arrival. */
class Lane {
  readonly #concurrency: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#underWay < this.#concurrency) this.#underWay += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot passes directly to the next task, so the number of running tasks does not change.
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}
