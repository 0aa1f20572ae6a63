/** The audit log: what was done, in sentences, latest first, and filters that are in the URL. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { fileAddress } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useList, useRead } from '../api/queries.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { Button } from '../design/button.tsx';
import { Days } from '../design/date-range.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { SelectField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { language } from '../words/language.ts';
import styles from './audit.module.css';
import { type Filters, parametersOf, readFilters, withoutEmpty } from './filters.ts';
import { useAuditWords } from './texts.ts';

type Entry = AnswerOf<'GET', '/api/v1/audit'>['entries'][number];

const route = getRouteApi('/admin/audit');

/** What the acts are called in the reader's language. */
function useActWords() {
  return useRead('/portal/api/audit-acts', {}).data?.kinds;
}

interface Filtering {
  readonly filters: Filters;
  readonly change: (changes: Filters) => void;
}

export function AuditPage() {
  const words = useAuditWords();
  const filters = readFilters(route.useSearch());
  const navigate = useNavigate({ from: '/admin/audit' });
  const parameters = useMemo(() => parametersOf(filters), [filters]);
  const isFiltered = Object.keys(filters).length > 0;
  const change = (changes: Filters) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...changes }), replace: true });
  const filtering = { filters, change };
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      actions={
        <DownloadLink
          href={fileAddress('/api/v1/audit.csv', { ...parameters, language })}
          label={words.csvLabel}
        >
          {words.csv}
        </DownloadLink>
      }
      above={
        <search className={layout.stack}>
          <Narrowing {...filtering} />
          {isFiltered && (
            <Button
              small
              className={layout.start}
              onClick={() => change({ username: '', act: '', object: '', from: '', to: '' })}
            >
              {words.clear}
            </Button>
          )}
        </search>
      }
      list={useList('/api/v1/audit', 'entries', parameters)}
      keyOf={({ id }) => id}
      none={
        isFiltered
          ? { icon: 'search', title: words.noneFound, text: words.noneFoundText }
          : { icon: 'archive', title: words.none, text: words.noneText }
      }
      columns={[
        {
          title: words.what,
          place: 'main',
          width: 'minmax(0, 2fr)',
          cell: (entry) => <Sentence entry={entry} change={change} />,
        },
        {
          title: words.object,
          place: 'below',
          width: 'minmax(0, 2fr)',
          cell: (entry) => <What entry={entry} change={change} />,
        },
        { title: words.channel, width: '7rem', cell: ({ channel }) => words.channels[channel] },
        { title: words.when, place: 'aside', width: '9rem', cell: ({ time }) => <Time at={time} /> },
      ]}
    />
  );
}

function Narrowing({ filters, change }: Filtering) {
  const words = useAuditWords();
  const { act = '', object = '', from = '', to = '' } = filters;
  const isUsed = `${object}${from}${to}` !== '';
  const [isOpen, setOpen] = useState(isUsed);
  // What narrows the list is in sight.
  useEffect(() => setOpen((before) => before || isUsed), [isUsed]);
  return (
    <>
      <div className={layout.grid}>
        <Typed name="username" filters={filters} change={change} />
        <SelectField
          label={words.what}
          value={act}
          onChange={({ currentTarget }) => change({ act: currentTarget.value })}
        >
          <option value="">{words.everything}</option>
          {useActWords()?.map(({ kind, acts }) => (
            <optgroup key={kind} label={words.kinds[kind]}>
              <option value={kind}>{words.allOf(words.kinds[kind])}</option>
              {acts.map((one) => (
                <option key={one.act} value={one.act}>
                  {one.words}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
      </div>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={layout.soft}>{words.more}</summary>
        <div className={layout.stack}>
          <Typed name="object" hint={words.objectHint} filters={filters} change={change} />
          <Days from={filters.from} to={filters.to} change={change} />
        </div>
      </details>
    </>
  );
}

interface TypedProps extends Filtering {
  readonly name: 'username' | 'object';
  readonly hint?: string;
}

function Typed({ name, hint, filters, change }: TypedProps) {
  const words = useAuditWords();
  const [typed, setTyped] = useTypedSearch(filters[name] ?? '', (text) => change({ [name]: text }));
  return (
    <TextField
      type="search"
      label={words[name]}
      hint={hint}
      value={typed}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}

interface OfEntry {
  readonly entry: Entry;
  readonly change: Filtering['change'];
}

function Sentence({ entry: { username, act }, change }: OfEntry) {
  const words = useAuditWords();
  const kinds = useActWords();
  const did = kinds?.flatMap(({ acts }) => acts).find((one) => one.act === act)?.words;
  return (
    <span className={styles.sentence}>
      {username === undefined ? (
        <strong>{words.operator}</strong>
      ) : (
        <Only text={username} narrow={() => change({ username })} />
      )}{' '}
      {did ?? (kinds && <span lang="en">{act}</span>)}
    </span>
  );
}

function What({ entry: { act, object, details, detailsValues }, change }: OfEntry) {
  const words = useAuditWords();
  const objects: Readonly<Record<string, string>> = words.objects;
  const isKey = act.startsWith('apikey.') && details !== undefined;
  // The id of a session or key says nothing to people, but finds the entry for its other end.
  const shown = act.startsWith('session.') ? words.session : isKey ? details : (objects[object] ?? object);
  return (
    <span className={styles.sentence}>
      <Only text={object} shown={shown} narrow={() => change({ object })} />
      {details !== undefined && !isKey && (
        <span className={layout.soft} lang={detailsValues === undefined ? 'en' : undefined}>
          {' '}
          · {details}
        </span>
      )}
    </span>
  );
}

/** A name in the log, which narrows the log to itself. */
function Only({
  text,
  shown = text,
  narrow,
}: {
  readonly text: string;
  readonly shown?: string;
  readonly narrow: () => void;
}) {
  const words = useAuditWords();
  return (
    <button type="button" className={styles.only} title={words.only(text)} onClick={narrow}>
      <bdi>{shown}</bdi>
    </button>
  );
}
