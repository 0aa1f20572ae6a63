/** The users of the company: who may do what, within which limits, and when each last signed in. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { ButtonLink } from '../design/button.tsx';
import { Chip } from '../design/chip.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { Choice, TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { useRoleNames } from '../design/role-names.ts';
import { Time } from '../design/time.tsx';
import { useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import { StateBadge, type User } from './state.tsx';
import { useUserWords } from './texts.ts';

const states = ['active', 'noPassword', 'inactive'] as const;
type State = (typeof states)[number];

export interface UserSearch {
  readonly q?: string;
  readonly state?: State;
}

export function UsersPage() {
  const words = useUserWords();
  const { username: own } = useSession();
  const { q = '', state } = useSearch({ from: '/admin/users' });
  const filters = { ...(q !== '' && { q }), ...(state && { state }) };
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      make={
        <ButtonLink to="/admin/users/new" look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      }
      above={<Search q={q} state={state} />}
      list={useList('/api/v1/users', 'users', filters, { live: ['users'] })}
      keyOf={({ id }) => id}
      none={{ icon: 'people', title: words.none, text: words.noneText }}
      columns={[
        {
          title: words.name,
          place: 'main',
          width: 'minmax(0, 1.3fr)',
          cell: ({ id, username }) => (
            <RowLink to="/admin/users/$id" params={{ id }}>
              <bdi>{username}</bdi>
              {username === own && <span className={layout.soft}> · {words.you}</span>}
            </RowLink>
          ),
        },
        {
          title: words.roles,
          place: 'below',
          width: 'minmax(0, 1.6fr)',
          cell: ({ roles }) => <Roles roles={roles} />,
        },
        { title: words.state, place: 'aside', width: '10rem', cell: (user) => <StateBadge user={user} /> },
        { title: words.limits, cell: (user) => <Limits user={user} /> },
        {
          title: words.lastSignIn,
          width: '8rem',
          cell: ({ lastSignIn }) => (lastSignIn === undefined ? words.never : <Time at={lastSignIn} />),
        },
      ]}
    />
  );
}

function Search({ q, state }: { readonly q: string; readonly state: State | undefined }) {
  const words = useUserWords();
  const navigate = useNavigate({ from: '/admin/users' });
  const show = (next: UserSearch) => void navigate({ search: next, replace: true });
  const [typed, setTyped] = useTypedSearch(q, (sought) =>
    show({ ...(sought !== '' && { q: sought }), ...(state && { state }) }),
  );
  return (
    <search className={layout.stack}>
      <TextField
        type="search"
        label={words.search}
        value={typed}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Choice
        hideLabel
        label={words.state}
        value={state ?? 'all'}
        options={(['all', ...states] as const).map((one) => [one, words.states[one]])}
        onChange={(one) => show({ ...(q !== '' && { q }), ...(one !== 'all' && { state: one }) })}
      />
    </search>
  );
}

function Roles({ roles }: Pick<User, 'roles'>) {
  const roleNames = useRoleNames();
  return (
    <span className={`${layout.row} ${layout.tight}`}>
      {roles.map((role) => (
        <Chip key={role}>{roleNames[role]}</Chip>
      ))}
    </span>
  );
}

/** The one limit that says most: parts per day, or else per minute, or else in all. */
function Limits({ user: { partsPerDay, partsPerMinute, quotaParts } }: { readonly user: User }) {
  const words = useUserWords();
  const number = useNumbers();
  if (partsPerDay !== undefined) return words.perDay(number(partsPerDay));
  if (partsPerMinute !== undefined) return words.perMinute(number(partsPerMinute));
  return quotaParts === undefined ? words.noLimit : words.inAll(number(quotaParts));
}
