/**
 * How the clients of the crash trial make their calls. A failed call returns a value instead of throwing, since most failures
 * are caused on purpose.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, apiClient } from '../harness/api-client.ts';
import type { WholeApp } from '../harness/app.ts';
import { credentialsOf, type Username } from './accounts.ts';
import { between, type Random } from './random.ts';
import type { Witness } from './witness.ts';

/** The context that each kind of traffic gets. */
export interface Scene {
  readonly app: WholeApp;
  readonly witness: Witness;
  /** A source for this kind of traffic alone. */
  readonly random: Random;
  /** True until the traffic has to end. */
  readonly goesOn: () => boolean;
  readonly settings: { readonly latestScheduleMs: number };
}

export type Actor = (scene: Scene) => Promise<void>;

const pauseAfterFaultMs = 25;
const answerTimeoutMs = 30_000;

/**
 * Returns undefined if there is no answer, or an answer that says that the outcome is unknown. The call may have been
 * carried out.
 */
export async function ask(
  { app, witness }: Scene,
  username: Username,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | undefined> {
  const init = {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(answerTimeoutMs),
  };
  // Not one that asks again by itself: refusals are counted.
  const answer = await apiClient(app.baseUrl, credentialsOf(username))
    .request('POST', path, init)
    .catch(() => undefined);
  if (answer === undefined) witness.counts.unanswered += 1;
  else if (answer.status === 503) witness.counts.refused += 1;
  else witness.counts.answered += 1;
  if (answer !== undefined && answer.status !== 503) return answer;
  if (answer !== undefined && !(Number(answer.headers.get('retry-after')) > 0))
    witness.blame('a 503 says when to come again', `${path}: ${answer.text}`);
  await delay(pauseAfterFaultMs);
  return undefined;
}

/** Repeats a step, with short pauses in between, until the traffic has to end. */
export async function repeat(
  scene: Scene,
  [least, most]: readonly [number, number],
  step: () => Promise<unknown>,
): Promise<void> {
  while (scene.goesOn()) {
    await step();
    await delay(between(scene.random, least, most));
  }
}
