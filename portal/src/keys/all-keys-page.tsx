/** The API keys of all users of the company, for its administrators: which are unused or never end, and ending several. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { patch, post } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useList } from '../api/queries.ts';
import { RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { CheckField, Choice, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import { type BulkAct, SelectableList } from '../design/selectable-list.tsx';
import { Badge, type Tone } from '../design/status-badge.tsx';
import { When } from '../session/when.tsx';
import { LimitsOf } from './key-limits.tsx';
import { useKeyWords } from './texts.ts';

type Key = AnswerOf<'GET', '/api/v1/company/apikeys'>['apiKeys'][number];
type State = Key['state'];

export interface KeySearch {
  readonly state?: State;
  readonly unused?: true;
  readonly withoutEnd?: true;
}

const tones: Readonly<Record<State, Tone>> = {
  enabled: 'delivered',
  expired: 'cancelled',
  revoked: 'failed',
};
const path = '/api/v1/users/{id}/apikeys/{key}';

export function AllKeysPage() {
  const words = useKeyWords();
  const search = useSearch({ from: '/admin/keys' });
  const list = useList('/api/v1/company/apikeys', 'apiKeys', search, { live: ['apikeys'] });
  const isNarrowed = Object.keys(search).length > 0;
  const nameOf = ({ name, username }: Key) => words.keyOf(name, username);
  return (
    <Page title={words.allTitle} lead={words.allLead}>
      <Filters search={search} />
      <SelectableList
        label={words.allTitle}
        list={list}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        empty={
          isNarrowed ? (
            <EmptyState icon="search">{words.noneSuch}</EmptyState>
          ) : (
            <EmptyState icon="key" title={words.allNone}>
              {words.allNoneText}
            </EmptyState>
          )
        }
        acts={useActs()}
        columns={[
          {
            title: words.name,
            width: 'minmax(0, 1.4fr)',
            place: 'main',
            cell: (key) => (
              <div>
                <bdi className={layout.wraps}>{key.name}</bdi>
                <LimitsOf of={key} />
              </div>
            ),
          },
          {
            title: words.user,
            place: 'below',
            cell: ({ userId, username }) => (
              <RowLink to="/admin/users/$id" params={{ id: userId }}>
                <bdi className={layout.wraps}>{username}</bdi>
              </RowLink>
            ),
          },
          { title: words.created, cell: ({ created }) => <When at={created} /> },
          { title: words.used, cell: ({ used }) => <When at={used} />, place: 'below', isNamed: true },
          {
            title: words.expires,
            cell: ({ expires }) => <When at={expires} />,
            place: 'below',
            isNamed: true,
          },
          {
            title: words.state,
            width: '8rem',
            place: 'aside',
            cell: ({ state }) => <Badge tone={tones[state]}>{words.states[state]}</Badge>,
          },
        ]}
      />
    </Page>
  );
}

function Filters({ search }: { readonly search: KeySearch }) {
  const words = useKeyWords();
  const navigate = useNavigate({ from: '/admin/keys' });
  const { state, ...checked } = search;
  const show = (next: KeySearch) => void navigate({ search: next, replace: true });
  const check = (name: 'unused' | 'withoutEnd') => ({
    checked: search[name] === true,
    onChange: ({ target }: { readonly target: { readonly checked: boolean } }) => {
      const { [name]: _, ...others } = search;
      show(target.checked ? { ...others, [name]: true } : others);
    },
  });
  return (
    <search className={`${layout.stack} ${layout.above}`}>
      <Choice
        hideLabel
        label={words.state}
        value={state ?? 'all'}
        options={[
          ['all', words.anyState],
          ...(['enabled', 'expired', 'revoked'] as const).map((one) => [one, words.states[one]] as const),
        ]}
        onChange={(one) => show({ ...checked, ...(one !== 'all' && { state: one }) })}
      />
      <div className={layout.row}>
        <CheckField label={words.unused} hint={words.unusedHint} {...check('unused')} />
        <CheckField label={words.withoutEnd} hint={words.withoutEndHint} {...check('withoutEnd')} />
      </div>
    </search>
  );
}

function useActs(): readonly BulkAct<Key>[] {
  const words = useKeyWords();
  const [end, setEnd] = useState('');
  const time = new Date(end);
  const setTo = (expires: string) => (key: Key) => patch(path, { id: key.userId, key: key.id, expires });
  return [
    {
      label: words.setEnd,
      question: words.setEndQuestion,
      lacks: Number.isNaN(time.getTime()),
      fields: (isFixed) => (
        <TextField
          type="datetime-local"
          label={words.endAt}
          hint={words.endHint}
          required
          readOnly={isFixed}
          value={end}
          onChange={({ target }) => setEnd(target.value)}
        />
      ),
      act: (key) => setTo(time.toISOString())(key),
      done: words.endSet,
    },
    { label: words.noEnd, question: words.noEndQuestion, act: setTo(''), done: words.endRemoved },
    {
      label: words.revoke,
      look: 'danger',
      question: words.revokeQuestion,
      act: ({ userId, id, state }) =>
        state === 'revoked' ? Promise.resolve() : post(`${path}/revoke`, { id: userId, key: id }),
      done: words.revokeDone,
    },
  ];
}
