/** The people of an address book, found by name or number and by their tags. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useBooks } from '../api/address-book.ts';
import { fileAddress } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { Answered } from '../design/answered.tsx';
import { ButtonLink } from '../design/button.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { SelectField, TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { language } from '../words/language.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { TagChips } from './tags.tsx';
import { usePeopleWords } from './texts.ts';

/** The search parameters in the URL. */
export interface PeopleSearch {
  readonly book?: string;
  readonly q?: string;
  readonly filter?: string;
}

export function PeoplePage() {
  const words = usePeopleWords();
  const books = useBooks();
  const search: PeopleSearch = useSearch({ from: '/people' });
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const all = books.data?.addressBooks ?? [];
  const book = all.find(({ id }) => id === search.book) ?? all.find(({ isDefault }) => isDefault) ?? all[0];
  if (book === undefined)
    return (
      <Page title={words.title}>
        <Answered read={books}>
          {() => (
            <EmptyState icon="people" title={words.noBook}>
              {words.noBookText}
            </EmptyState>
          )}
        </Answered>
      </Page>
    );
  return (
    <Page
      title={words.title}
      lead={all.length === 1 ? book.name : undefined}
      actions={<Actions book={book.id} isAdministrator={isAdministrator} />}
    >
      <Finding books={all} book={book.id} search={search} isAdministrator={isAdministrator} />
      <Found book={book.id} search={search} isAdministrator={isAdministrator} />
    </Page>
  );
}

interface OfBook {
  readonly book: string;
  readonly isAdministrator: boolean;
}

function Actions({ book, isAdministrator }: OfBook) {
  const words = usePeopleWords();
  return (
    <>
      <ButtonLink to="/people/$book/groups" params={{ book }}>
        {words.groups}
      </ButtonLink>
      <DownloadLink href={fileAddress('/api/v1/addressbooks/{book}/export', { book, language })}>
        {words.export}
      </DownloadLink>
      {isAdministrator && (
        <>
          <ButtonLink to="/people/$book/import" params={{ book }} icon={<Icon name="upload" />}>
            {words.import}
          </ButtonLink>
          <ButtonLink to="/people/$book/new" params={{ book }} look="main" icon={<Icon name="plus" />}>
            {words.newPerson}
          </ButtonLink>
        </>
      )}
    </>
  );
}

interface FindingProps extends OfBook {
  readonly books: readonly { readonly id: string; readonly name: string }[];
  readonly search: PeopleSearch;
}

function Finding({ books, book, search, isAdministrator }: FindingProps) {
  const words = usePeopleWords();
  const navigate = useNavigate({ from: '/people' });
  const change = (next: PeopleSearch) =>
    void navigate({
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
      replace: true,
    });
  const [written, setWritten] = useTypedSearch(search.q ?? '', (q) => change({ q }));
  return (
    <div className={`${layout.grid} ${layout.wide} ${layout.above}`}>
      {books.length > 1 && (
        <SelectField
          label={words.book}
          value={book}
          onChange={({ target }) => change({ book: target.value })}
        >
          {books.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        type="search"
        dir="auto"
        label={words.search}
        hint={words.searchHint}
        value={written}
        maxLength={100}
        onChange={({ target }) => setWritten(target.value)}
      />
      <FilterBuilder
        key={book}
        book={book}
        filter={search.filter ?? ''}
        change={(filter) => change({ filter })}
        isAdministrator={isAdministrator}
      />
    </div>
  );
}

function Found({ book, search: { q, filter }, isAdministrator }: OfBook & { readonly search: PeopleSearch }) {
  const words = usePeopleWords();
  const list = useList(
    '/api/v1/addressbooks/{book}/contacts',
    'contacts',
    { book, q, filter, limit: 50 },
    { live: ['contacts'] },
  );
  const isWhole = q === undefined && filter === undefined;
  return (
    <CursorList
      label={words.title}
      list={list}
      keyOf={({ id }) => id}
      empty={
        <EmptyState
          icon="people"
          title={isWhole ? words.nobody : q === undefined ? words.noneFound : words.noneFor(q)}
        >
          {isWhole ? (isAdministrator ? words.nobodyText : words.nobodyReader) : words.noneFoundText}
        </EmptyState>
      }
      columns={[
        {
          title: words.name,
          place: 'main',
          width: 'minmax(0, 3fr)',
          cell: ({ id, name }) => (
            <RowLink to="/people/$book/person/$id" params={{ book, id }}>
              <bdi>{name === '' ? words.noName : name}</bdi>
            </RowLink>
          ),
        },
        {
          title: words.number,
          place: 'aside',
          width: 'minmax(0, 2fr)',
          cell: ({ phone, email }) =>
            phone === undefined ? <bdi>{email}</bdi> : <PhoneNumber number={phone} />,
        },
        {
          title: words.tags,
          place: 'below',
          width: 'minmax(0, 4fr)',
          cell: ({ tags }) => <TagChips tags={tags} />,
        },
      ]}
    />
  );
}
