/**
 * Reads e-mail senders from a CSV file: row by row, each as the call that a user would make for it. A row done twice has the
 * outcome of a row done once, so a run that was broken off goes on where it stopped.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { columnTitled, headIn } from '../../../src/wire/csv-columns.ts';
import { withoutGuard } from '../../../src/wire/csv-guard.ts';
import { CsvReader, delimiterOf } from '../../../src/wire/csv-rows.ts';
import { patch, post } from '../api/client.ts';
import type { ParametersOf } from '../api/endpoints.ts';
import { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { FaultText } from '../design/fault-text.tsx';
import { FileDrop } from '../design/file-drop.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { language } from '../words/language.ts';
import { flags, names } from './settings.tsx';
import { useEmailWords } from './texts.ts';

const maxBytes = 1_000_000;
const maxRows = 2_000;

const columns = ['email', 'blocked', ...names] as const;
const booleans: readonly string[] = ['blocked', ...flags];

type Given = ParametersOf<'POST', '/api/v1/email/senders'>;

interface Row {
  readonly line: number;
  readonly email: string;
  /** What a call gives; empty cells are left out. */
  readonly given: Given;
}

/** A row that could not be read, or that the server refused. */
interface FaultyRow {
  readonly line: number;
  readonly email: string;
  readonly why: 'twice' | 'noEmail' | 'notYesOrNo' | 'notNumber' | Fault;
  readonly value?: string;
}

interface Table {
  readonly rows: readonly Row[];
  readonly faulty: readonly FaultyRow[];
}

type Unreadable = 'tooLarge' | 'tooMany' | 'noEmailColumn' | 'broken' | { readonly unknown: string };

/** Excel in Europe writes files in this encoding, unless told otherwise. */
function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

async function tableIn(file: File): Promise<Table | Unreadable> {
  if (file.size > maxBytes) return 'tooLarge';
  const text = decoded(await file.arrayBuffer());
  const reader = new CsvReader(delimiterOf(text));
  const [head, ...records] = [...reader.read(text, true)];
  if (reader.broken !== undefined) return 'broken';
  if (records.length > maxRows) return 'tooMany';
  const titles = (head?.cells ?? []).map((cell) => cell.trim());
  const places = titles.map((title) => columnTitled(title, columns));
  if (!places.includes('email')) return 'noEmailColumn';
  const unknown = titles.find((title, at) => title !== '' && places[at] === undefined);
  if (unknown !== undefined) return { unknown };
  const rows: Row[] = [];
  const faulty: FaultyRow[] = [];
  const seen = new Set<string>();
  for (const { cells, firstLine: line } of records) {
    const written = Object.fromEntries(
      places.flatMap((place, at) =>
        place === undefined ? [] : [[place, withoutGuard(cells[at] ?? '').trim()]],
      ),
    );
    const email = written.email ?? '';
    const read = givenIn(written);
    const why = email === '' ? 'noEmail' : seen.has(email.toLowerCase()) ? 'twice' : read.why;
    seen.add(email.toLowerCase());
    if (why === undefined) rows.push({ line, email, given: read.given as unknown as Given });
    else faulty.push({ line, email, why, ...(read.value !== undefined && { value: read.value }) });
  }
  return { rows, faulty };
}

interface ReadRow {
  readonly given: Readonly<Record<string, unknown>>;
  readonly why?: 'notYesOrNo' | 'notNumber';
  readonly value?: string;
}

function givenIn(written: Readonly<Record<string, string>>): ReadRow {
  const given: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(written)) {
    if (text === '') continue;
    if (booleans.includes(name)) {
      if (!/^(true|yes|y|t|1|ja|j|false|no|n|f|0|nej)$/i.test(text))
        return { given, why: 'notYesOrNo', value: text };
      given[name] = /^[ty1j]/i.test(text);
    } else if (name === 'maxSms') {
      if (!/^\d{1,9}$/.test(text)) return { given, why: 'notNumber', value: text };
      given[name] = Number(text);
    } else given[name] = text;
  }
  return { given };
}

/** Creates the entry, or changes the one that is there. */
async function put({ email, given }: Row): Promise<'made' | 'changed'> {
  try {
    await post('/api/v1/email/senders', given);
    return 'made';
  } catch (error) {
    if ((error as Fault).code !== 'taken') throw error;
    await patch('/api/v1/email/senders/{email}', { ...given, email });
    return 'changed';
  }
}

interface Run {
  readonly at: number;
  readonly made: number;
  readonly changed: number;
  readonly faulty: readonly FaultyRow[];
  readonly state: 'ready' | 'running' | 'broken' | 'done';
  readonly fault?: Fault;
}

const begun: Run = { at: 0, made: 0, changed: 0, faulty: [], state: 'ready' };

export function ImportDialog({ close }: { readonly close: () => void }) {
  const words = useEmailWords();
  const client = useQueryClient();
  const [name, setName] = useState<string>();
  const [table, setTable] = useState<Table | Unreadable>();
  const [run, setRun] = useState<Run>(begun);

  async function take(file: File): Promise<void> {
    const read = await tableIn(file);
    setName(file.name);
    setTable(read);
    setRun(begun);
  }

  async function bring({ rows }: Table): Promise<void> {
    let now: Run = { ...run, state: 'running' };
    for (const row of rows.slice(run.at)) {
      setRun(now);
      try {
        const what = await put(row);
        now = { ...now, [what]: now[what] + 1 };
      } catch (error) {
        const fault = error instanceof Fault ? error : new Fault(0, {});
        if (!fault.isRefusal || fault.isPassing) {
          now = { ...now, state: 'broken', fault };
          break;
        }
        now = { ...now, faulty: [...now.faulty, { line: row.line, email: row.email, why: fault }] };
      }
      now = { ...now, at: now.at + 1 };
    }
    setRun(now.state === 'running' ? { ...now, state: 'done' } : now);
    await client.invalidateQueries();
  }

  const isBusy = run.state === 'running';
  const isTable = table !== undefined && typeof table === 'object' && 'rows' in table;
  const faulty = isTable ? [...table.faulty, ...run.faulty] : [];
  return (
    <Dialog title={words.csvIn} close={() => !isBusy && close()}>
      <div className={layout.stack}>
        <p>{words.csvText}</p>
        <p className={`${layout.soft} ${layout.wraps}`}>
          <code>
            {headIn(language, columns).flatMap((title, place) =>
              place === 0 ? [title] : [',', <wbr key={title} />, title],
            )}
          </code>
        </p>
        {!isBusy && run.state !== 'broken' && (
          <FileDrop take={(file) => void take(file)} label={words.chooseFile} hint={name ?? words.dropFile} />
        )}
        {table !== undefined && !isTable && <Notice tone="error">{whyUnreadable(words, table)}</Notice>}
        {isTable && (
          <>
            <p role="status">
              {run.state === 'ready'
                ? words.rowsFound(table.rows.length)
                : words.rowsDone(run.at, table.rows.length, run.made, run.changed)}
            </p>
            {faulty.length > 0 && <Faulty rows={faulty} />}
            {run.state === 'broken' && run.fault !== undefined && (
              <Notice tone="error">
                {words.importStopped} <FaultText fault={run.fault} />
              </Notice>
            )}
          </>
        )}
        <div className={layout.buttons}>
          <Button disabled={isBusy} onClick={() => !isBusy && close()}>
            {run.state === 'done' ? words.close : words.cancel}
          </Button>
          {isTable && table.rows.length > 0 && run.state !== 'done' && (
            <Button look="main" busy={isBusy} onClick={() => void bring(table)}>
              {run.state === 'broken' ? words.goOn : words.importRows(table.rows.length)}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

type EmailWords = ReturnType<typeof useEmailWords>;

function whyUnreadable(words: EmailWords, why: Unreadable): string {
  if (typeof why === 'object') return words.unknownColumn(why.unknown);
  return words.unreadable[why](maxRows);
}

function Faulty({ rows }: { readonly rows: readonly FaultyRow[] }) {
  const words = useEmailWords();
  return (
    <Notice tone="warning">
      {words.rowsFaulty(rows.length)}
      <ul className={layout.scrolls}>
        {rows.map(({ line, email, why, value = '' }) => (
          <li key={`${line}`} className={layout.wraps}>
            {words.lineOf(line)} <bdi>{email}</bdi>:{' '}
            {typeof why === 'string' ? words.rowFaults[why](value) : <FaultText fault={why} />}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
