/** `carillon contacts`: imports and exports an address book as a CSV file. */
import { basename } from 'node:path';
import { Command } from 'commander';
import { findAddressBook } from '../contacts/address-book.ts';
import { changeManyContacts } from '../contacts/change-contacts.ts';
import * as csv from '../contacts/csv.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printData, printError, printProgress } from '../foundation/terminal.ts';
import { countryCodeOf, isCountryCode } from '../wire/phone-number.ts';
import type { Api } from './api.ts';
import { actsAsEither, bytesOf, type CallerOptions, eitherWay, withEither } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { type JsonOption, printChange } from './list.ts';
import { tellServer } from './tell-server.ts';

const ofCompany = [
  '--company <name>',
  'the company of the book, if several have a book of that name',
] as const;

export function contactsCommand(): Command {
  const contacts = new Command('contacts');
  actsAsEither(contacts.command('import <file>'), importAsUser, importContacts)
    .description('update the contacts of a book from a CSV file; contacts that are not in the file stay')
    .requiredOption('--book <name>', 'the address book')
    .option(...ofCompany)
    .option(
      '--country-code <digits>',
      'the country code that replaces a single leading zero of a phone number (default: that of the company)',
    )
    .option(
      '--skip-faulty',
      'import the rows without faults even if others have some; without it, all or nothing',
      false,
    )
    .option('--dry-run', 'report what would change, and change nothing', false);
  withEither(contacts.command('export'))
    .description('print the contacts of a book as CSV that import can read')
    .requiredOption('--book <name>', 'the address book')
    .option(...ofCompany)
    .action(eitherWay(exportAsUser, exportContacts));
  return contacts;
}

interface BookOptions extends CallerOptions {
  readonly book: string;
}

interface ImportOptions extends BookOptions, JsonOption {
  readonly countryCode?: string;
  readonly skipFaulty: boolean;
  readonly dryRun: boolean;
}

/** Enough for a first look; once these are fixed, the next attempt shows the others. */
const maxListedFaults = 100;

async function importContacts(file: string, options: ImportOptions): Promise<void> {
  await inStore(async (store, config) => {
    const book = await findAddressBook(store, options.book, options.company);
    const { changes, faults } = await readContacts(file, countryCodeOf(book, options.countryCode));
    for (const { line, sentence } of faults.slice(0, maxListedFaults)) {
      printError(`line ${line}: ${sentence}`);
    }
    const more = faults.length - maxListedFaults;
    if (more > 0) printError(`and ${more} more faults`);
    if (faults.length > 0 && !(options.skipFaulty && changes.length > 0)) {
      printError('Nothing was imported.');
      process.exitCode = 1;
      return;
    }
    const onProgress = progressOf(changes.length);
    const { dryRun } = options;
    const counts = await changeManyContacts(store, book.id, changes, { dryRun, onProgress });
    const skipped = new Set(faults.map(({ line }) => line)).size;
    const [created, changed] = [counts.count('created'), counts.count('changed')];
    tellCounts({ created, changed, unchanged: counts.count('unchanged'), skipped, dryRun }, options);
    if (!dryRun)
      await tellServer(config, { event: 'operator_command', object: `contacts import to ${options.book}` });
  });
}

/** The server reads the file, and knows the values that a provisioning file has set. */
async function importAsUser(api: Api, file: string, options: ImportOptions): Promise<void> {
  const path = '/api/v1/addressbooks/{book}/import';
  const { skipFaulty, dryRun, countryCode } = options;
  const asked = {
    book: await ownBookId(api, options.book),
    defaultCountryCode: countryCode,
    file: basename(file).slice(0, 200),
  };
  const content = bytesOf(file);
  if (dryRun) {
    const preview = await api.upload(`${path}/preview`, asked, content);
    const { faulty, faults } = preview;
    for (const { line, error } of faults) printError(`line ${line}: ${error}`);
    tellCounts({ ...preview, skipped: faulty, dryRun }, options, preview);
    if (faulty > 0 && !skipFaulty) process.exitCode = 1;
  } else {
    const done = await api.upload(path, { ...asked, skipFaulty }, content);
    tellCounts({ ...done, dryRun }, options, done);
    if (!options.json)
      print(`This is import ${done.id}. It can be undone for a day, through the API or in the portal.`);
  }
}

async function ownBookId(api: Api, book: string): Promise<string> {
  const { addressBooks } = await api.get('/api/v1/addressbooks', {});
  const found = addressBooks.find(({ name }) => name === book);
  if (found !== undefined) return found.id;
  throw new StartError(`There is no address book ${book} that the user may read.`);
}

interface Counts extends Readonly<Record<'created' | 'changed' | 'unchanged' | 'skipped', number>> {
  /** Contacts left unchanged because a provisioning file names them. */
  readonly managed?: number;
  readonly dryRun: boolean;
}

function tellCounts(counts: Counts, options: JsonOption, json: object = counts): void {
  const { created, changed, unchanged, skipped, managed = 0, dryRun } = counts;
  const faulty = skipped === 0 ? '' : `, ${skipped} skipped`;
  printChange(json, [`${created} created, ${changed} changed, ${unchanged} unchanged${faulty}`], options);
  if (dryRun) printError('Dry run: nothing was imported.');
  if (managed > 0) printError(`Left unchanged because a provisioning file names them: ${managed}.`);
}

async function readContacts(file: string, countryCode: string | undefined): Promise<csv.CsvContacts> {
  if (countryCode !== undefined && !isCountryCode(countryCode)) {
    throw new StartError(`A country code is 1 to 4 digits such as 46, not ${JSON.stringify(countryCode)}.`);
  }
  const text = csv.decodeCsv(bytesOf(file));
  if (!text.ok) throw new StartError(`The file ${file} ${text.error}.`);
  return csv.readCsv(text.value, countryCode);
}

/** Shown only on a terminal, so that it never fills a log. */
function progressOf(total: number): ((done: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return (done) => {
    const percent = Math.floor((100 * done) / total);
    printProgress(`${done} of ${total} contacts (${percent} %)`, done === total);
  };
}

async function exportAsUser(api: Api, { book: name }: BookOptions): Promise<void> {
  const book = await ownBookId(api, name);
  for await (const text of api.download('/api/v1/addressbooks/{book}/export', { book }))
    await printData(text);
}

async function exportContacts({ book, company }: BookOptions): Promise<void> {
  await inStore(async (store) => {
    const { id } = await findAddressBook(store, book, company);
    for await (const text of csv.exportContacts(store, id)) await printData(text);
  });
}
