/** Saved jobs and their runs: what is under way, what can be started, and what was. */
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useList, useRead } from '../api/queries.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { CursorList, ItemTable, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/field.tsx';
import { useLaterWords } from '../design/later-texts.ts';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Page, Section } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { Time } from '../design/time.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import styles from './jobs.module.css';
import { PlacesBar, Remaining, StateBadge } from './progress.tsx';
import type { ListedRun } from './run.ts';
import { useJobWords } from './texts.ts';

const live = ['runs'];

export function JobsPage() {
  const words = useJobWords();
  const session = useSession();
  const mayStart = hasOneOf(session, ['jobs']);
  const seesRuns = hasOneOf(session, ['jobs', 'companyAdmin']);
  return (
    <Page title={words.title} lead={words.lead}>
      {seesRuns ? (
        <>
          <UnderWay />
          {mayStart && <Startable />}
          <Earlier />
        </>
      ) : (
        <EmptyState icon="alarm">{words.noRole}</EmptyState>
      )}
    </Page>
  );
}

const cards = 20;

function UnderWay() {
  const words = useJobWords();
  const later = useLaterWords();
  const list = useList(
    '/api/v1/runs',
    'runs',
    { phase: ['open', 'finished', 'scheduled'], limit: cards },
    { live },
  );
  const { items, fault, hasMore, isLoading, isLoadingMore, loadMore } = list;
  if (isLoading) return <SkeletonRows count={2} />;
  if (items.length === 0 && fault === null) return null;
  return (
    <Section title={words.underWay}>
      <FaultNotice fault={fault} tryAgain={list.reload} />
      <ul className={`${layout.grid} ${layout.wide}`}>
        {items.map((run) => (
          <li key={run.id}>
            <RunCard run={run} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button className={styles.more ?? ''} busy={isLoadingMore} onClick={loadMore}>
          {later.loadMore}
        </Button>
      )}
    </Section>
  );
}

function RunCard({ run }: { readonly run: ListedRun }) {
  const words = useJobWords();
  const { id, name, found, goal, people } = run;
  return (
    <Link
      to="/runs/$id"
      params={{ id }}
      className={`${layout.sheet} ${layout.within} ${layout.bare} ${layout.stack} ${layout.tight}`}
    >
      <span className={`${layout.row} ${layout.apart}`}>
        <strong className={layout.name}>
          <bdi>{name}</bdi>
        </strong>
        <StateBadge run={run} />
      </span>
      <PlacesBar run={run} />
      <span className={`${layout.row} ${layout.apart} ${layout.soft}`}>
        <strong>{words.places(found, goal)}</strong>
        <span>
          {words.silent(people.asked)} · <Remaining run={run} />
        </span>
      </span>
    </Link>
  );
}

const jobsPerCall = 200;
/** As many runs are searched for what the user started last. */
const latestRuns = 50;
const favourites = 3;

function Startable() {
  const words = useJobWords();
  const [search, setSearch] = useState('');
  const list = useList('/api/v1/jobs', 'jobs', { limit: jobsPerCall });
  const { items, fault, isLoading, hasMore, isLoadingMore, loadMore } = list;
  const mine = useLastStarted();
  const wanted = search.trim().toLowerCase();
  // A search among a part of the jobs would miss some.
  const isIncomplete = hasMore && !isLoadingMore && fault === null && wanted !== '';
  useEffect(() => {
    if (isIncomplete) loadMore();
  }, [isIncomplete, loadMore]);
  const rankOf = (id: string) => (mine.includes(id) ? mine.indexOf(id) : favourites);
  const shown = items
    .filter(({ name, type }) => `${name} ${type}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => rankOf(a.id) - rankOf(b.id));
  return (
    <Section title={words.start}>
      {(items.length > favourites || hasMore) && (
        <div className={`${styles.search} ${layout.narrow}`}>
          <TextField
            label={<span className="unseen">{words.search}</span>}
            type="search"
            placeholder={words.search}
            maxLength={200}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
      )}
      {isLoading && <SkeletonRows count={3} />}
      <FaultNotice fault={fault} tryAgain={list.reload} />
      {!isLoading && fault === null && items.length === 0 && (
        <EmptyState icon="alarm">{words.noJobs}</EmptyState>
      )}
      {items.length > 0 && shown.length === 0 && !hasMore && <p role="status">{words.noneFound}</p>}
      {shown.length > 0 && (
        <ItemTable
          label={words.start}
          items={shown}
          keyOf={({ id }) => id}
          columns={[
            {
              title: words.name,
              place: 'main',
              cell: ({ id, name }) => (
                <RowLink to="/jobs/$id" params={{ id }}>
                  <bdi>{name}</bdi>
                </RowLink>
              ),
            },
            {
              title: words.type,
              place: 'below',
              cell: ({ id, type }) => (mine.includes(id) ? `${type} · ${words.startedLast}` : type),
            },
            {
              title: words.action,
              place: 'aside',
              width: '8rem',
              cell: ({ id, name }) => (
                <ButtonLink to="/jobs/$id" params={{ id }} aria-label={words.startOf(name)}>
                  {words.toStart}
                </ButtonLink>
              ),
            },
          ]}
        />
      )}
      {hasMore && wanted === '' && (
        <Button className={styles.more ?? ''} busy={isLoadingMore} onClick={loadMore}>
          {words.moreJobs}
        </Button>
      )}
    </Section>
  );
}

/** Ids of the jobs that the user started last, the latest first. */
function useLastStarted(): readonly string[] {
  const { username } = useSession();
  const runs = useRead('/api/v1/runs', { limit: latestRuns }, { live }).data?.runs ?? [];
  const own = runs.filter((run) => run.username === username).map(({ savedJob }) => String(savedJob));
  return [...new Set(own)].slice(0, favourites);
}

function Earlier() {
  const words = useJobWords();
  const list = useList('/api/v1/runs', 'runs', { phase: ['ended'], limit: 20 }, { live });
  return (
    <Section title={words.earlier}>
      <CursorList
        label={words.earlier}
        list={list}
        keyOf={({ id }) => id}
        empty={<p className={layout.soft}>{words.noneEarlier}</p>}
        columns={[
          {
            title: words.name,
            place: 'main',
            cell: ({ id, name }) => (
              <RowLink to="/runs/$id" params={{ id }}>
                <bdi>{name}</bdi>
              </RowLink>
            ),
          },
          {
            title: words.outcome,
            place: 'aside',
            width: '12rem',
            cell: (run) => <StateBadge run={run} />,
          },
          {
            title: words.foundOf,
            place: 'below',
            width: '9rem',
            cell: ({ found, goal }) => words.places(found, goal),
          },
          { title: words.by, width: '9rem', cell: ({ username }) => username },
          {
            title: words.started,
            place: 'below',
            width: '9rem',
            cell: ({ start }) => <Time at={start} />,
          },
        ]}
      />
    </Section>
  );
}
