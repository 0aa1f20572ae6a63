/**
 * Builds a tag filter from the tags that people have, shows at once how many people it matches, and saves it under a name.
 */
import { useState } from 'react';
import { type FilterPart, formatTagFilter, parseTagFilter } from '../../../src/wire/tag-filter.ts';
import { useAct, useRead, useRemoval } from '../api/queries.ts';
import { formOf, LineForm } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { Chip } from '../design/chip.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import { inNameOrder } from '../words/language.ts';
import styles from './people.module.css';
import { usePeopleWords } from './texts.ts';

interface FilterBuilderProps {
  readonly book: string;
  readonly filter: string;
  readonly change: (filter: string) => void;
  readonly isAdministrator: boolean;
}

export function FilterBuilder(props: FilterBuilderProps) {
  const words = usePeopleWords();
  const { book, filter, change } = props;
  const listed = useRead('/api/v1/addressbooks/{book}/tags', { book, limit: 200 }).data?.tags ?? [];
  const tags = inNameOrder(listed, ({ value }) => value);
  const types = inNameOrder([...new Set(tags.map(({ type }) => type))], (type) => type);
  if (tags.length === 0 && filter === '') return null;
  return (
    <details className={styles.builder} open={filter !== ''}>
      <summary>
        {words.filter} <Count book={book} filter={filter} />
      </summary>
      <p className={layout.soft}>{words.filterHint}</p>
      <SavedFilters {...props} />
      {types.map((type) => (
        <fieldset key={type} className={`${styles.values} ${layout.row} ${layout.tight}`}>
          <legend>
            <bdi>{type}</bdi>
          </legend>
          {tags
            .filter((tag) => tag.type === type)
            .map(({ value, contacts }) => (
              <label
                key={value}
                className={`${styles.value} ${layout.paper} ${layout.bare} ${layout.row} ${layout.tight}`}
              >
                <input
                  type="checkbox"
                  className="unseen"
                  checked={has(filter, type, value)}
                  onChange={() => change(toggled(filter, type, value))}
                />
                <bdi>{value}</bdi> <span className={layout.soft}>{contacts}</span>
              </label>
            ))}
        </fieldset>
      ))}
      <Written key={filter} {...props} />
    </details>
  );
}

function partsOf(filter: string): readonly FilterPart[] {
  const parsed = parseTagFilter(filter);
  return parsed.ok ? parsed.value : [];
}

function has(filter: string, type: string, value: string): boolean {
  return partsOf(filter).some(({ tagType, tagValues }) => tagType === type && tagValues.includes(value));
}

function toggled(filter: string, type: string, value: string): string {
  const parts = partsOf(filter);
  const of = parts.find(({ tagType }) => tagType === type);
  if (of === undefined) return formatTagFilter([...parts, { tagType: type, tagValues: [value] }]);
  const tagValues = of.tagValues.includes(value)
    ? of.tagValues.filter((one) => one !== value)
    : [...of.tagValues, value];
  return formatTagFilter(
    parts
      .map((part) => (part === of ? { ...of, tagValues } : part))
      .filter((part) => part.tagValues.length > 0),
  );
}

/** The number of people that the filter matches now. */
function Count({ book, filter }: { readonly book: string; readonly filter: string }) {
  const words = usePeopleWords();
  const isFilter = parseTagFilter(filter).ok;
  const count = useRead(
    '/api/v1/addressbooks/{book}/count',
    { book, filter },
    { enabled: isFilter, keepsPrevious: true },
  );
  if (!isFilter || count.data === undefined) return null;
  const { people, withPhone } = count.data;
  return (
    <span className={layout.soft} role="status">
      {words.meets(people)}
      {withPhone < people && `, ${words.reachable(withPhone)}`}
    </span>
  );
}

function Written({ book, filter, change, isAdministrator }: FilterBuilderProps) {
  const words = usePeopleWords();
  const [written, setWritten] = useState(filter);
  const parsed = parseTagFilter(written);
  return (
    <div className={`${styles.written} ${layout.line}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (parsed.ok || written === '') change(written);
        }}
      >
        <TextField
          label={words.written}
          value={written}
          dir="auto"
          spellCheck={false}
          placeholder="role:nurse|doctor;ward:7"
          error={written === '' || parsed.ok ? undefined : parsed}
          onChange={({ target }) => setWritten(target.value)}
          onBlur={() => (parsed.ok || written === '') && written !== filter && change(written)}
        />
      </form>
      {filter !== '' && <Button onClick={() => change('')}>{words.clear}</Button>}
      {isAdministrator && filter !== '' && <Saving book={book} filter={filter} />}
    </div>
  );
}

function Saving({ book, filter }: Pick<FilterBuilderProps, 'book' | 'filter'>) {
  const words = usePeopleWords();
  const blank = { name: '' };
  const save = useAct('/api/v1/addressbooks/{book}/filters');
  const form = formOf(save, useState(blank));
  const { name } = form.values;
  const onSuccess = () => {
    form.set(blank);
    showToast({ text: words.filterSaved(name) });
  };
  return (
    <LineForm
      form={form}
      submit={() => save.mutate({ parameters: { book, name, filter } }, { onSuccess })}
      label={words.save}
    >
      <TextField label={words.saveAs} required maxLength={100} {...form.field('name')} />
    </LineForm>
  );
}

function SavedFilters({ book, filter: current, change, isAdministrator }: FilterBuilderProps) {
  const words = usePeopleWords();
  const filters =
    useRead('/api/v1/addressbooks/{book}/filters', { book, limit: 200 }, { live: ['filters'] }).data
      ?.filters ?? [];
  const removal = useRemoval('/api/v1/addressbooks/{book}/filters/{name}');
  const again = useAct('/api/v1/addressbooks/{book}/filters');
  if (filters.length === 0) return null;
  const remove = (name: string, filter: string) =>
    removal.mutate(
      { parameters: { book, name } },
      {
        onSuccess: () =>
          showToast({
            text: words.filterRemoved(name),
            undo: () => again.mutate({ parameters: { book, name, filter } }),
          }),
      },
    );
  return (
    <fieldset className={`${styles.values} ${layout.row} ${layout.tight}`}>
      <legend>{words.saved}</legend>
      {filters.map(({ name, filter, managed }) => (
        <Chip
          key={name}
          {...(isAdministrator &&
            !managed && { remove: [words.removeFilter(name), () => remove(name, filter)] as const })}
        >
          <Button
            small
            className={layout.wraps}
            look={filter === current ? 'main' : 'quiet'}
            onClick={() => change(filter)}
          >
            <bdi>{name}</bdi>
          </Button>
        </Chip>
      ))}
      <FaultNotice fault={removal.error ?? again.error} />
    </fieldset>
  );
}
