/** What each column of a file is imported as. */
import { SelectField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import type { Preview } from './import-preview.tsx';
import styles from './people.module.css';
import { usePeopleWords } from './texts.ts';

export type FileColumns = Preview['columns'];

interface ImportColumnsProps {
  readonly columns: FileColumns;
  readonly change: (columns: FileColumns) => void;
}

export function ImportColumns({ columns, change }: ImportColumnsProps) {
  const words = usePeopleWords();
  // A column can always hold the tags of the type that it is named for.
  const ownType = (head: string) => `tag:${head.replace(/^tag:/i, '').replace(/[;|:]/g, ' ').trim()}`;
  const optionsFor = (head: string, field: string) => [
    ...new Set([...Object.keys(words.fields), ...(head === '' ? [] : [ownType(head)]), field]),
  ];
  // A field that another column had is this one's now.
  const choose = (place: number, field: string) =>
    change(
      columns.map((column, at) => {
        if (at === place) return { ...column, field };
        return field !== '-' && column.field === field ? { ...column, field: '-' } : column;
      }),
    );
  return (
    <fieldset className={`${styles.mapping} ${layout.grid}`}>
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
