/**
 * What the columns of a file mean, and what its import would do: how many people it concerns, what is wrong, grouped by cause,
 * and the first people that would change.
 */
import type { AnswerOf } from '../api/endpoints.ts';
import { Button } from '../design/button.tsx';
import { FaultText } from '../design/fault-text.tsx';
import { SelectField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import styles from './people.module.css';
import { TagChips } from './tags.tsx';
import { usePeopleWords } from './texts.ts';

export type Preview = AnswerOf<'POST', '/api/v1/addressbooks/{book}/import/preview'>;

interface PreviewProps {
  readonly preview: Preview;
  /** Has numbers that begin with 0 begin with this country code. */
  readonly mend: (countryCode: string) => void;
}

export function ImportPreview({ preview, mend }: PreviewProps) {
  const words = usePeopleWords();
  const { columns, faults, changes } = preview;
  return (
    <section aria-label={words.preview} className={layout.stack}>
      <h2>{words.preview}</h2>
      <Counts preview={preview} />
      {!columns.some(({ field }) => field === 'name') && <Notice tone="warning">{words.noNames}</Notice>}
      <Causes preview={preview} mend={mend} />
      {faults.length > 0 && (
        <details>
          <summary>{words.eachFault}</summary>
          <FaultTable faults={faults} />
        </details>
      )}
      <Changes changes={changes} />
    </section>
  );
}

export function Counts({ preview, skips }: { readonly preview: Preview; readonly skips?: boolean }) {
  const words = usePeopleWords();
  const { created, changed, unchanged, managed, faulty } = preview;
  return (
    <ul className={`${styles.counts} ${layout.row}`}>
      <li>{words.created(created)}</li>
      <li>{words.changedCount(changed)}</li>
      <li>{words.unchanged(unchanged)}</li>
      {managed > 0 && <li>{words.managedCount(managed)}</li>}
      {faulty > 0 && <li data-tone="failed">{(skips ? words.skippedRows : words.faulty)(faulty)}</li>}
    </ul>
  );
}

/** The causes whose first row needs a sentence of its own. */
const unclear = ['number', 'email', 'text', 'tags'];

/** What is wrong, by cause, with what mends all rows at once. */
function Causes({ preview: { causes }, mend }: PreviewProps) {
  const words = usePeopleWords();
  if (causes.length === 0) return null;
  return (
    <ul className={layout.lines} aria-label={words.fault}>
      {causes.map(({ cause, count, lines, countryCode, ...fault }) => (
        <li key={cause} className={`${layout.row} ${layout.apart}`}>
          <span>
            <strong>{words.causes[cause](count)}</strong>{' '}
            <span className={layout.soft}>
              {words.lines(lines.length)} {lines.join(', ')}
              {count > lines.length && ' …'}
              {unclear.includes(cause) && (
                <>
                  {': '}
                  <FaultText fault={fault} />
                </>
              )}
            </span>
          </span>
          {countryCode !== undefined && (
            <Button small onClick={() => mend(countryCode)}>
              {words.beginWith(countryCode)}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function FaultTable({ faults }: Pick<Preview, 'faults'>) {
  const words = usePeopleWords();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{words.line}</th>
          <th scope="col">{words.fault}</th>
        </tr>
      </thead>
      <tbody>
        {faults.map((fault) => (
          <tr key={`${fault.line} ${fault.error}`}>
            <td>{fault.line}</td>
            <td>
              <FaultText fault={fault} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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

/** Whether a column identifies people. */
export function tellPeople(columns: FileColumns): boolean {
  return columns.some(({ field }) => ['id', 'phone', 'email'].includes(field));
}

interface ColumnChoices {
  readonly columns: FileColumns;
  readonly joins: readonly string[];
}

interface ImportColumnsProps extends ColumnChoices {
  readonly change: (choices: ColumnChoices) => void;
}

/** What each column of the file is imported as, beside what it has in the first rows. */
export function ImportColumns({ columns, joins, change }: ImportColumnsProps) {
  const words = usePeopleWords();
  // A column can always hold the tags of the type that it is named after.
  const ownType = (head: string) => `tag:${head.replace(/^tag:/i, '').replace(/[;|:]/g, ' ').trim()}`;
  const optionsFor = (head: string, field: string) => [
    ...new Set([...Object.keys(words.fields), ...(head === '' ? [] : [ownType(head)]), field]),
  ];
  // If another column was imported as this field, it no longer is.
  const choose = (place: number, field: string) => {
    const chosen = columns.map((column, at) => {
      if (at === place) return { ...column, field };
      return field !== '-' && column.field === field ? { ...column, field: '-' } : column;
    });
    const fits = (join: string) => {
      const [first, second] = fieldsIn(join, chosen);
      return first !== '-' && second === '-';
    };
    change({ columns: chosen, joins: joins.filter(fits) });
  };
  const nameOf = (head: string) => (head === '' ? words.unnamed : `\u2068${head}\u2069`);
  const joinedWith = (place: number) =>
    joins.find((join) => join.startsWith(`${place + 1}-`))?.split('-')[1] ?? '';
  const join = (place: number, other: string) =>
    change({ columns, joins: other === '' ? [] : [`${place + 1}-${other}`] });
  return (
    <fieldset className={`${styles.mapping} ${layout.scrolls} ${layout.grid}`}>
      <legend>{words.columns}</legend>
      {columns.map(({ head, field, samples }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and may share a name
        <div key={place} className={`${layout.stack} ${layout.tight}`}>
          <SelectField
            label={words.columnIs(nameOf(head))}
            hint={<Samples samples={samples} />}
            value={field}
            onChange={({ target }) => choose(place, target.value)}
          >
            {optionsFor(head, field).map((option) => (
              <option key={option} value={option}>
                {words.fields[option as keyof typeof words.fields] ?? words.tagsOf(option.slice(4))}
              </option>
            ))}
          </SelectField>
          {field === 'name' && (
            <SelectField
              label={words.joinedWith}
              value={joinedWith(place)}
              onChange={({ target }) => join(place, target.value)}
            >
              <option value="">{words.nothingElse}</option>
              {columns.map(
                (other, at) =>
                  other.field === '-' && (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and may share a name
                    <option key={at} value={at + 1}>
                      {nameOf(other.head)}
                    </option>
                  ),
              )}
            </SelectField>
          )}
        </div>
      ))}
    </fieldset>
  );
}

function fieldsIn(join: string, columns: FileColumns): readonly (string | undefined)[] {
  return join.split('-').map((place) => columns[Number(place) - 1]?.field);
}

function Samples({ samples }: { readonly samples: readonly string[] }) {
  return samples.map((sample, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file, which never move
    <bdi key={row} className={layout.clip}>
      {sample === '' ? '–' : sample}
    </bdi>
  ));
}
