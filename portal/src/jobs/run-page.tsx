/**
 * The board of a run: how many have come, who, and how long it goes on; for one hand on a phone, and in columns on a wide
 * screen.
 */
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { refresh, useNotLiveSince } from '../api/live-hints.ts';
import { useRead } from '../api/queries.ts';
import { BackLink, ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { FaultText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Page, Section } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { timeOfDay } from '../words/times.ts';
import styles from './jobs.module.css';
import { PlacesBar, Remaining, StateBadge } from './progress.tsx';
import { isRunning, type Run } from './run.ts';
import { ActBar, ActColumn, MoreButton } from './run-acts.tsx';
import { PeopleGroups } from './run-people.tsx';
import { TakenInProvider, useTakingIn } from './taken-in.ts';
import { useJobWords } from './texts.ts';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/runs/$id');

export function RunPage() {
  const words = useJobWords();
  const { id } = route.useParams();
  const { wall } = route.useSearch();
  const read = useRead('/api/v1/runs/{id}', { id: Number(id) }, { live: ['runs'] });
  const { data: run, error, refetch } = read;
  useKeepingUp(run !== undefined && run.phase !== 'ended');
  const takenIn = useTakingIn();
  const isGone = error !== null && (error.code === 'not_found' || error.code === 'role_missing');
  const isShown = run !== undefined && !isGone;
  return (
    <TakenInProvider value={takenIn}>
      <div data-wall={wall} className={styles.wall}>
        <Page
          title={isShown ? run.name : words.run}
          {...(!wall && {
            back: (
              <div className={`${layout.beside} ${layout.apart}`}>
                <BackLink to="/jobs">{words.toJobs}</BackLink>
                {isShown && <MoreButton run={run} />}
              </div>
            ),
          })}
          actions={isShown && wall && <StateBadge run={run} />}
        >
          {isGone && (
            <EmptyState icon="alarm" action={<ButtonLink to="/jobs">{words.toJobs}</ButtonLink>}>
              <FaultText fault={error} />
            </EmptyState>
          )}
          <NotLive />
          {!isGone && <FaultNotice fault={error} tryAgain={() => void refetch()} />}
          {run === undefined && error === null && <SkeletonRows />}
          {isShown && <Board key={run.id} run={run} isWall={wall === true} />}
        </Page>
      </div>
    </TakenInProvider>
  );
}

const lostEveryMs = 5_000;
/** A connection may be gone without a word. */
const liveEveryMs = 15_000;

/** Reads the board again every few seconds, more often while the connection that would report changes is lost. */
function useKeepingUp(isOpen: boolean): void {
  const client = useQueryClient();
  const isLost = useNotLiveSince() !== undefined;
  useEffect(() => {
    if (!isOpen && !isLost) return;
    const read = () => {
      if (!document.hidden) void refresh(client, (live) => live.includes('runs'));
    };
    const timer = window.setInterval(read, isLost ? lostEveryMs : liveEveryMs);
    return () => window.clearInterval(timer);
  }, [client, isOpen, isLost]);
}

function NotLive() {
  const words = useJobWords();
  const since = useNotLiveSince();
  return (
    <div role="status">
      {since !== undefined && <Notice tone="warning">{words.notLive(timeOfDay(new Date(since)))}</Notice>}
    </div>
  );
}

function Board({ run, isWall }: { readonly run: Run; readonly isWall: boolean }) {
  const words = useJobWords();
  return (
    <>
      <div className={styles.board}>
        <div>
          <Figures run={run} />
          <PeopleGroups run={run} isWall={isWall} />
        </div>
        {!isWall && <ActColumn run={run} />}
        <div className={styles.timeline}>
          <Section title={words.timeline}>
            <Timeline id={run.id} />
          </Section>
        </div>
      </div>
      {!isWall && isRunning(run) && <ActBar run={run} />}
    </>
  );
}

/** How many, and how long: what is read first. */
function Figures({ run }: { readonly run: Run }) {
  const words = useJobWords();
  const { found, goal, short, phase, outcome, tasks } = run;
  return (
    <section className={`${layout.stack} ${layout.tight}`} aria-label={words.figures}>
      <div className={`${layout.row} ${layout.level} ${layout.apart}`}>
        <p className={styles.found}>
          {goal === undefined ? words.yesCount(found) : words.ofGoal(found, goal)}
        </p>
        <p className={styles.remaining}>
          <Remaining run={run} />
        </p>
      </div>
      <PlacesBar run={run} />
      {tasks.length > 1 && (
        <ul className={`${layout.row} ${layout.soft}`}>
          {tasks.map(({ task, found: filled, goal: needed }) => (
            <li key={task}>
              <bdi>{task}</bdi> <strong>{words.places(filled, needed)}</strong>
            </li>
          ))}
        </ul>
      )}
      <div role="status">
        {short && <Notice tone="error">{words.short}</Notice>}
        {phase === 'finished' && !short && (
          <Notice tone="good">{outcome === 'ALL_ANSWERED' ? words.allAnswered : words.goalReached}</Notice>
        )}
        {phase === 'scheduled' && <Notice>{words.notStarted}</Notice>}
        {phase === 'ended' && <Notice>{words.endedAs[outcome ?? 'EXPIRED']}</Notice>}
      </div>
    </section>
  );
}
