/** A run of a job, as the front page and its dialog see it. */
import type { AnswerOf } from '../api/endpoints.ts';

export type Run = AnswerOf<'GET', '/api/v1/runs/{id}'>;

export function placesOf({ tasks }: Run): readonly [found: number, goal: number | undefined] {
  const found = tasks.reduce((sum, task) => sum + task.found, 0);
  const hasGoal = tasks.every(({ goal }) => goal !== undefined);
  return [found, hasGoal ? tasks.reduce((sum, { goal = 0 }) => sum + goal, 0) : undefined];
}
