/** The result of a check: the faults by line and column, the cost, and what would cost less. */
import { type ReactNode, useState } from 'react';
import { withGuard } from '../../../src/wire/csv-guard.ts';
import { Button } from '../design/button.tsx';
import { FaultText } from '../design/fault-text.tsx';
import { CheckField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import type { BatchDraft } from './batch-draft.ts';
import styles from './batches.module.css';
import type { TableRow } from './table/read-rows.ts';
import { cellAt, type Mapping, type Table } from './table/table.ts';
import { useBatchWords } from './texts.ts';
import type { Checked, Preview } from './use-check.ts';

export interface CheckResultProps {
  readonly checked: Checked;
  readonly draft: BatchDraft;
  /** Changes the draft, and checks it again. */
  readonly change: (more: Partial<BatchDraft>) => void;
  readonly table: Table;
  readonly mapping: Mapping;
  /** The controls that send the batch; shown only if there are no faults, or only in rows that are left out. */
  readonly children: ReactNode;
}

export function CheckResult({ checked, draft, change, table, mapping, children }: CheckResultProps) {
  const words = useBatchWords();
  const { preview } = checked;
  const { messages, parts, duplicates, optedOut, quotaLeft, faultCount } = preview;
  const isOfRows = preview.faults.every(({ field }) => ofRow.test(field));
  const maySend = messages > 0 && (faultCount === 0 || (draft.skips === true && isOfRows));
  return (
    <Section title={words.result}>
      <Card className={`${layout.stack} ${layout.loose}`}>
        <p className={layout.figure}>{words.summary(messages, parts)}</p>
        {duplicates > 0 && <p className={layout.soft}>{words.leftOut(duplicates)}</p>}
        {optedOut > 0 && <p className={layout.soft}>{words.optedOut(optedOut)}</p>}
        {quotaLeft !== undefined &&
          (quotaLeft < parts ? (
            <Notice tone="warning">{words.quotaShort(quotaLeft)}</Notice>
          ) : (
            <p className={layout.soft}>{words.quotaLeft(quotaLeft)}</p>
          ))}
        <Blanks checked={checked} />
        {faultCount > 0 && (
          <Faults
            // What was typed before belongs to the earlier check.
            key={checked.digest}
            checked={checked}
            draft={draft}
            change={change}
            table={table}
            mapping={mapping}
          />
        )}
        {faultCount > 0 && isOfRows && messages > 0 && (
          <CheckField
            label={words.skip(preview.faulty)}
            checked={draft.skips === true}
            onChange={({ target }) => change({ skips: target.checked })}
          />
        )}
        {messages > 0 && <Histogram histogram={preview.histogram} />}
        <SavingsList preview={preview} draft={draft} change={change} />
        {preview.samples.length > 0 && <Samples samples={preview.samples} />}
        {maySend && <div className={layout.buttons}>{children}</div>}
      </Card>
    </Section>
  );
}

/** Matches the field name of a row's fault: the position of the row, and the field in it. */
const ofRow = /^batch\[(\d+)\](?:\.(\w+))?/;

/** Columns whose empty cells leave a gap in the text; most tables have few. */
const maxNamed = 10;

function Blanks({ checked: { blankRows, blankColumns, of } }: Pick<CheckResultProps, 'checked'>) {
  const words = useBatchWords();
  if (blankRows === 0) return null;
  const names = blankColumns.slice(0, maxNamed).map((at) => of[1].columns[at] ?? '');
  return (
    <Notice tone="warning">
      {words.blankRows(blankRows)} <bdi>{names.join(', ')}</bdi>
    </Notice>
  );
}

/** The faults by row, each with the cell where it can be mended. */
function Faults({ checked, draft, change, table, mapping }: Omit<CheckResultProps, 'children'>) {
  const words = useBatchWords();
  const { preview, faultyRows, lines } = checked;
  const { faults, faultCount, faulty } = preview;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const rows = faults.map(({ field, code, error, values }, place) => {
    const [, index, name = 't'] = ofRow.exec(field) ?? [];
    const line = index === undefined ? undefined : lines[Number(index)];
    const column = name === 't' ? mapping.number : name === 'm' ? mapping.text : undefined;
    const where =
      line === undefined
        ? words.whole
        : `${words.line(line)}, ${column === undefined ? words.message : table.columns[column]}`;
    const cell = line === undefined || column === undefined ? undefined : cellAt(line, column);
    const written = faultyRows.find((row) => row.line === line)?.cells[column ?? 0] ?? '';
    return { place, where, cell, written, fault: { code, error: sentenceOf(error, field), values } };
  });
  const save = () =>
    saveFile(
      words.faultyFile,
      csvOf([table.columns, ...faultyRows.map(({ cells }) => table.columns.map((_, at) => cells[at] ?? ''))]),
    );
  return (
    <form
      className={layout.stack}
      onSubmit={(event) => {
        event.preventDefault();
        change({ edits: { ...draft.edits, ...typed } });
      }}
    >
      <Notice tone={draft.skips ? 'warning' : 'error'}>
        <strong>{words.faultCount(faultCount)}.</strong>{' '}
        {draft.skips ? words.skipped(faulty) : words.faultsFirst}
      </Notice>
      <ul className={`${styles.faults} ${layout.lines} ${layout.scrolls}`}>
        {rows.map(({ place, where, cell, written, fault }) => (
          <li key={place} className={cell === undefined ? `${layout.row} ${layout.level}` : undefined}>
            {cell === undefined ? (
              <>
                <strong>{where}</strong>
                <span>
                  <FaultText fault={fault} />
                </span>
              </>
            ) : (
              <TextField
                label={where}
                hint={<FaultText fault={fault} />}
                value={typed[cell] ?? written}
                onChange={({ target }) => setTyped({ ...typed, [cell]: target.value })}
              />
            )}
          </li>
        ))}
        {faultCount > faults.length && <li>{words.andMore(faultCount - faults.length)}</li>}
      </ul>
      <div className={layout.buttons}>
        {faultyRows.length > 0 && (
          <Button small onClick={save}>
            {words.saveFaulty(faultyRows.length)}
          </Button>
        )}
        {Object.keys(typed).length > 0 && (
          <Button type="submit" look="main" small>
            {words.checkEdited}
          </Button>
        )}
      </div>
    </form>
  );
}

function csvOf(rows: readonly TableRow['cells'][]): string {
  const lineOf = (cells: readonly string[]) =>
    cells.map((cell) => `"${withGuard(cell).replaceAll('"', '""')}"`).join(';');
  // The mark tells spreadsheets that the file is UTF-8.
  return `\u{feff}${rows.map(lineOf).join('\r\n')}\r\n`;
}

function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Removes the name of the call's field from the sentence, because the line and column are shown instead. */
function sentenceOf(error: string, field: string): string {
  const joint = [`\`${field}\`: `, `\`${field}\` `].find((one) => error.startsWith(one)) ?? '';
  return error.slice(joint.length);
}

function Histogram({ histogram }: Pick<Preview, 'histogram'>) {
  const words = useBatchWords();
  const number = useNumbers();
  const most = Math.max(...histogram.map(({ messages }) => messages));
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <h3>{words.histogram}</h3>
      <dl className={`${styles.histogram} ${layout.stack} ${layout.tight}`}>
        {histogram.map(({ parts, messages }) => (
          <div key={parts}>
            <dt>{words.inParts(parts)}</dt>
            <dd className={layout.row}>
              <span className={styles.column} style={{ width: `${(70 * messages) / most}%` }} />
              {number(messages)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function SavingsList({
  preview: { savings },
  draft,
  change,
}: Pick<CheckResultProps, 'draft' | 'change'> & { readonly preview: Preview }) {
  const words = useBatchWords();
  const { replaceCharacters } = useSession();
  const { characters, replacing, shortening } = savings;
  const mayReplace = replaceCharacters && replacing.messages > 0 && !draft.replaces;
  const sentences = [
    ...characters
      .slice(0, 5)
      .map(({ messages, parts, character, similar }) =>
        words.withoutCharacter(messages, parts, character, similar),
      ),
    ...(mayReplace ? [words.withReplacing(replacing.messages, replacing.parts)] : []),
    ...(shortening.messages > 0 ? [words.withShortening(shortening.messages)] : []),
  ];
  if (sentences.length === 0) return null;
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <h3>{words.savings}</h3>
      <ul className={`${styles.savings} ${layout.stack} ${layout.tight}`} data-tone="plain">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}.</li>
        ))}
      </ul>
      {mayReplace && (
        <Button small className={layout.start} onClick={() => change({ replaces: true })}>
          {words.replaceNow}
        </Button>
      )}
    </div>
  );
}

function Samples({ samples }: Pick<Preview, 'samples'>) {
  const words = useBatchWords();
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <h3>{words.samples}</h3>
      <ul className={`${layout.stack} ${layout.tight}`}>
        {samples.map(({ to, message, parts }) => (
          <li key={to}>
            <span className={layout.soft}>
              <PhoneNumber number={to} /> · {words.inParts(parts)}
            </span>
            <p className={layout.sms} dir="auto">
              {message}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
