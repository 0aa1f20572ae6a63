/** The first part of a new batch: a table that is pasted or chosen, and the choice of the column with the numbers. */

import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { CountryCodeField } from '../design/country-code-field.tsx';
import { CheckField, SelectField, TextArea } from '../design/field.tsx';
import { FileDrop } from '../design/file-drop.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Section } from '../design/page.tsx';
import { useSession } from '../session/session.ts';
import type { BatchDraft } from './batch-draft.ts';
import { mappingOf, untouched } from './batch-draft.ts';
import styles from './batches.module.css';
import type { Table } from './table/table.ts';
import type { TableState } from './table/use-table.ts';
import { useBatchWords } from './texts.ts';

interface RecipientsProps {
  readonly draft: BatchDraft;
  readonly change: (more: Partial<BatchDraft>) => void;
  readonly state: TableState;
  readonly read: (file: Blob, hasHeader?: boolean) => Promise<void>;
  readonly clear: () => void;
}

export function RecipientsCard({ draft, change, state, read, clear }: RecipientsProps) {
  const words = useBatchWords();
  const isRead = state.kind === 'read';
  return (
    <Section
      title={words.recipients}
      actions={
        isRead && (
          <Button small onClick={clear}>
            {words.other}
          </Button>
        )
      }
    >
      <Card className={layout.stack}>
        {state.kind === 'fault' && (
          <Notice tone="error">{words.faults[state.fault.kind](state.fault)}</Notice>
        )}
        {isRead ? (
          <ReadTable draft={draft} change={change} read={read} table={state.table} file={state.file} />
        ) : (
          <Source change={change} read={read} isBusy={state.kind === 'reading'} />
        )}
      </Card>
    </Section>
  );
}

/** Maximum length of pasted text that the browser keeps; longer tables are not kept. */
const keptCharacters = 200_000;

function Source({
  change,
  read,
  isBusy,
}: Pick<RecipientsProps, 'change' | 'read'> & { readonly isBusy: boolean }) {
  const words = useBatchWords();
  const [text, setText] = useState('');
  const take = (pasted: string) => {
    setText(pasted);
    if (pasted.trim() === '') return;
    change({ ...untouched, pasted: pasted.length <= keptCharacters ? pasted : '' });
    void read(new Blob([pasted]));
  };
  return (
    <FileDrop
      take={(file) => {
        change(untouched);
        void read(file);
      }}
      label={isBusy ? words.reading : words.chooseFile}
      hint={words.orDrop}
    >
      <TextArea
        label={words.paste}
        hint={words.pasteHint}
        placeholder={'+46 70 174 06 99\tAnna\n+46 70 174 06 98\tBo'}
        value={text}
        disabled={isBusy}
        onChange={({ target }) => setText(target.value)}
        onPaste={(event) => {
          if (text !== '') return;
          event.preventDefault();
          take(event.clipboardData.getData('text'));
        }}
        onBlur={() => take(text)}
      />
    </FileDrop>
  );
}

function ReadTable({
  draft,
  change,
  read,
  table,
  file,
}: Pick<RecipientsProps, 'draft' | 'change' | 'read'> & { readonly table: Table; readonly file: Blob }) {
  const words = useBatchWords();
  const { columns, rows, encoding, delimiter, hasHeader } = table;
  const { number } = mappingOf(draft, table);
  // A file may name another separator in its first line.
  const delimiters: Readonly<Partial<Record<string, string>>> = words.delimiters;
  return (
    <>
      <p>
        <strong>{words.rows(rows)}</strong>{' '}
        <span className={layout.soft}>
          {words.readAs(encoding.toUpperCase(), delimiters[delimiter] ?? delimiter)}
        </span>
      </p>
      <SampleTable table={table} marked={number} />
      <CheckField
        label={words.header}
        checked={hasHeader}
        onChange={({ target }) => void read(file, target.checked)}
      />
      <div className={`${layout.grid} ${styles.pair}`}>
        <SelectField
          label={words.numberColumn}
          value={columns[number]}
          onChange={({ target }) => change({ numberColumn: target.value })}
        >
          {columns.map((column) => (
            <option key={column}>{column}</option>
          ))}
        </SelectField>
        <CountryCodeField
          value={draft.countryCode}
          change={(countryCode) => change({ countryCode })}
          ofCompany={useSession().company.countryCode}
        />
      </div>
    </>
  );
}

function SampleTable({ table, marked }: { readonly table: Table; readonly marked: number }) {
  const words = useBatchWords();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: users without a mouse scroll it by keys
    <section className={styles.sample} aria-label={words.sample} tabIndex={0}>
      <table className={layout.ruled}>
        <thead>
          <tr>
            {table.columns.map((column, place) => (
              <th key={column} scope="col" data-marked={place === marked || undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.sample.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file, which never move
            <tr key={row}>
              {table.columns.map((column, place) => (
                <td key={column} data-marked={place === marked || undefined}>
                  <bdi>{cells[place]}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
