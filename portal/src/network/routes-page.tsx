/** The routes, in the order in which they are tried, and why a message takes one of them. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useList, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { Button, ButtonLink } from '../design/button.tsx';
import { type Column, ItemTable } from '../design/cursor-list.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Card } from '../design/page.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { Badge } from '../design/status-badge.tsx';
import { useNumbers } from '../words/words.ts';
import { useNetworkWords } from './texts.ts';

const path = '/api/v1/operator/explain-route';
type Explained = AnswerOf<'GET', typeof path>;
type Route = AnswerOf<'GET', '/api/v1/operator/routes'>['routes'][number];

const page = getRouteApi('/operator/routes');

export function RoutesPage() {
  const words = useNetworkWords();
  const { number, user, sender, carrier } = page.useSearch();
  const asked = { ...(number && { number }), ...(user && { user }), ...(sender && { sender }) };
  return (
    <ResourcePage
      title={words.routes}
      lead={words.routesLead}
      above={
        <div className={layout.stack}>
          <Question key={JSON.stringify(asked)} asked={asked} />
          {number !== undefined && <Explanation asked={{ ...asked, number }} />}
          {carrier !== undefined && (
            <p>
              {words.carrier}: <bdi>{carrier}</bdi>{' '}
              <ButtonLink small to="/operator/routes" search={asked}>
                {words.allCarriers}
              </ButtonLink>
            </p>
          )}
        </div>
      }
      list={useList(
        '/api/v1/operator/routes',
        'routes',
        { ...(carrier && { carrier }) },
        { live: ['routes'] },
      )}
      keyOf={({ name }) => name}
      none={{ icon: 'out', title: words.noRoutes, text: words.addOne }}
      columns={useRouteColumns((route: Route) => route)}
    />
  );
}

interface Asked {
  readonly number?: string;
  readonly user?: string;
  readonly sender?: string;
}

function Question({ asked }: { readonly asked: Asked }) {
  const words = useNetworkWords();
  const navigate = useNavigate({ from: '/operator/routes' });
  const [typed, setTyped] = useState(asked);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const given = Object.entries(typed).filter(([, value]) => value.trim() !== '');
    void navigate({
      search: ({ carrier }) => ({ ...(carrier && { carrier }), ...Object.fromEntries(given) }),
    });
  };
  const field = (name: keyof Asked, maxLength: number) => ({
    value: typed[name] ?? '',
    maxLength,
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ currentTarget: { value } }: FormEvent<HTMLInputElement>) =>
      setTyped((before) => ({ ...before, [name]: value })),
  });
  return (
    <form className={layout.stack} onSubmit={ask}>
      <h2 className={layout.name}>{words.explain}</h2>
      <div className={layout.grid}>
        <TextField label={words.to} type="tel" required {...field('number', 100)} />
        <TextField label={words.user} optional {...field('user', 200)} />
        <TextField label={words.sender} optional hint={words.senderHint} {...field('sender', 100)} />
      </div>
      <Button type="submit" className={layout.start}>
        {words.explainNow}
      </Button>
    </form>
  );
}

function Explanation({ asked }: { readonly asked: Asked & { readonly number: string } }) {
  return (
    <Answered read={useRead(path, asked, { live: ['routes', 'carriers'] })} rows={2}>
      {(explained) => <Why {...explained} />}
    </Answered>
  );
}

function Why({ steps, carriers, waits, more }: Explained) {
  const words = useNetworkWords();
  const names = carriers.map(({ name }) => name).join(words.or);
  const columns = useRouteColumns<Explained['steps'][number]>(({ route }) => route);
  const because: Column<Explained['steps'][number]> = {
    title: words.because,
    place: 'below',
    cell: ({ taken, reason }) =>
      taken ? (
        <Badge tone={waits ? 'waiting' : 'delivered'}>{words.reasons[reason]}</Badge>
      ) : (
        <span className={`${layout.soft} ${layout.wraps}`}>{words.reasons[reason]}</span>
      ),
  };
  return (
    <Card>
      <p className={layout.name} role="status">
        {names === '' ? words.nowhere : waits ? words.waits(names) : words.goes(names)}
      </p>
      {steps.length > 0 && (
        <ItemTable
          label={words.explain}
          items={steps}
          keyOf={({ route }) => route.name}
          columns={[...columns, because]}
        />
      )}
      {more && <p className={layout.soft}>{words.moreRoutes}</p>}
    </Card>
  );
}

function useRouteColumns<Item>(routeOf: (item: Item) => Route): readonly Column<Item>[] {
  const words = useNetworkWords();
  const number = useNumbers();
  return [
    {
      title: words.route,
      place: 'main',
      cell: (item) => {
        const { name, prefix, priority } = routeOf(item);
        return (
          <>
            <bdi>{name === '' ? words.allNumbers : name}</bdi>{' '}
            <span className={layout.soft}>
              {name !== prefix && (prefix === '' ? words.allNumbers : `${prefix}…`)}{' '}
              {priority !== 0 && words.priority(number(priority))}
            </span>
          </>
        );
      },
    },
    {
      title: words.carriers,
      place: 'below',
      cell: (item) => <span className={layout.wraps}>{routeOf(item).carriers.join(', ')}</span>,
    },
    {
      title: words.whom,
      place: 'below',
      cell: (item) => {
        const { users = [], senders = [] } = routeOf(item);
        const whom = [...users, ...senders];
        return (
          <span className={`${layout.soft} ${layout.wraps}`}>
            {whom.length === 0 ? words.everybody : whom.join(', ')}
          </span>
        );
      },
    },
  ];
}
