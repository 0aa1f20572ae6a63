/** `carillon contacts`: an address book from and to a CSV file. */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { findAddressBook } from '../contacts/address-book.ts';
import { changeManyContacts } from '../contacts/change-contacts.ts';
import * as contacts from '../contacts/csv.ts';
import { type CsvContacts, decodeCsv, readCsv } from '../contacts/csv.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printData, printError, printJson, printProgress } from '../foundation/terminal.ts';
import { isCountryCode } from '../wire/phone-number.ts';
import type { Api } from './api.ts';
import { type CallerOptions, callerApi, withEither } from './as-caller.ts';
import { type JsonOption, jsonOption, printChange } from './list.ts';
import { tellServer } from './tell-server.ts';

export function contactsCommand(): Command {
  const contacts = new Command('contacts');
  withEither(contacts.command('import <file>'))
    .description('bring the contacts of a book to what a CSV file says; those that it does not name stay')
    .requiredOption('--book <name>', 'the address book')
    .option('--company <name>', 'its company, where several have a book of that name')
    .option('--country-code <digits>', 'takes the place of a single leading zero of a phone number')
    .option('--skip-faulty', 'import the other rows when some have faults; without it, all or nothing', false)
    .option('--dry-run', 'tell what would change, and change nothing', false)
    .option(...jsonOption)
    .action(importContacts);
  withEither(contacts.command('export'))
    .description('print the contacts of a book as CSV, as import takes them')
    .requiredOption('--book <name>', 'the address book')
    .option('--company <name>', 'its company, where several have a book of that name')
    .action(exportContacts);
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

/** A first look at what is wrong: whoever mends these finds the rest by the next try. */
const maxListedFaults = 100;

async function importContacts(file: string, options: ImportOptions): Promise<void> {
  const api = await callerApi(options);
  if (api !== undefined) return importAsCaller(api, file, options);
  const { changes, faults } = await readContacts(file, options);
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
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    const bookId = await findAddressBook(store, options.book, options.company);
    const onProgress = progressOf(changes.length);
    const { dryRun } = options;
    const counts = await changeManyContacts(store, bookId, changes, { dryRun, onProgress });
    const skipped = new Set(faults.map(({ line }) => line)).size;
    const [created, changed] = [counts.count('created'), counts.count('changed')];
    tellCounts({ created, changed, unchanged: counts.count('unchanged'), skipped, dryRun }, options);
    if (!dryRun)
      await tellServer(config, { event: 'operator_command', object: `contacts import to ${options.book}` });
  });
}

/** The server reads the file, and knows what a provisioning file has set. */
async function importAsCaller(api: Api, file: string, options: ImportOptions): Promise<void> {
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
    const { created, changed, unchanged, managed, faulty, faults } = preview;
    for (const { line, error } of faults) printError(`line ${line}: ${error}`);
    if (options.json) printJson(preview, 2);
    else tellCounts({ created, changed, unchanged, skipped: faulty, dryRun }, {});
    tellManaged(managed);
    if (faulty > 0 && !skipFaulty) process.exitCode = 1;
  } else {
    const done = await api.upload(path, { ...asked, skipFaulty }, content);
    const { id, created, changed, unchanged, managed, skipped } = done;
    if (options.json) printJson(done, 2);
    else {
      tellCounts({ created, changed, unchanged, skipped, dryRun }, {});
      print(`It is import ${id}, and can be undone for a day: by the API, or in the portal.`);
    }
    tellManaged(managed);
  }
}

function tellManaged(count: number): void {
  if (count > 0) printError(`${count} left as they are, since a provisioning file names them.`);
}

async function ownBookId(api: Api, book: string): Promise<string> {
  const { addressBooks } = await api.get('/api/v1/addressbooks', {});
  const found = addressBooks.find(({ name }) => name === book);
  if (found !== undefined) return found.id;
  throw new StartError(`There is no address book ${book} that the user may read.`);
}

interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly dryRun: boolean;
}

function tellCounts(counts: ImportCounts, options: JsonOption): void {
  const { created, changed, unchanged, skipped, dryRun } = counts;
  const faulty = skipped === 0 ? '' : `, ${skipped} skipped`;
  printChange(counts, [`${created} created, ${changed} changed, ${unchanged} unchanged${faulty}`], options);
  if (dryRun) printError('Dry run: nothing was imported.');
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StartError(`The file ${file} cannot be read: ${(error as Error).message}.`);
  }
}

async function readContacts(file: string, { countryCode }: ImportOptions): Promise<CsvContacts> {
  if (countryCode !== undefined && !isCountryCode(countryCode)) {
    throw new StartError(`A country code is 1 to 4 digits such as 46, not ${JSON.stringify(countryCode)}.`);
  }
  const text = decodeCsv(bytesOf(file));
  if (!text.ok) throw new StartError(`The file ${file} ${text.error}.`);
  return readCsv(text.value, countryCode);
}

/** A log gets none of it. */
function progressOf(total: number): ((done: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return (done) => {
    const percent = Math.floor((100 * done) / total);
    printProgress(`${done} of ${total} contacts (${percent} %)`, done === total);
  };
}

async function exportContacts(options: BookOptions): Promise<void> {
  const api = await callerApi(options);
  if (api !== undefined) {
    const book = await ownBookId(api, options.book);
    for await (const text of api.download('/api/v1/addressbooks/{book}/export', { book }))
      await printData(text);
    return;
  }
  const { book, company } = options;
  await withStore(readConfig(process.env), async (store) => {
    const bookId = await findAddressBook(store, book, company);
    for await (const text of contacts.exportContacts(store, bookId)) {
      await printData(text);
    }
  });
}
