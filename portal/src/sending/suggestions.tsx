/**
 * Suggests address book entries for a typed name: people, saved filters, groups and tags, with the number of people in each.
 */
import type { ReactNode } from 'react';
import { parseTagFilter } from '../../../src/wire/tag-filter.ts';
import { useDefaultBook, usePeopleLike, useSelectionsLike } from '../api/address-book.ts';
import { useRead } from '../api/queries.ts';
import { useSettled } from '../browser/settled.ts';
import type { Option } from '../design/combobox.tsx';
import layout from '../design/layout.module.css';
import { PhoneNumber } from '../design/phone-number.tsx';
import type { Recipient } from './recipient.ts';
import { useSendingWords } from './texts.ts';

const settledMs = 150;
/** A phone number is looked up by at least this many leading digits. */
const fewestDigits = 3;

interface Suggestions {
  readonly options: readonly Option[];
  /** Whether the options match everything typed and no more are to come. */
  readonly areSettled: boolean;
}

export function useSuggestions(typed: string, add: (one: Recipient) => void): Suggestions {
  const words = useSendingWords();
  const book = useDefaultBook();
  const settled = useSettled(typed.trim(), settledMs);
  const isName = /\p{L}/u.test(settled);
  const { people, isLoading } = usePeopleLike(
    book,
    isName || settled.replace(/\D/g, '').length >= fewestDigits ? settled : '',
  );
  const selections = useSelectionsLike(book, isName ? settled : '');
  const { filters, groups, tags } = selections;
  if (book === undefined || typed.trim() === '') return { options: [], areSettled: true };
  const areSettled = settled === typed.trim() && !isLoading && !selections.isLoading;
  const tagged = tags.map(({ type, value, contacts }) => ({ filter: `${type}:${value}`, contacts }));
  const isWritten = parseTagFilter(settled).ok && !tagged.some(({ filter }) => filter === settled);
  const written = isWritten ? [settled] : [];
  const selected = (kind: Recipient['kind'], what: string, value: string, count: ReactNode): Option => ({
    key: `${what} ${value}`,
    shown: <Selected kind={what} name={value} count={count} />,
    choose: () => add({ kind, value }),
  });
  const options = [
    ...people.map(({ id, name, phone = '' }) => ({
      key: `person ${id}`,
      shown: (
        <>
          <bdi>{name}</bdi>
          <span className={layout.soft}>
            <PhoneNumber number={phone} />
          </span>
        </>
      ),
      choose: () => add({ kind: 'number', value: phone, ...(name !== '' && { name }) }),
    })),
    ...filters.map(({ name, filter }) =>
      selected('saved', words.selections.saved, name, <FilterCount book={book} filter={filter} />),
    ),
    ...groups.map(({ name }) =>
      selected('group', words.selections.group, name, <GroupCount book={book} name={name} />),
    ),
    ...tagged.map(({ filter, contacts }) =>
      selected('filter', words.tag, filter, words.peopleCount(contacts)),
    ),
    ...written.map((filter) =>
      selected('filter', words.selections.filter, filter, <FilterCount book={book} filter={filter} />),
    ),
  ];
  return { options, areSettled };
}

function Selected({
  kind,
  name,
  count,
}: {
  readonly kind: string;
  readonly name: string;
  readonly count: ReactNode;
}) {
  return (
    <>
      <span className={layout.soft}>{kind}</span>
      <bdi>{name}</bdi>
      <span className={layout.soft}>{count}</span>
    </>
  );
}

function FilterCount({ book, filter }: { readonly book: string; readonly filter: string }) {
  const words = useSendingWords();
  const { data } = useRead('/api/v1/addressbooks/{book}/count', { book, filter });
  return data === undefined ? null : words.peopleCount(data.withPhone);
}

/** Above this number, a group is known to be large and need not be counted further. */
const maxCounted = 200;

function GroupCount({ book, name }: { readonly book: string; readonly name: string }) {
  const words = useSendingWords();
  const { data } = useRead('/api/v1/addressbooks/{book}/groups/{name}', { book, name, limit: maxCounted });
  if (data === undefined) return null;
  return data.next === undefined ? words.peopleCount(data.members.length) : words.moreThan(maxCounted);
}
