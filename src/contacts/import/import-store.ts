/** All SQL for imports. An import's additions and changes are recorded for a day, so that it can be undone. */
import { byUser, recordAct } from '../../audit/audit-log.ts';
import { amongUnlocked, sql } from '../../storage/sql.ts';
import { bigint, StoredRecord, text } from '../../storage/stored-record.ts';
import { inTurns, readVerb, singleWriteVerb, snapshotVerb } from '../../storage/verb.ts';
import type { BookQuery } from '../address-book.ts';
import { lockBook, lockBooks } from '../book-records.ts';
import { type Contact, versionOf } from '../contact.ts';
import { type ContactChanges, findContacts, readContacts, writeEdits } from '../contact-store.ts';
import { type ContactEdit, type ContactOutcome, compareContacts } from '../known-contacts.ts';
import type { BookChange } from '../management/visible-books.ts';
import { leaseSome } from '../tags.ts';

/** `managed` means that the contact would change, but a provisioning file names it. */
export type ImportOutcome = ContactOutcome | 'managed';

function outcomeOf({ outcome, before }: ContactEdit): ImportOutcome {
  return outcome === 'changed' && before?.managedBy !== undefined ? 'managed' : outcome;
}

export interface ShownChange {
  readonly outcome: ImportOutcome;
  readonly before: Contact | undefined;
  readonly after: Contact | undefined;
}

/** The outcome of an import, with the first contacts that it would change. */
export const previewImport = inTurns(
  snapshotVerb(
    'contacts.previewImport',
    async (reading, { bookId, changes, shown }: ContactChanges & BookQuery & { readonly shown: number }) => {
      const edits = compareContacts(await findContacts(reading, bookId, changes), changes);
      const all = edits.map((edit): ShownChange => ({ ...edit, outcome: outcomeOf(edit) }));
      return {
        outcomes: all.map(({ outcome }) => outcome),
        shown: all.filter(({ outcome }) => outcome !== 'unchanged').slice(0, shown),
      };
    },
  ),
  ({ owner }) => owner,
);

export const importStates = ['underWay', 'done', 'undone'] as const;
export type ImportState = (typeof importStates)[number];

/** Returns the import's id; undefined when its book was removed. */
export const beginImport = singleWriteVerb(
  'contacts.beginImport',
  async (transaction, { bookId, fileName, ...by }: BookChange & { readonly fileName: string }) => {
    if (!(await lockBook(transaction, bookId))) return undefined;
    const id = await leaseSome(transaction, 'contactImport', 1);
    await transaction.run(
      sql`INSERT INTO contact_imports (book_id, id, at, username, file_name, state, created, changed)
          VALUES (${bookId}, ${id}, ${by.now}, ${by.username}, ${fileName}, 0, 0, 0)`,
    );
    await recordAct(transaction, {
      companyId: by.companyId,
      at: by.now,
      by: byUser(by),
      act: 'contacts.import',
      object: fileName,
      details: { sentence: 'in_import', book: bookId, id },
    });
    return id;
  },
);

const rowColumns = {
  book_id: 'bigint',
  import_id: 'bigint',
  contact_id: 'bigint',
  before_json: 'text',
  version: 'text',
} as const;

const keepingFirst = 'ON CONFLICT (book_id, import_id, contact_id) DO UPDATE SET version = excluded.version';

export interface ImportedSet extends ContactChanges {
  readonly importId: number;
}

/** Undefined when the import was undone or its book removed in the meantime. */
export const importSet = singleWriteVerb(
  'contacts.importSet',
  async (
    transaction,
    { bookId, importId, changes }: ImportedSet,
  ): Promise<readonly ImportOutcome[] | undefined> => {
    await lockBooks(transaction, [bookId]);
    const underWay = await transaction.first(
      sql`SELECT id FROM contact_imports WHERE book_id = ${bookId} AND id = ${importId} AND state = 0`,
    );
    if (underWay === undefined) return undefined;
    const all = compareContacts(await findContacts(transaction, bookId, changes), changes);
    const edits = all.filter((edit) => outcomeOf(edit) !== 'managed');
    const made = await writeEdits(transaction, bookId, edits);
    const changed = edits.flatMap(({ outcome, before, after }) =>
      outcome === 'changed' && before !== undefined && after !== undefined ? [{ before, after }] : [],
    );
    const rows = [
      ...made.map((contact) => [bookId, importId, contact.id, null, versionOf(contact)]),
      ...changed.map(({ before, after }) => [
        ...[bookId, importId, before.id],
        ...[JSON.stringify(before), versionOf(after)],
      ]),
    ];
    // Distant rows may refer to the same contact, by its id and by its number; the first state is kept, so an undo restores
    // the original.
    await transaction.insert('contact_import_rows', rowColumns, rows, keepingFirst);
    await transaction.run(
      sql`UPDATE contact_imports SET created = created + ${made.length}, changed = changed + ${changed.length}
          WHERE book_id = ${bookId} AND id = ${importId}`,
    );
    return all.map(outcomeOf);
  },
  ({ changes }) => changes.reduce((sum, { tags }) => sum + 4 + (tags?.length ?? 0), 0),
);

interface OneImport {
  readonly bookId: number;
  readonly importId: number;
}

export const endImport = singleWriteVerb(
  'contacts.endImport',
  async (transaction, { bookId, importId }: OneImport): Promise<void> => {
    await transaction.run(
      sql`UPDATE contact_imports SET state = 1 WHERE book_id = ${bookId} AND id = ${importId} AND state = 0`,
    );
  },
);

/** Whether such an import exists, from `since` or later. */
export const beginUndo = singleWriteVerb(
  'contacts.beginUndo',
  async (
    transaction,
    { bookId, importId, since, ...by }: BookChange & OneImport & { readonly since: number },
  ): Promise<boolean> => {
    await lockBooks(transaction, [bookId]);
    const found = await transaction.first<{ file_name: string; state: number }>(
      sql`SELECT file_name, state FROM contact_imports WHERE book_id = ${bookId} AND id = ${importId} AND at >= ${since}`,
    );
    if (found === undefined) return false;
    // An interrupted undo continues where it stopped.
    if (found.state === 2) return true;
    await transaction.run(
      sql`UPDATE contact_imports SET state = 2 WHERE book_id = ${bookId} AND id = ${importId}`,
    );
    await recordAct(transaction, {
      companyId: by.companyId,
      at: by.now,
      by: byUser(by),
      act: 'contacts.undoImport',
      object: found.file_name,
      details: { sentence: 'in_import', book: bookId, id: importId },
    });
    return true;
  },
);

export interface UndoneSet {
  /** 0 when everything has been undone. */
  readonly looked: number;
  readonly undone: number;
}

/** A contact that was changed since stays as it is. */
export const undoSet = singleWriteVerb(
  'contacts.undoSet',
  async (
    transaction,
    { bookId, importId, limit }: OneImport & { readonly limit: number },
  ): Promise<UndoneSet> => {
    await lockBooks(transaction, [bookId]);
    const rows = await transaction.all<{ contact_id: number; before_json: string | null; version: string }>(
      sql`SELECT contact_id, before_json, version FROM contact_import_rows
          WHERE book_id = ${bookId} AND import_id = ${importId} ORDER BY contact_id LIMIT ${limit}`,
    );
    const ids = rows.map(({ contact_id }) => contact_id);
    const contacts = new Map((await readContacts(transaction, bookId, ids)).map((one) => [one.id, one]));
    const edits = rows.flatMap(({ contact_id, before_json, version }): readonly ContactEdit[] => {
      const now = contacts.get(contact_id);
      if (now === undefined || now.managedBy !== undefined || versionOf(now) !== version) return [];
      return before_json === null
        ? [{ outcome: 'removed', before: now, after: undefined }]
        : [{ outcome: 'changed', before: now, after: contactOf(before_json) }];
    });
    await writeEdits(transaction, bookId, edits);
    await transaction.run(
      sql`DELETE FROM contact_import_rows WHERE book_id = ${bookId} AND import_id = ${importId}
            AND contact_id <= ${ids.at(-1) ?? 0}`,
    );
    return { looked: rows.length, undone: edits.length };
  },
  ({ limit }) => limit,
);

/** Undefined values are missing from the JSON. */
function contactOf(json: string): Contact {
  const { externalId, name, phone, email, app, tags } = JSON.parse(json) as Contact;
  return { externalId, name, phone, email, app, tags };
}

const listedImport = new StoredRecord({
  id: bigint,
  at: bigint,
  username: text,
  fileName: text,
  state: bigint,
  created: bigint,
  changed: bigint,
});

interface ImportPage {
  readonly bookId: number;
  readonly since: number;
  readonly before: number | null;
  readonly limit: number;
}

/** Latest first. */
export const listImports = readVerb(
  'contacts.listImports',
  (reading, { bookId, since, before, limit }: ImportPage) =>
    listedImport.all(reading)`
      FROM contact_imports
      WHERE book_id = ${bookId} AND id < ${before ?? Number.MAX_SAFE_INTEGER} AND at >= ${since}
      ORDER BY id DESC LIMIT ${limit}`,
);

/** Removes the previous values of contacts once their import can't be undone any more. Returns the number of rows removed. */
export const purgeImports = singleWriteVerb(
  'contacts.purgeImports',
  async (transaction, { before, limit }: { readonly before: number; readonly limit: number }) => {
    const [old] = await transaction.all<{ book_id: number; id: number }>(
      sql`SELECT book_id, id FROM contact_imports WHERE at < ${before} ORDER BY at LIMIT 1`,
    );
    if (old === undefined) return 0;
    const rows = await transaction.run(
      sql`DELETE FROM contact_import_rows WHERE ${amongUnlocked(
        'book_id, import_id, contact_id',
        sql`contact_import_rows WHERE book_id = ${old.book_id} AND import_id = ${old.id} LIMIT ${limit}`,
      )}`,
    );
    if (rows === limit) return rows;
    await transaction.run(sql`DELETE FROM contact_imports WHERE book_id = ${old.book_id} AND id = ${old.id}`);
    return rows + 1;
  },
  ({ limit }) => limit,
);
