/** What an import would do: how many people it concerns, the fault in each line, and the first people that would change. */
import type { AnswerOf } from '../api/endpoints.ts';
import { SelectField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { PhoneNumber } from '../design/phone-number.tsx';
import styles from './people.module.css';
import { TagChips } from './tags.tsx';
import { usePeopleWords } from './texts.ts';

export type Preview = AnswerOf<'POST', '/api/v1/addressbooks/{book}/import/preview'>;

export function ImportPreview({ preview }: { readonly preview: Preview }) {
  const words = usePeopleWords();
  const { created, changed, unchanged, managed, faulty, faults, changes } = preview;
  return (
    <section aria-label={words.preview} className={layout.stack}>
      <h2>{words.preview}</h2>
      <ul className={`${styles.counts} ${layout.row}`}>
        <li>{words.created(created)}</li>
        <li>{words.changedCount(changed)}</li>
        <li>{words.unchanged(unchanged)}</li>
        {managed > 0 && <li>{words.managedCount(managed)}</li>}
        {faulty > 0 && <li data-tone="failed">{words.faulty(faulty)}</li>}
      </ul>
      {faults.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.line}</th>
              <th scope="col">{words.fault}</th>
            </tr>
          </thead>
          <tbody>
            {faults.map(({ line, error }) => (
              <tr key={`${line} ${error}`}>
                <td>{line}</td>
                <td>
                  <bdi lang="en">{error}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Changes changes={changes} />
    </section>
  );
}

function Changes({ changes }: Pick<Preview, 'changes'>) {
  const words = usePeopleWords();
  if (changes.length === 0) return null;
  return (
    <ul className={layout.lines}>
      {changes.map(({ outcome, before, after }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is drawn once for each preview of a file
        <li key={place} className={`${layout.row} ${layout.level}`}>
          <span className={layout.soft}>
            {outcome === 'created'
              ? words.created(1)
              : outcome === 'managed'
                ? words.managedCount(1)
                : words.changedCount(1)}
          </span>
          <span>
            {before !== undefined && before.name !== after?.name && (
              <del>
                <bdi>{before.name}</bdi>
              </del>
            )}{' '}
            <bdi>{after?.name}</bdi>
          </span>
          {after?.phone !== undefined && <PhoneNumber number={after.phone} />}
          <TagChips tags={after?.tags ?? []} />
        </li>
      ))}
    </ul>
  );
}

export type FileColumns = Preview['columns'];

interface ImportColumnsProps {
  readonly columns: FileColumns;
  readonly change: (columns: FileColumns) => void;
}

/** What each column of the file is imported as. */
export function ImportColumns({ columns, change }: ImportColumnsProps) {
  const words = usePeopleWords();
  // A column can always hold the tags of the type that it is named after.
  const ownType = (head: string) => `tag:${head.replace(/^tag:/i, '').replace(/[;|:]/g, ' ').trim()}`;
  const optionsFor = (head: string, field: string) => [
    ...new Set([...Object.keys(words.fields), ...(head === '' ? [] : [ownType(head)]), field]),
  ];
  // If another column was imported as this field, it no longer is.
  const choose = (place: number, field: string) =>
    change(
      columns.map((column, at) => {
        if (at === place) return { ...column, field };
        return field !== '-' && column.field === field ? { ...column, field: '-' } : column;
      }),
    );
  return (
    <fieldset className={`${styles.mapping} ${layout.scrolls} ${layout.grid}`}>
      <legend>{words.columns}</legend>
      {columns.map(({ head, field }, place) => (
        <SelectField
          // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and may share a name
          key={place}
          label={words.columnIs(head === '' ? words.unnamed : `\u2068${head}\u2069`)}
          value={field}
          onChange={({ target }) => choose(place, target.value)}
        >
          {optionsFor(head, field).map((option) => (
            <option key={option} value={option}>
              {words.fields[option as keyof typeof words.fields] ?? words.tagsOf(option.slice(4))}
            </option>
          ))}
        </SelectField>
      ))}
    </fieldset>
  );
}
