/** `carillon contacts`: an address book from and to a CSV file. */

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { findAddressBook } from '../contacts/address-book.ts';
import { changeManyContacts } from '../contacts/change-contacts.ts';
import * as contacts from '../contacts/csv.ts';
import { type CsvContacts, decodeCsv, readCsv } from '../contacts/csv.ts';
import { StartError } from '../foundation/errors.ts';
import { printData, printError, printProgress } from '../foundation/terminal.ts';
import { isCountryCode } from '../wire/phone-number.ts';
import { type JsonOption, jsonOption, printChange } from './list.ts';
import { tellServer } from './tell-server.ts';

export function contactsCommand(): Command {
  const contacts = new Command('contacts');
  contacts
    .command('import <file>')
    .description('bring the contacts of a book to what a CSV file says; those that it does not name stay')
    .requiredOption('--book <name>', 'the address book')
    .option('--company <name>', 'its company, where several have a book of that name')
    .option('--country-code <digits>', 'takes the place of a single leading zero of a phone number')
    .option('--skip-faulty', 'import the other rows when some have faults; without it, all or nothing', false)
    .option('--dry-run', 'tell what would change, and change nothing', false)
    .option(...jsonOption)
    .action(importContacts);
  contacts
    .command('export')
    .description('print the contacts of a book as CSV, as import takes them')
    .requiredOption('--book <name>', 'the address book')
    .option('--company <name>', 'its company, where several have a book of that name')
    .action(exportContacts);
  return contacts;
}

interface BookOptions {
  readonly book: string;
  readonly company?: string;
}

interface ImportOptions extends BookOptions, JsonOption {
  readonly countryCode?: string;
  readonly skipFaulty: boolean;
  readonly dryRun: boolean;
}

/** A first look at what is wrong: whoever mends these finds the rest by the next try. */
const maxListedFaults = 100;

async function importContacts(file: string, options: ImportOptions): Promise<void> {
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
    const faultyLines = new Set(faults.map(({ line }) => line)).size;
    const skipped = faultyLines === 0 ? '' : `, ${faultyLines} skipped`;
    const outcomes = ['created', 'changed', 'unchanged'] as const;
    const told = outcomes.map((outcome) => [outcome, counts.count(outcome)] as const);
    const sentence = told.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
    printChange(
      { ...Object.fromEntries(told), skipped: faultyLines, dryRun },
      [`${sentence}${skipped}`],
      options,
    );
    if (dryRun) printError('Dry run: nothing was imported.');
    else
      await tellServer(config, { event: 'operator_command', object: `contacts import to ${options.book}` });
  });
}

async function readContacts(file: string, { countryCode }: ImportOptions): Promise<CsvContacts> {
  if (countryCode !== undefined && !isCountryCode(countryCode)) {
    throw new StartError(`A country code is 1 to 4 digits such as 46, not ${JSON.stringify(countryCode)}.`);
  }
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new StartError(`The file ${file} cannot be read: ${(error as Error).message}.`);
  }
  const text = decodeCsv(bytes);
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

async function exportContacts({ book, company }: BookOptions): Promise<void> {
  await withStore(readConfig(process.env), async (store) => {
    const bookId = await findAddressBook(store, book, company);
    for await (const text of contacts.exportContacts(store, bookId)) {
      await printData(text);
    }
  });
}
