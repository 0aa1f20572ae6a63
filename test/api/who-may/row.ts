/** What a row of the table says: a call of the management API, and how it answers each of some people. */
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
  /** `message`: makes one of the owner's that waits for its time, and answers with its id. */
  readonly call: (client: ApiClient, message: () => Promise<string>) => Promise<Answer>;
  /** In the order of `people`. */
  readonly answers: readonly number[];
}

/** By method and path. */
export type Rows = Readonly<Record<string, Row>>;

export const ofAdministrators = [403, 403, 200, 403, 403, 403, 200] as const;

/** The answers of a call that makes something, where those of reading it are known. */
export function making(answers: readonly number[]): readonly number[] {
  return answers.map((status) => (status === 200 ? 201 : status));
}
