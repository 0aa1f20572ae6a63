/** Lines for the open runs of jobs. Runs that have asked everybody and still lack people wait for a decision. */
import { lazy, Suspense, useState } from 'react';
import { useRead, useReads } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { timeOfDay } from '../words/times.ts';
import type { Run } from './decision-dialog.tsx';
import type { Line, Source } from './lines.tsx';
import { useHomeWords } from './texts.ts';

const DecisionDialog = lazy(async () => ({
  default: (await import('./decision-dialog.tsx')).DecisionDialog,
}));

const lookedAt = 50;
const maxShown = 5;
const live = ['messages', 'incoming', 'conversations'];

export function useRunLines(): Source & { readonly underWay: readonly Line[] } {
  const words = useHomeWords();
  const seesRuns = hasOneOf(useSession(), ['jobs', 'companyAdmin']);
  const list = useRead('/api/v1/runs', { limit: lookedAt }, { live, enabled: seesRuns });
  const open = (list.data?.runs ?? []).filter(({ phase }) => phase === 'open').slice(0, maxShown);
  const runs = useReads(
    '/api/v1/runs/{id}',
    open.map(({ id }) => ({ id })),
    { live },
  );
  const known = open.length === 0 ? [] : (runs.data ?? []);
  const line = (run: Run, tone: Line['tone']): Line => ({
    key: `run ${run.id}`,
    tone,
    icon: 'people',
    title: run.name,
    detail: [words.places(...placesOf(run)), words.silent(run.people.asked), endOf(run, words)].join(' · '),
    act: <Decide run={run} />,
  });
  return {
    needs: known.filter(lacksPeople).map((run) => line(run, 'waiting')),
    underWay: known.filter((run) => !lacksPeople(run)).map((run) => line(run, 'moving')),
    queries: [list, runs],
  };
}

type Words = ReturnType<typeof useHomeWords>;

function endOf({ end }: Run, words: Words): string {
  return end === undefined ? '' : words.ends(timeOfDay(new Date(end)));
}

function placesOf({ tasks }: Run): readonly [found: number, goal: number | undefined] {
  const found = tasks.reduce((sum, task) => sum + task.found, 0);
  const hasGoal = tasks.every(({ goal }) => goal !== undefined);
  return [found, hasGoal ? tasks.reduce((sum, { goal = 0 }) => sum + goal, 0) : undefined];
}

/** True if some task lacks people, and nobody is left to ask. */
function lacksPeople({ tasks, people }: Run): boolean {
  return people.waiting === 0 && tasks.some(({ found, goal }) => goal !== undefined && found < goal);
}

function Decide({ run }: { readonly run: Run }) {
  const words = useHomeWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.decide}</Button>
      {isOpen && (
        <Suspense>
          <DecisionDialog run={run} places={words.places(...placesOf(run))} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
