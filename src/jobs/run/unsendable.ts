/** Who can't be sent to, and why: found when the texts of a step are offered, which is then worked out again. */
import type { Person } from './run.ts';

/** Why nothing can be sent to a phone, or to anybody. */
export interface Unsendable {
  readonly phones: ReadonlyMap<string, string>;
  readonly all?: string;
  /** To those who are asked by mail; absent: it can. */
  readonly mail?: string;
  /** What a text to a phone has to name so that it can be sent. */
  readonly codes?: ReadonlyMap<string, number>;
  readonly held?: Held;
}

/** What can't be sent now, and can be later: a limit or the quota does not cover all of it. */
export interface Held {
  readonly why: string;
  readonly until: number;
  /** So many texts can be sent now: those that answer somebody before questions. */
  readonly atMost: number;
}

/** Why a text can't be sent to a person; undefined: it can. */
export function obstacleTo(person: Person, { phones, all, mail }: Unsendable): string | undefined {
  if (person.phone !== null) return phones.get(person.phone) ?? all;
  if (person.email !== undefined) return mail;
  return person.hasAppOnly ? 'only an app address' : 'no phone number';
}
