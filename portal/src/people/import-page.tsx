/**
 * Imports people from a file, in four steps: the file, its columns, a check, and the import, which can be undone if it was the
 * wrong file.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { postFile } from '../api/client.ts';
import type { Fault } from '../api/fault.ts';
import { BackLink, Button } from '../design/button.tsx';
import { CountryCodeField } from '../design/country-code-field.tsx';
import { CheckField, TextField } from '../design/field.tsx';
import { FileDrop } from '../design/file-drop.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { language } from '../words/language.ts';
import {
  Counts,
  type FileColumns,
  ImportColumns,
  ImportPreview,
  type Preview,
  tellPeople,
} from './import-preview.tsx';
import { PastImports } from './past-imports.tsx';
import styles from './people.module.css';
import { usePeopleWords } from './texts.ts';

const previewPath = '/api/v1/addressbooks/{book}/import/preview';
const importPath = '/api/v1/addressbooks/{book}/import';
const maxBytes = 32 * 1_048_576;

/** What the user has chosen. What is undefined is guessed by the server. */
interface Choices {
  readonly file: File;
  readonly headRow?: number | undefined;
  readonly columns?: FileColumns | undefined;
  readonly joins?: readonly string[] | undefined;
  readonly countryCode: string;
}

interface Looking extends Choices {
  readonly preview?: Preview | undefined;
  readonly fault?: Fault;
}

export function ImportPage() {
  const words = usePeopleWords();
  const { book } = useParams({ from: '/people/$book/import' });
  return (
    <Page
      title={words.importTitle}
      lead={words.importLead}
      back={
        <BackLink to="/people" search={{ book }}>
          {words.back}
        </BackLink>
      }
    >
      <Importing book={book} />
      <PastImports book={book} />
    </Page>
  );
}

/** A file being imported: it is previewed, perhaps with other choices, and then imported. */
function useFileImport(book: string) {
  const words = usePeopleWords();
  const client = useQueryClient();
  const [looking, setLooking] = useState<Looking>();
  const [busy, setBusy] = useState<'looking' | 'importing'>();
  const wanted = useRef<Choices>(undefined);
  const isRunning = useRef(false);
  const parameters = ({ headRow, columns, joins, countryCode }: Choices) => ({
    book,
    headRow,
    joins: joins && [...joins],
    defaultCountryCode: countryCode,
    columns: columns?.map(({ field }) => field),
  });

  async function lookOnce(choices: Choices): Promise<Looking> {
    const { file, countryCode } = choices;
    try {
      const preview = await postFile(previewPath, parameters(choices), file);
      const { headRow, columns, joins } = preview;
      return { file, countryCode, headRow, columns, joins, preview };
    } catch (error) {
      const fault = error as Fault;
      const known = fault.body?.columns === undefined ? {} : (fault.body as Partial<Looking>);
      const { headRow = choices.headRow, columns = choices.columns, joins = choices.joins } = known;
      // There is a title above the names of the columns.
      if (choices.headRow === undefined && headRow !== undefined && headRow > 1)
        return lookOnce({ file, countryCode, headRow });
      return { file, countryCode, headRow, columns, joins, fault };
    }
  }

  /** Choices made during a preview wait; when it ends, only the latest are previewed. */
  async function look(choices: Choices): Promise<void> {
    setLooking((before) => ({
      ...choices,
      preview: before?.file === choices.file ? before.preview : undefined,
    }));
    wanted.current = choices;
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy('looking');
    for (let next: Choices | undefined = choices; next !== undefined; next = wanted.current) {
      wanted.current = undefined;
      const result = await lookOnce(next);
      if (wanted.current === undefined) setLooking(result);
    }
    isRunning.current = false;
    setBusy(undefined);
  }

  async function bring(choices: Looking, skipFaulty: boolean): Promise<void> {
    setBusy('importing');
    try {
      const given = { ...parameters(choices), skipFaulty, file: choices.file.name.slice(0, 200) };
      const { created, changed } = await postFile(importPath, given, choices.file);
      showToast({ text: words.imported(words.created(created), words.changedCount(changed)) });
      setLooking(undefined);
    } catch (error) {
      setLooking({ ...choices, fault: error as Fault });
    } finally {
      setBusy(undefined);
      await client.invalidateQueries();
    }
  }

  return { looking, busy, look, bring };
}

const steps = ['file', 'columns', 'check', 'import'] as const;
type Step = (typeof steps)[number];

function Importing({ book }: { readonly book: string }) {
  const words = usePeopleWords();
  const [step, setStep] = useState<Step>('file');
  const [skipFaulty, setSkipFaulty] = useState(false);
  const { looking, busy, look, bring } = useFileImport(book);
  const shown = looking === undefined ? 'file' : step;
  const again = (more: Partial<Choices>) => {
    if (looking === undefined) return;
    const { file, headRow, columns, joins, countryCode } = looking;
    void look({ file, headRow, columns, joins, countryCode, ...more });
  };
  const begin = (choices: Choices) => {
    setStep('file');
    setSkipFaulty(false);
    void look(choices);
  };
  const preview = looking?.preview;
  const count = preview === undefined ? 0 : preview.created + preview.changed;
  const isReady = count > 0 && (preview?.faulty === 0 || skipFaulty);
  const mayGoTo: Readonly<Record<Step, boolean>> = {
    file: true,
    columns: looking?.columns !== undefined,
    check: looking?.preview !== undefined,
    import: isReady && busy === undefined,
  };
  return (
    <Card>
      <div className={layout.stack}>
        <Rail step={shown} mayGoTo={mayGoTo} go={setStep} />
        {shown === 'file' && <FileStep looking={looking} look={begin} again={again} />}
        {busy !== undefined && (
          <div role="status">
            {busy === 'looking' ? words.looking : words.importing}
            {preview === undefined && <SkeletonRows count={2} />}
          </div>
        )}
        {shown === 'columns' && looking?.columns !== undefined && (
          <ImportColumns columns={looking.columns} joins={looking.joins ?? []} change={again} />
        )}
        {shown === 'check' && looking !== undefined && (
          <CheckStep looking={looking} again={again} skipFaulty={skipFaulty} setSkipFaulty={setSkipFaulty} />
        )}
        <LookFault fault={looking?.fault} columns={looking?.columns} tryAgain={() => again({})} />
        {shown === 'import' && preview !== undefined && looking !== undefined ? (
          <>
            <Counts preview={preview} skips />
            <Buttons>
              <Button
                look="main"
                busy={busy !== undefined}
                disabled={!isReady}
                onClick={() => isReady && void bring(looking, skipFaulty)}
              >
                {words.doImport(count)}
              </Button>
            </Buttons>
          </>
        ) : (
          looking !== undefined && <Next step={shown} mayGoTo={mayGoTo} go={setStep} />
        )}
      </div>
    </Card>
  );
}

/** Why a file can't be looked at or imported. */
function LookFault({
  fault,
  columns,
  tryAgain,
}: Pick<Looking, 'columns'> & { readonly fault: Fault | undefined; readonly tryAgain: () => void }) {
  const words = usePeopleWords();
  if (fault === undefined) return null;
  if (columns !== undefined && !tellPeople(columns)) return <Notice tone="warning">{words.needsKey}</Notice>;
  return <FaultNotice fault={fault} {...(!fault.isRefusal && { tryAgain })} />;
}

interface Walk {
  readonly step: Step;
  readonly mayGoTo: Readonly<Record<Step, boolean>>;
  readonly go: (step: Step) => void;
}

/** The four steps, and how far one has come. */
function Rail({ step, mayGoTo, go }: Walk) {
  const words = usePeopleWords();
  const current = useRef<HTMLButtonElement>(null);
  const before = useRef(step);
  // The button that led here is gone, so the focus goes to the step.
  useEffect(() => {
    if (before.current !== step) current.current?.focus();
    before.current = step;
  }, [step]);
  return (
    <nav aria-label={words.steps}>
      <ol className={`${styles.rail} ${layout.row}`}>
        {steps.map((one, at) => (
          <li key={one}>
            <Button
              small
              look="quiet"
              ref={one === step ? current : null}
              aria-current={one === step ? 'step' : undefined}
              disabled={!mayGoTo[one]}
              onClick={() => mayGoTo[one] && go(one)}
            >
              {at + 1} {words.stepNames[one]}
            </Button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Next({ step, mayGoTo, go }: Walk) {
  const words = usePeopleWords();
  const next = steps[steps.indexOf(step) + 1];
  if (next === undefined) return null;
  return (
    <Buttons>
      <Button look="main" disabled={!mayGoTo[next]} onClick={() => mayGoTo[next] && go(next)}>
        {words.nextStep(words.stepNames[next])}
      </Button>
    </Buttons>
  );
}

function Buttons({ children }: { readonly children: ReactNode }) {
  return <div className={layout.buttons}>{children}</div>;
}

interface StepProps {
  readonly again: (more: Partial<Choices>) => void;
}

function FileStep({
  looking,
  look,
  again,
}: StepProps & { readonly looking: Looking | undefined; readonly look: (choices: Choices) => void }) {
  const words = usePeopleWords();
  const [isTooLarge, setTooLarge] = useState(false);
  const ofCompany = useSession().company.countryCode;
  const guessed = language === 'sv' ? '46' : '';
  const countryCode = ofCompany === undefined ? guessed : '';
  const take = (file: File) => {
    setTooLarge(file.size > maxBytes);
    if (file.size <= maxBytes) look({ file, countryCode: looking?.countryCode ?? countryCode });
  };
  const preview = looking?.preview;
  // A file may name another separator in its first line.
  const delimiters: Readonly<Partial<Record<string, string>>> = words.delimiters;
  return (
    <>
      <FileDrop
        take={take}
        label={words.choose}
        hint={looking?.file.name ?? words.drop}
        look={looking === undefined ? 'main' : 'plain'}
      />
      {isTooLarge && <Notice tone="error">{words.tooLarge}</Notice>}
      {preview !== undefined && (
        <p>
          <strong>{words.rows(preview.rows)}</strong>{' '}
          <span className={layout.soft}>
            {words.readAs(preview.encoding.toUpperCase(), delimiters[preview.delimiter] ?? preview.delimiter)}
          </span>
        </p>
      )}
      {looking?.headRow !== undefined && (
        <div className={layout.narrow}>
          <TextField
            type="number"
            label={words.headRow}
            hint={words.headRowHint}
            min={1}
            max={100}
            defaultValue={looking.headRow}
            onChange={({ target }) => {
              if (target.validity.valid && target.value !== '')
                again({ headRow: Number(target.value), columns: undefined, joins: undefined });
            }}
          />
        </div>
      )}
    </>
  );
}

function CheckStep({
  looking,
  again,
  skipFaulty,
  setSkipFaulty,
}: StepProps & {
  readonly looking: Looking;
  readonly skipFaulty: boolean;
  readonly setSkipFaulty: (skipFaulty: boolean) => void;
}) {
  const words = usePeopleWords();
  const { preview, countryCode } = looking;
  return (
    <>
      <div className={layout.narrow}>
        <CountryCodeField
          value={countryCode}
          change={(code) => again({ countryCode: code })}
          ofCompany={useSession().company.countryCode}
        />
      </div>
      {preview !== undefined && (
        <>
          <ImportPreview preview={preview} mend={(code) => again({ countryCode: code })} />
          {preview.faulty > 0 && preview.created + preview.changed > 0 && (
            <CheckField
              label={words.skipFaulty}
              checked={skipFaulty}
              onChange={({ target }) => setSkipFaulty(target.checked)}
            />
          )}
          {preview.created + preview.changed === 0 && preview.faulty === 0 && (
            <Notice>{words.nothingToImport}</Notice>
          )}
        </>
      )}
    </>
  );
}
