/** The second part of a new batch: one text with fields, or the column with a text for each recipient. */
import { useRef } from 'react';
import { Button } from '../design/button.tsx';
import { CheckField, SelectField, TextArea } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Card, Section } from '../design/page.tsx';
import { useSession } from '../session/session.ts';
import { type BatchDraft, fieldOf, mappingOf } from './batch-draft.ts';
import type { Table } from './table/table.ts';
import { useBatchWords } from './texts.ts';

/** Maximum number of fields shown; a table may have 300 columns, and the list of columns has them all. */
const shownFields = 24;

export function TextCard({
  draft,
  change,
  table,
}: {
  readonly draft: BatchDraft;
  readonly change: (more: Partial<BatchDraft>) => void;
  readonly table: Table;
}) {
  const words = useBatchWords();
  const { replaceCharacters } = useSession();
  const area = useRef<HTMLTextAreaElement>(null);
  const { number, text } = mappingOf(draft, table);
  const others = table.columns.filter((_, place) => place !== number);
  const insert = (column: string) => {
    const { message } = draft;
    const from = area.current?.selectionStart ?? message.length;
    const to = area.current?.selectionEnd ?? from;
    change({ message: message.slice(0, from) + fieldOf(column) + message.slice(to) });
    area.current?.focus();
  };
  return (
    <Section title={words.text}>
      <Card className={layout.stack}>
        {others.length > 0 && (
          <SelectField
            label={words.textFrom}
            value={text === undefined ? '' : table.columns[text]}
            onChange={({ target }) => change({ textColumn: target.value === '' ? undefined : target.value })}
          >
            <option value="">{words.oneText}</option>
            {others.map((column) => (
              <option key={column} value={column}>
                {words.textOfColumn(column)}
              </option>
            ))}
          </SelectField>
        )}
        {text === undefined && (
          <>
            <TextArea
              ref={area}
              label={words.message}
              hint={others.length > 0 ? words.messageHint : undefined}
              value={draft.message}
              onChange={({ target }) => change({ message: target.value })}
            />
            {others.length > 0 && <Fields columns={others} insert={insert} />}
          </>
        )}
        {replaceCharacters && (
          <CheckField
            label={words.replace}
            checked={draft.replaces}
            onChange={({ target }) => change({ replaces: target.checked })}
          />
        )}
      </Card>
    </Section>
  );
}

function Fields({
  columns,
  insert,
}: {
  readonly columns: readonly string[];
  readonly insert: (column: string) => void;
}) {
  const words = useBatchWords();
  return (
    <fieldset className={layout.row} aria-label={words.insert}>
      {columns.slice(0, shownFields).map((column) => (
        <Button key={column} small onClick={() => insert(column)}>
          {fieldOf(column)}
        </Button>
      ))}
    </fieldset>
  );
}
