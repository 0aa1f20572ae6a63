/** Lines for the open runs of jobs. Runs that have asked everybody and still lack people wait for a decision. */
import { ButtonLink } from '../design/button.tsx';
import { useOpenRuns } from '../session/open-runs.ts';
import { timeOfDay } from '../words/times.ts';
import type { Line, Source } from './lines.tsx';
import { useHomeWords } from './texts.ts';

const maxShown = 5;

export function useRunLines(): Source & { readonly underWay: readonly Line[] } {
  const words = useHomeWords();
  const list = useOpenRuns();
  const runs = list.data?.runs ?? [];
  const lineOf = (run: (typeof runs)[number], tone: Line['tone']): Line => ({
    key: `run ${run.id}`,
    tone,
    icon: 'alarm',
    title: run.name,
    detail: [
      words.places(run.found, run.goal),
      words.silent(run.people.asked),
      run.end === undefined ? '' : words.ends(timeOfDay(new Date(run.end))),
    ].join(' · '),
    act: (
      <ButtonLink to="/runs/$id" params={{ id: run.id }}>
        {run.short ? words.decide : words.open}
      </ButtonLink>
    ),
  });
  return {
    needs: runs
      .filter(({ short }) => short)
      .slice(0, maxShown)
      .map((run) => lineOf(run, 'failed')),
    underWay: runs
      .filter(({ short }) => !short)
      .slice(0, maxShown)
      .map((run) => lineOf(run, 'moving')),
    queries: [list],
  };
}
