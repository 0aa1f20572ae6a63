/**
 * Who cannot be sent to, and why. This is found out when the texts of a step are offered for sending; the step is then
 * computed again.
 */
import { isSentence, storedReason } from '../../foundation/sentences.ts';
import type { Person } from './run.ts';

/** Why nothing can be sent to a phone, or to anyone. */
export interface Unsendable {
  readonly phones: ReadonlyMap<string, string>;
  readonly all?: string;
  /** Why mail cannot be sent; absent if it can. */
  readonly mail?: string;
  /** The codes that texts to some phones must include to be sent. */
  readonly codes?: ReadonlyMap<string, number>;
  readonly held?: Held;
}

/** What cannot be sent now but can be later: a limit or the quota does not cover all of it. */
export interface Held {
  readonly why: string;
  readonly until: number;
  /** This many texts can be sent now, with replies before questions. */
  readonly atMost: number;
}

/** The stored reason why a text cannot be sent to a person; undefined if it can. */
export function obstacleTo(person: Person, { phones, all, mail }: Unsendable): string | undefined {
  if (person.phone !== null) return asReason(phones.get(person.phone) ?? all);
  if (person.email !== undefined) return mail;
  return storedReason({ sentence: person.hasAppOnly ? 'only_app_address' : 'no_phone' });
}

/** What is found out when texts are offered is a reason already, or the codes of errors. */
export function asReason<Why extends string | undefined>(why: Why): Why | string {
  return why === undefined || isSentence(why) ? why : storedReason({ sentence: 'for_codes', codes: why });
}
