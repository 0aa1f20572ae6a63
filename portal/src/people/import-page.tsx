/**
 * Imports people from a file. The file is dropped, previewed and imported, and the import can be undone if it was the wrong
 * file.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { postFile } from '../api/client.ts';
import type { Fault } from '../api/fault.ts';
import { BackLink, Button } from '../design/button.tsx';
import { CountryCodeField } from '../design/country-code-field.tsx';
import { CheckField } from '../design/field.tsx';
import { FileDrop } from '../design/file-drop.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useLanguage } from '../words/language.ts';
import { type FileColumns, ImportColumns, ImportPreview, type Preview } from './import-preview.tsx';
import { PastImports } from './past-imports.tsx';
import { usePeopleWords } from './texts.ts';

const previewPath = '/api/v1/addressbooks/{book}/import/preview';
const importPath = '/api/v1/addressbooks/{book}/import';
const maxBytes = 32 * 1_048_576;

interface Looking {
  readonly file: File;
  readonly preview?: Preview;
  /** Set even if the file can't be imported with these columns. */
  readonly columns?: FileColumns;
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

/** A file being imported: it is previewed, perhaps with other columns, and then imported. */
function useFileImport(book: string, countryCode: string, skipFaulty: boolean) {
  const words = usePeopleWords();
  const client = useQueryClient();
  const [looking, setLooking] = useState<Looking>();
  const [busy, setBusy] = useState<'looking' | 'importing'>();
  const [isTooLarge, setTooLarge] = useState(false);
  const parameters = (columns: FileColumns | undefined) => ({
    book,
    defaultCountryCode: countryCode,
    columns: columns?.map(({ field }) => field),
  });

  async function look(file: File, columns?: FileColumns): Promise<void> {
    setTooLarge(file.size > maxBytes);
    if (file.size > maxBytes) return;
    setBusy('looking');
    try {
      const preview = await postFile(previewPath, parameters(columns), file);
      setLooking({ file, preview, columns: preview.columns });
    } catch (error) {
      const fault = error as Fault;
      const known = fault.body?.columns as FileColumns | undefined;
      setLooking({ file, fault, ...(known && { columns: known }) });
    } finally {
      setBusy(undefined);
    }
  }

  async function bring({ file, columns }: Looking): Promise<void> {
    setBusy('importing');
    try {
      const given = { ...parameters(columns), skipFaulty, file: file.name.slice(0, 200) };
      const { created, changed } = await postFile(importPath, given, file);
      showToast({ text: words.imported(words.created(created), words.changedCount(changed)) });
      setLooking(undefined);
    } catch (error) {
      setLooking({ file, ...(columns && { columns }), fault: error as Fault });
    } finally {
      setBusy(undefined);
      await client.invalidateQueries();
    }
  }

  return { looking, busy, isTooLarge, look, bring };
}

function Importing({ book }: { readonly book: string }) {
  const words = usePeopleWords();
  const ofCompany = useSession().company.countryCode;
  const guessed = useLanguage() === 'sv' ? '46' : '';
  const [countryCode, setCountryCode] = useState(ofCompany === undefined ? guessed : '');
  const [skipFaulty, setSkipFaulty] = useState(false);
  const { looking, busy, isTooLarge, look, bring } = useFileImport(book, countryCode, skipFaulty);
  return (
    <Card>
      <div className={layout.stack}>
        <FileDrop
          take={(file) => void look(file)}
          label={words.choose}
          hint={looking?.file.name ?? words.drop}
          look={looking === undefined ? 'main' : 'plain'}
        />
        {isTooLarge && <Notice tone="error">{words.tooLarge}</Notice>}
        <div className={layout.narrow}>
          <CountryCodeField
            value={countryCode}
            change={setCountryCode}
            ofCompany={ofCompany}
            onBlur={() => looking && void look(looking.file, looking.columns)}
          />
        </div>
        {busy !== undefined && (
          <div>
            {busy === 'looking' ? words.looking : words.importing}
            <SkeletonRows count={2} />
          </div>
        )}
        <FaultNotice fault={looking?.fault} />
        {looking?.columns !== undefined && (
          <ImportColumns columns={looking.columns} change={(columns) => void look(looking.file, columns)} />
        )}
        {looking?.preview !== undefined && busy === undefined && (
          <>
            <ImportPreview preview={looking.preview} />
            {looking.preview.faulty > 0 && looking.preview.created + looking.preview.changed > 0 && (
              <CheckField
                label={words.skipFaulty}
                checked={skipFaulty}
                onChange={({ target }) => setSkipFaulty(target.checked)}
              />
            )}
            <Begin preview={looking.preview} skipFaulty={skipFaulty} begin={() => void bring(looking)} />
          </>
        )}
      </div>
    </Card>
  );
}

interface BeginProps {
  readonly preview: Preview;
  readonly skipFaulty: boolean;
  readonly begin: () => void;
}

function Begin({ preview: { created, changed, faulty }, skipFaulty, begin }: BeginProps) {
  const words = usePeopleWords();
  if (created + changed === 0) return faulty === 0 && <Notice>{words.nothingToImport}</Notice>;
  return (
    <div className={layout.buttons}>
      <Button
        look="main"
        disabled={faulty > 0 && !skipFaulty}
        onClick={() => (faulty === 0 || skipFaulty) && begin()}
      >
        {words.doImport(created + changed)}
      </Button>
    </div>
  );
}
