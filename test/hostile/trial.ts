/** Runs an attack in each form, one at a time and eight at once, alongside a customer of another company. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Strike } from './attack.ts';
import type { ProbeReport } from './probe.ts';
import type { Site } from './site.ts';

export interface Manner {
  readonly form: 'cheapest' | 'worst';
  readonly concurrency: number;
}

export const manners: readonly Manner[] = [
  { form: 'cheapest', concurrency: 1 },
  { form: 'worst', concurrency: 1 },
  { form: 'cheapest', concurrency: 8 },
  { form: 'worst', concurrency: 8 },
];

export interface Outcome extends ProbeReport {
  readonly attack: string;
  readonly manner: Manner;
  readonly strikes: number;
  /** The results of the strikes: statuses, or how they ended. */
  readonly answers: Readonly<Record<string, number>>;
}

/** The wait for work triggered by the last strikes, so that the next attack starts undisturbed. */
const afterwardsMs = 500;

export async function tryAttack(
  site: Site,
  attack: Attack,
  manner: Manner,
  seconds: number,
): Promise<Outcome> {
  const strike = attack[manner.form](site);
  await untilQuiet(site);
  const until = performance.now() + seconds * 1_000;
  const answers: Record<string, number> = {};
  await Promise.all(Array.from({ length: manner.concurrency }, () => strikeOn(strike, until, answers)));
  await delay(afterwardsMs);
  const strikes = Object.values(answers).reduce((sum, count) => sum + count, 0);
  return { attack: attack.name, manner, strikes, answers, ...(await site.probe()) };
}

async function strikeOn(strike: Strike, until: number, answers: Record<string, number>): Promise<void> {
  do {
    const answer = await strike();
    answers[answer] = (answers[answer] ?? 0) + 1;
  } while (performance.now() < until);
}

const quietMs = 50;
const quietLimitMs = 60_000;

/** Waits until no call is delayed by earlier work any more. */
export async function untilQuiet(site: Site): Promise<void> {
  const until = performance.now() + quietLimitMs;
  do {
    await site.probe();
    await delay(300);
    if ((await site.probe()).longestMs < quietMs) return;
  } while (performance.now() < until);
}
