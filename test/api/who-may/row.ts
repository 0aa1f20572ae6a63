/** A row of the table: a call of the management API, and how it answers each of several people. */
import type { Answer, ApiClient } from '../../harness/api-client.ts';

export const people = [
  'owner',
  'colleague',
  'administrator',
  'emailer',
  'nobody',
  'stranger',
  'rival',
] as const;
export type Person = (typeof people)[number];

export interface Row {
  /** `message` creates a message of the owner that waits for its time, and returns its id. */
  readonly call: (client: ApiClient, message: () => Promise<string>) => Promise<Answer>;
  /** Statuses in the order of `people`. */
  readonly answers: readonly number[];
}

/** Rows by method and path. */
export type Rows = Readonly<Record<string, Row>>;

export const ofAdministrators = [403, 403, 200, 403, 403, 403, 200] as const;

/** Derives the answers to a call that creates an object from the answers to a call that reads it. */
export function making(answers: readonly number[]): readonly number[] {
  return answers.map((status) => (status === 200 ? 201 : status));
}
