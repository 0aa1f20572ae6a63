/** One search field that recognises what is typed, and chips for state and period. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { Days } from '../design/date-range.tsx';
import { Choice, SelectField, TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { type Filters, type Kind, kinds, periods, states } from './filters.ts';
import styles from './messages.module.css';
import { useMessagesWords } from './texts.ts';

export interface SearchBarProps {
  readonly filters: Filters;
  /** Applies to numbers that begin with a single 0. */
  readonly callingCode?: string | undefined;
  /** What the server takes the text for; undefined until it has answered. */
  readonly searched?: AnswerOf<'GET', '/api/v1/messages'>['searched'];
  readonly change: (changes: { readonly [Name in keyof Filters]: Filters[Name] | undefined }) => void;
}

export function SearchBar({ filters, change, callingCode, searched }: SearchBarProps) {
  const words = useMessagesWords();
  const { state = 'all', period = 'always' } = filters;
  return (
    <search className={layout.stack}>
      <Typed filters={filters} change={change} callingCode={callingCode} searched={searched} />
      <div className={layout.row}>
        <Choice
          hideLabel
          label={words.state}
          value={state}
          options={(['all', ...states] as const).map((one) => [one, words.states[one]])}
          onChange={(one) => change({ state: one === 'all' ? undefined : one })}
        />
        <Choice
          hideLabel
          label={words.period}
          value={period}
          options={(['always', ...periods] as const).map((one) => [one, words.periods[one]])}
          onChange={(one) =>
            change({ period: one === 'always' ? undefined : one, from: undefined, to: undefined })
          }
        />
        <Only name="batchId" filters={filters} change={change} />
        {filters.batchId !== undefined && (
          <ButtonLink small to="/batches/$id" params={{ id: filters.batchId }}>
            {words.showBatch}
          </ButtonLink>
        )}
        <Only name="username" filters={filters} change={change} />
      </div>
      {period === 'dates' && (
        <Days
          from={filters.from}
          to={filters.to}
          change={({ from, to }) => change({ from: from || undefined, to: to || undefined })}
        />
      )}
    </search>
  );
}

function Typed({ filters, change, callingCode, searched }: SearchBarProps) {
  const words = useMessagesWords();
  const shown = filters.q ?? '';
  const [typed, setTyped] = useTypedSearch(shown, (q) =>
    change({ q: q === '' ? undefined : q, kind: undefined }),
  );
  const kind = filters.kind ?? searched?.as;
  return (
    <div className={`${styles.typed} ${layout.row}`}>
      <TextField
        type="search"
        label={words.search}
        hint={words.searchHint(callingCode)}
        value={typed}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {shown !== '' && (
        <SelectField
          label={words.lookFor}
          hint={hintOf(kind, searched, words)}
          value={kind ?? ''}
          onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
        >
          {/* Until the server has answered. */}
          {kind === undefined && <option value="">…</option>}
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {words.kinds[kind]}
            </option>
          ))}
        </SelectField>
      )}
    </div>
  );
}

/** How far a search by name or by words goes. */
function hintOf(
  kind: Kind | undefined,
  searched: SearchBarProps['searched'],
  words: ReturnType<typeof useMessagesWords>,
): string | undefined {
  if (kind === 'words') return words.ownOnly;
  if (searched?.as !== 'name') return undefined;
  const { numbers = 0, more } = searched;
  return more ? words.firstPeople(numbers) : words.people(numbers);
}

/** A filter set by a link. */
function Only({ name, filters, change }: SearchBarProps & { readonly name: 'batchId' | 'username' }) {
  const words = useMessagesWords();
  const value = filters[name];
  if (value === undefined) return null;
  const text = `${words.onlyOf[name]} ${value}`;
  return (
    <Button
      small
      icon={<Icon name="close" size={14} />}
      aria-label={words.removeFilter(text)}
      onClick={() => change({ [name]: undefined })}
    >
      {text}
    </Button>
  );
}
