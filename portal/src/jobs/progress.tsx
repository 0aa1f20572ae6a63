/** How far a run is: its places, its state in a word, and how long it goes on. */

import { useEffect, useState } from 'react';
import { serverTime } from '../browser/clock.ts';
import { Bar } from '../design/bar.tsx';
import { Badge } from '../design/status-badge.tsx';
import { shortTime } from '../words/times.ts';
import { type Progress, type Run, toneOfRun } from './run.ts';
import { useJobWords } from './texts.ts';

/** The share of places that are filled; without a goal, the share of people who have answered. */
export function PlacesBar({ run }: { readonly run: Progress }) {
  const { found, goal, people } = run;
  if (goal === undefined)
    return (
      <Bar
        parts={[
          ['delivered', people.yes],
          ['cancelled', people.no],
          ['failed', people.unreachable],
          [undefined, people.asked + people.waiting],
        ]}
      />
    );
  return (
    <Bar
      parts={[
        [toneOfRun(run), found],
        [undefined, Math.max(0, goal - found)],
      ]}
    />
  );
}

/** Says what most runs are not: without people, over, or still to come. */
export function StateBadge({ run }: { readonly run: Progress }) {
  const words = useJobWords();
  const { phase, outcome, short } = run;
  const text = short ? words.lacks : outcome === undefined ? words.phases[phase] : words.outcomes[outcome];
  return <Badge tone={toneOfRun(run)}>{text}</Badge>;
}

/** When the run starts, ends or has ended, with the time that is left, ticking. */
export function Remaining({ run }: { readonly run: Pick<Run, 'phase' | 'outcome' | 'start' | 'end'> }) {
  const words = useJobWords();
  const now = useTicking();
  const { phase, outcome, start, end } = run;
  const at = new Date(phase === 'scheduled' || end === undefined ? start : end);
  const time = shortTime(at, new Date(now));
  // When a run that was called off would have ended says nothing.
  if (phase === 'ended') return outcome === 'CANCELED' ? null : words.endedAt(time);
  const left = Math.max(0, Math.ceil((at.getTime() - now) / 1_000));
  return (
    <span role="timer">
      {phase === 'scheduled' ? words.startsAt(time) : words.endsAt(time)} · {words.duration(left)}
    </span>
  );
}

/** The server's time in milliseconds since the epoch; it renders again each second, for what counts down. */
function useTicking(): number {
  const [time, setTime] = useState(serverTime);
  useEffect(() => {
    const timer = window.setInterval(() => setTime(serverTime()), 1_000);
    return () => window.clearInterval(timer);
  }, []);
  return time;
}
