/** Passwords are kept as Argon2id hashes only; hashing is made scarce, since each takes 19 MiB and milliseconds of a core. */
import { randomBytes } from 'node:crypto';
import { type Algorithm, hash, parseOptions, verify } from '@node-rs/argon2';
import { ServiceError } from '../foundation/errors.ts';
import { fault, type Result, success } from '../foundation/result.ts';
import { inEnglish, type Sentence } from '../foundation/sentences.ts';

/** OWASP Password Storage Cheat Sheet, Argon2id: 19 MiB, 2 passes, 1 lane. 7 ms on the machine of the benchmarks. */
const usualCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The library declares its algorithms as a const enum, which a single module can't see. */
const argon2id = 2 as Algorithm.Argon2id;
const saltLength = 16;
const outputLength = 32;

/** Longer ones are refused when set, so that a longer one is never right, and costs no hashing. */
export const maxPasswordLength = 1_024;

/** Shorter ones are refused when set: they are found by trying. */
export const minPasswordLength = 12;

/** What is wrong with a new password, as the end of a sentence; undefined when nothing. */
export function passwordFault(password: string): Sentence | undefined {
  const length = [...password].length;
  if (length < minPasswordLength) return { sentence: 'password_too_short', fewest: minPasswordLength };
  if (password.length > maxPasswordLength) return { sentence: 'password_too_long', most: maxPasswordLength };
  return undefined;
}

/** As calls that set one are told it. */
export function checkNewPassword(password: string): Result<string> {
  const wrong = passwordFault(password);
  if (wrong === undefined) return success(password);
  return fault('invalid_value', `The password ${inEnglish(wrong)}.`, wrong);
}

/** A stored hash may have been made elsewhere with other costs: this much memory a verification may take at most. */
const maxMemoryCost = 1_048_576;

/** Whether a password can be verified against the text: Argon2 in the PHC form, of bearable cost. */
export function isPasswordHash(text: string): boolean {
  try {
    return parseOptions(text).memoryCost <= maxMemoryCost;
  } catch {
    // The library tells only by throwing that a text is no hash.
    return false;
  }
}

/** The hash of no password, which costs as much to verify as those that are made here. */
function hashOfNothing({ memoryCost, timeCost, parallelism }: typeof usualCost): string {
  const base64 = (length: number) => randomBytes(length).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(saltLength)}$${base64(outputLength)}`;
}

export class Passwords {
  readonly #cost: typeof usualCost;
  readonly #hashOfNothing: string;
  /** Those who sign in never wait for those who choose passwords. */
  readonly #verifying: Lane;
  readonly #choosing: Lane;
  #verifications = 0;

  /** `concurrency`: of each kind. Of one each, half of the threads of Node's pool are left to files and name look-ups. */
  constructor(concurrency = 1, cost = usualCost) {
    this.#verifying = new Lane(concurrency);
    this.#choosing = new Lane(concurrency);
    this.#cost = cost;
    this.#hashOfNothing = hashOfNothing(cost);
  }

  /** Verifications computed so far. */
  get verifications(): number {
    return this.#verifications;
  }

  async hash(password: string): Promise<string> {
    if (password.length > maxPasswordLength) {
      throw new ServiceError(
        'invalid_value',
        `A password has at most ${maxPasswordLength} characters, and this one has ${password.length}.`,
      );
    }
    return this.#choosing.run(() =>
      hash(password, { ...this.#cost, algorithm: argon2id, outputLen: outputLength }),
    );
  }

  /**
   * Verifies even when there is no hash to verify against (an unknown user, a user without a password), so that the time
   * tells nobody who exists.
   */
  async matches(password: string, passwordHash: string | undefined): Promise<boolean> {
    return this.#verifying.run(async () => {
      this.#verifications += 1;
      const matches = await verify(passwordHash ?? this.#hashOfNothing, password);
      return matches && passwordHash !== undefined;
    });
  }
}

/** So many at once; the others wait in the order of their coming. */
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
      // The turn passes from hand to hand: the number under way stays.
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}
