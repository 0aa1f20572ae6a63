/** The endpoints of the management API that import people into an address book from a file, and remove them again. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { Budget } from '../../foundation/budget.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { anyMethod, anyMethodBesideLines } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { defaultCountryCode } from '../../http/parameters/country-code.ts';
import { boolean, digits, integer, text } from '../../http/parameters/kinds.ts';
import { textList } from '../../http/parameters/lists.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { countryCodeOf } from '../../wire/phone-number.ts';
import { type FaultCause, faultCauses, shownFault } from '../csv.ts';
import { book } from '../management/contact-endpoints.ts';
import { plainContact, plainContactFields } from '../management/shown-contact.ts';
import { visibleBook } from '../management/visible-books.ts';
import { readJoins } from './file-form.ts';
import {
  type ImportContext,
  type Importing,
  importFile,
  maxConcurrentFiles,
  previewFile,
  undoImport,
  undoneWithinMs,
} from './import-contacts.ts';
import { type ImportOutcome, type ImportState, importStates, listImports } from './import-store.ts';
import { maxRows, maxShownFaults } from './read-file.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Address book';
const path = '/api/v1/addressbooks/{book}';
const maxBodyBytes = 32 * 1_048_576;
const maxColumns = 300;

const fileParameters = {
  book,
  columns: textList({
    get: 'columns',
    maxItems: maxColumns,
    maxLength: 110,
    description:
      'Meaning of each column: `id`, `name`, `phone`, `email`, `app`, `tags`, `tag:role` for the values of one tag type, or `-` to skip it. Default: the names in the first line.',
  }),
  joins: ruled(
    textList({
      get: 'joins',
      maxItems: 20,
      maxLength: 100,
      description:
        'Columns to join, by place, such as `1-2`: their texts, separated by spaces, are the first one’s. In `columns`, the others are `-`.',
    }),
    readJoins,
  ),
  headRow: integer({
    get: 'headRow',
    min: 1,
    max: 100,
    description: 'Line with the names of the columns. Default: the first one.',
  }),
  defaultCountryCode,
  file: text({
    get: 'file',
    default: 'contacts.csv',
    maxLength: 200,
    description: 'Name of the file, shown in the list of imports.',
  }),
} as const;

const bounds = `The file is UTF-8, UTF-16 or Latin-1, its columns are separated by commas, semicolons or tabs, and it has at most ${maxRows} rows and 32 MiB.`;
const lines = 'id;name;phone;tag:role\n9004;Dan Holm;+46701740623;porter\n';

const counts = {
  created: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  managed: Type.Integer({ description: 'Contacts left unchanged because a provisioning file has them.' }),
};
const plain = Type.Optional(Type.Object(plainContactFields, { title: 'PlainContact' }));
const outcome = Type.Unsafe<ImportOutcome>({
  type: 'string',
  enum: ['created', 'changed', 'managed'],
});
const cause = Type.Unsafe<FaultCause>({ type: 'string', enum: [...faultCauses] });

export function importEndpoints(context: ImportContext) {
  const importing = { ...context, files: new Budget(maxConcurrentFiles) };
  return [...previewEndpoints(importing), ...fileEndpoints(importing), ...pastEndpoints(importing)] as const;
}

function previewEndpoints(importing: Importing) {
  return [
    endpoint({
      path: `${path}/import/preview`,
      methods: ['POST'],
      group,
      operation: 'previewImport',
      title: 'Preview an import',
      description: `Reports what importing a CSV file would do, and stores nothing. ${bounds}`,
      example: { url: { book: '11' }, lines },
      credentials: anyMethodBesideLines,
      parameters: fileParameters,
      body: 'lines',
      maxBodyBytes,
      answer: Type.Object({
        encoding: Type.String(),
        delimiter: Type.String(),
        columns: Type.Array(
          Type.Object({
            head: Type.String(),
            field: Type.String(),
            samples: Type.Array(Type.String(), { description: 'From the first rows.' }),
          }),
          { description: 'The columns of the file and their meaning.' },
        ),
        joins: Type.Array(Type.String()),
        headRow: Type.Integer(),
        rows: Type.Integer(),
        ...counts,
        faulty: Type.Integer({ description: 'Rows with errors.' }),
        faults: Type.Array(
          Type.Object({ line: Type.Integer(), error: Type.String(), errorValues: errorContent.values }),
          {
            description: `The first ${maxShownFaults} errors.`,
          },
        ),
        causes: Type.Array(
          Type.Object({
            cause,
            count: Type.Integer({ description: 'Rows.' }),
            lines: Type.Array(Type.Integer(), { description: 'The first of them.' }),
            error: Type.String({ description: 'Error of the first.' }),
            errorValues: errorContent.values,
            countryCode: Type.Optional(
              Type.String({ description: 'Code of most other numbers, with which these would be right.' }),
            ),
          }),
          { description: 'What causes the errors, commonest first.' },
        ),
        changes: Type.Array(Type.Object({ outcome, before: plain, after: plain }), {
          description: 'The first contacts that would be added or changed.',
        }),
      }),
      errors: ['not_found', 'role_missing'],
      async handle(caller, { book, columns, joins, headRow, defaultCountryCode }, call) {
        const countryCode = countryCodeOf(caller, defaultCountryCode);
        const file = { book, bytes: call.lines, columns, joins, headRow, countryCode };
        const { encoding, delimiter, rows, faults, faultyRows, shown, ...preview } = await previewFile(
          importing,
          caller,
          file,
          call.closed,
        );
        const { created, changed, unchanged, managed } = preview;
        return {
          encoding,
          delimiter,
          rows,
          columns: preview.columns.map(({ samples, ...column }) => ({ ...column, samples: [...samples] })),
          joins: [...preview.joins],
          headRow: preview.headRow,
          created,
          changed,
          unchanged,
          managed,
          faulty: faultyRows,
          faults: faults.map((fault) => ({ line: fault.line, ...shownFault(fault) })),
          causes: preview.causes.map(({ said, lines, ...cause }) => ({
            ...cause,
            lines: [...lines],
            ...shownFault({ said }),
          })),
          changes: shown.map(({ outcome, before, after }) => ({
            outcome,
            before: before && plainContact(before),
            after: after && plainContact(after),
          })),
        };
      },
    }),
  ] as const;
}

function fileEndpoints(importing: Importing) {
  return [
    endpoint({
      path: `${path}/import`,
      methods: ['POST'],
      group,
      operation: 'importContacts',
      title: 'Import contacts',
      description: `Updates the contacts of an address book from a CSV file; contacts that the file does not name stay. All rows are checked first: if any has a fault, nothing is imported, unless \`skipFaulty\` is given. The import is done in steps: if a step fails, importing the same file again does the rest. ${bounds} Requires the role companyAdmin.`,
      example: { url: { book: '11', file: 'staff.csv' }, lines },
      credentials: anyMethodBesideLines,
      parameters: {
        ...fileParameters,
        skipFaulty: boolean({
          get: 'skipFaulty',
          default: false,
          description: 'Imports the valid rows even if other rows have errors.',
        }),
      },
      body: 'lines',
      maxBodyBytes,
      answer: Type.Object({
        id: Type.String({ description: 'Id of the import, for undoing it.' }),
        ...counts,
        skipped: Type.Integer({ description: 'Rows with errors.' }),
      }),
      errors: ['not_found', 'role_missing', 'import_interrupted'],
      async handle(caller, { book, columns, joins, headRow, defaultCountryCode, skipFaulty, file }, call) {
        const { id, ...done } = await importFile(importing, caller, {
          book,
          bytes: call.lines,
          columns,
          joins,
          headRow,
          countryCode: countryCodeOf(caller, defaultCountryCode),
          skipFaulty,
          fileName: file,
        });
        return { id: String(id), ...done };
      },
    }),
  ] as const;
}

const state = Type.Unsafe<ImportState>({
  type: 'string',
  enum: [...importStates],
  description:
    'Whether the import is finished. An import that stays `underWay` for a long time was interrupted; it can be undone.',
});

function pastEndpoints(importing: Importing) {
  return [
    endpoint({
      path: `${path}/imports`,
      methods: ['GET'],
      group,
      operation: 'listImports',
      title: 'List imports',
      description:
        'Lists the imports of the last 24 hours, which can be undone, latest first. Requires the role companyAdmin.',
      example: { url: { book: '11' } },
      credentials: anyMethod,
      parameters: { book, ...pageParameters },
      answer: Type.Object({
        imports: Type.Array(
          Type.Object({
            id: Type.String(),
            time: Type.String({ description: 'ISO 8601, UTC.' }),
            username: Type.String(),
            file: Type.String(),
            state,
            created: Type.Integer(),
            changed: Type.Integer(),
          }),
        ),
        next: nextOf('imports'),
      }),
      errors: ['not_found', 'role_missing'],
      async handle(caller, { book, after, limit }) {
        const { store, clock } = importing;
        const { id: bookId } = await visibleBook(store, caller, book);
        requireRole(caller, 'companyAdmin');
        const since = clock.now() - undoneWithinMs;
        const page = { bookId, since, before: after?.id ?? null, limit: limit + 1 };
        const { items, next } = pageOf(await store.read(listImports, page), limit, ({ id }) => String(id));
        return {
          imports: items.map(({ id, at, username, fileName, state, created, changed }) => ({
            id: String(id),
            time: new Date(at).toISOString(),
            username,
            file: fileName,
            state: importStates[state] ?? 'underWay',
            created,
            changed,
          })),
          next,
        };
      },
    }),
    endpoint({
      path: `${path}/imports/{id}/undo`,
      methods: ['POST'],
      group,
      operation: 'undoImport',
      title: 'Undo an import',
      description:
        'Reverts what an import of the last 24 hours added and changed. Contacts changed since then stay as they are. Requires the role companyAdmin.',
      example: { url: { book: '11', id: '1' }, json: {} },
      credentials: anyMethod,
      parameters: { book, id: digits({ get: 'id', required: true, description: 'Id of the import.' }) },
      answer: Type.Object({
        undone: Type.Integer({ description: 'Contacts restored.' }),
        kept: Type.Integer({
          description: 'Contacts left alone because they were changed or removed since.',
        }),
      }),
      errors: ['not_found', 'role_missing'],
      handle: (caller, input) => undoImport(importing, caller, input),
    }),
  ] as const;
}
