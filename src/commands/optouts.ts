/** `carillon optouts`: lists, adds, removes, imports and exports the opt-outs of a company, as one of its administrators. */
import { Command, Option } from 'commander';
import { printData, printError } from '../foundation/terminal.ts';
import {
  type OptOutCategory,
  type OptOutSource,
  optOutCategories,
  optOutSources,
} from '../opt-outs/opt-out.ts';
import type { AnswerOf } from './api.ts';
import { bytesOf, type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { instant, type JsonOption, jsonOption, limitOption, printChange, printList } from './list.ts';

const path = '/api/v1/optouts';

export function optoutsCommand(): Command {
  const optOuts = new Command('optouts');
  acting(optOuts.command('list [number]'))
    .description('show who wants no SMS from the company, latest first, or the opt-outs of one number')
    .addOption(ofCategory())
    .addOption(ofSource())
    .addOption(limitOption(100, 100_000))
    .action(list);
  acting(optOuts.command('add <number>'))
    .description('add an opt-out; one that is there stays as it is')
    .addOption(ofCategory().default('all'))
    .option('--since <time>', 'since when, with zone: 2026-01-31T08:00:00+01:00')
    .option('--proof <text>', 'how it is known')
    .action(add);
  acting(optOuts.command('remove <number>'))
    .description('remove the opt-outs of a number')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .addOption(ofCategory())
    .action(remove);
  acting(optOuts.command('import <file>'))
    .description('add opt-outs from a CSV file with a column `number`')
    .option('--country-code <digits>', 'replaces a single leading zero (default: that of the company)')
    .option('--skip-faulty', 'add the rows without faults even if others have some', false)
    .option('--dry-run', 'report what would be added, and add nothing', false)
    .action(importFile);
  withCaller(optOuts.command('export'))
    .description('print the opt-outs as CSV that import can read')
    .addOption(ofCategory())
    .addOption(ofSource())
    .action(exportAll);
  return optOuts;
}

const acting = (command: Command) => withCaller(command).option(...jsonOption);
const ofCategory = () => new Option('--category <category>').choices(optOutCategories);
const ofSource = () => new Option('--source <source>').choices(optOutSources);

interface Filter {
  readonly category?: OptOutCategory;
  readonly source?: OptOutSource;
}
type Options = CallerOptions & JsonOption;

type Listed = AnswerOf<'GET', '/api/v1/optouts'>['optOuts'][number];
const columns = {
  NUMBER: ({ number }: Listed) => number ?? '(erased)',
  NAME: ({ name }: Listed) => name ?? '',
  CATEGORY: ({ category }: Listed) => category,
  SINCE: ({ since }: Listed) => instant(since),
  SOURCE: ({ source }: Listed) => source,
  BY: ({ addedBy }: Listed) => addedBy ?? '',
  PROOF: ({ proof }: Listed) => proof ?? '',
};
const shape = { none: 'There are no opt-outs.', columns };

async function list(number: string | undefined, options: Options & Filter & { readonly limit: number }) {
  const api = await requireCallerApi(options);
  const { category, source, limit } = options;
  printList(await api.list(path, 'optOuts', limit, { number, category, source }), shape, options);
}

async function add(
  number: string,
  options: Options & Filter & { readonly since?: string; readonly proof?: string },
) {
  const api = await requireCallerApi(options);
  const { category, since, proof } = options;
  const made = await api.post(path, { number, category, since, proof });
  const said = made.added ? 'has opted out' : 'had opted out before';
  printChange(made, [`${made.number ?? number} ${said}: ${made.category}, since ${made.since}.`], options);
}

async function remove(number: string, options: Options & Filter & { readonly reason: string }) {
  const api = await requireCallerApi(options);
  const { category, reason } = options;
  const found = await api.list(path, 'optOuts', Infinity, { number, category });
  for (const { id } of found) await api.remove(`${path}/{id}`, { id, reason });
  const categories = found.map((one) => one.category);
  const said = found.length === 0 ? 'There was no such opt-out.' : `Removed: ${categories.join(', ')}.`;
  printChange({ removed: categories }, [said], options);
}

interface ImportOptions extends Options {
  readonly countryCode?: string;
  readonly skipFaulty: boolean;
  readonly dryRun: boolean;
}

async function importFile(file: string, options: ImportOptions): Promise<void> {
  const api = await requireCallerApi(options);
  const { countryCode: defaultCountryCode, skipFaulty, dryRun } = options;
  const asked = { defaultCountryCode, skipFaulty, dryRun };
  const done = await api.upload(`${path}/import`, asked, bytesOf(file));
  const { added, unchanged, faulty, faults } = done;
  for (const { line, cause } of faults) printError(`line ${line}: ${cause}`);
  const skipped = faulty === 0 ? '' : `, ${faulty} with faults`;
  printChange(done, [`${added} added, ${unchanged} there before${skipped}`], options);
  if (dryRun) printError('Dry run: nothing was added.');
  if (faulty > 0 && !skipFaulty) process.exitCode = 1;
}

async function exportAll(options: CallerOptions & Filter): Promise<void> {
  const api = await requireCallerApi(options);
  const { category, source } = options;
  for await (const text of api.download(`${path}.csv`, { category, source })) await printData(text);
}
