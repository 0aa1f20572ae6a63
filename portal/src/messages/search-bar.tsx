/** One search field that recognises what is typed, and chips for state and period. */
import { useTypedSearch } from '../browser/typed-search.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { Choice, SelectField, TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { type Filters, type Kind, kinds, periods, states } from './filters.ts';
import styles from './messages.module.css';
import { kindOf } from './search-parameters.ts';
import { useMessagesWords } from './texts.ts';

export interface SearchBarProps {
  readonly filters: Filters;
  /** Applies to numbers that begin with a single 0. */
  readonly callingCode?: string | undefined;
  readonly change: (changes: { readonly [Name in keyof Filters]: Filters[Name] | undefined }) => void;
}

export function SearchBar({ filters, change, callingCode }: SearchBarProps) {
  const words = useMessagesWords();
  const { state = 'all', period = 'always' } = filters;
  return (
    <search className={layout.stack}>
      <Typed filters={filters} change={change} callingCode={callingCode} />
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
          onChange={(one) => change({ period: one === 'always' ? undefined : one })}
        />
        <Only name="batchId" filters={filters} change={change} />
        {filters.batchId !== undefined && (
          <ButtonLink small to="/batches/$id" params={{ id: filters.batchId }}>
            {words.showBatch}
          </ButtonLink>
        )}
        <Only name="username" filters={filters} change={change} />
      </div>
    </search>
  );
}

function Typed({ filters, change, callingCode }: SearchBarProps) {
  const words = useMessagesWords();
  const shown = filters.q ?? '';
  const [typed, setTyped] = useTypedSearch(shown, (q) =>
    change({ q: q === '' ? undefined : q, kind: undefined }),
  );
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
          value={filters.kind ?? kindOf(shown)}
          onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
        >
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
