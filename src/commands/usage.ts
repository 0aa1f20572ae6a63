/** `carillon usage`: SMS parts by company, user, cost centre and month, for billing, including how many were simulated. */
import { Command, Option } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { printData, printError } from '../foundation/terminal.ts';
import { readUsage, type UsageRow, usageGroups } from '../messages/management/usage.ts';
import type { Api } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { type JsonOption, printList } from './list.ts';

export function usageCommand(): Command {
  return actsAsEither(new Command('usage'), usageAsUser, usage)
    .option('--from <month>', 'first month: 2027-01', monthIn)
    .option('--to <month>', 'last month: 2027-12', monthIn)
    .addOption(
      new Option('--format <format>', 'how to print it').choices(['table', 'csv', 'json']).default('table'),
    );
}

interface UsageOptions extends CallerOptions, JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly format: 'table' | 'csv' | 'json';
}

function monthIn(given: string): string {
  if (/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(given)) return given;
  throw new StartError(`A month must be written as 2027-01, not ${JSON.stringify(given)}.`);
}

/** A sum as the API reports it, without absent values. */
type Sum = Partial<Omit<UsageRow, 'messages' | 'parts'>> & Pick<UsageRow, 'messages' | 'parts'>;

const none = 'Nothing was sent in that time.';
const columns = {
  COMPANY: ({ company }: Sum) => company,
  USER: ({ username = '' }: Sum) => username,
  'COST CENTRE': ({ costCenter = '' }: Sum) => costCenter,
  MONTH: ({ month = '' }: Sum) => month,
  MESSAGES: ({ messages }: Sum) => String(messages),
  PARTS: ({ parts }: Sum) => String(parts),
  SIMULATED: ({ simulated = 0 }: Sum) => String(simulated),
};

async function usageAsUser(api: Api, { from = '2000-01', to = '2099-12', json, format }: UsageOptions) {
  const asked = { from, to, by: usageGroups };
  if (!json && format === 'csv') {
    for await (const text of api.download('/api/v1/usage.csv', asked)) await printData(text);
    return;
  }
  const { usage: sums, more } = await api.get('/api/v1/usage', asked);
  printList(sums, { none, columns }, { json: json || format === 'json' });
  if (!more) return;
  printError('There are more sums, all of them smaller: --format csv has them all.');
  process.exitCode = 1;
}

async function usage({ from = '', to = '', json, format }: UsageOptions): Promise<void> {
  await inStore(async (store) => {
    const rows = await store.read(readUsage, { from, to });
    if (!json && format === 'csv') await printData(csvOf(rows));
    else printList(rows, { none, columns }, { json: json || format === 'json' });
  });
}

const fields = ['company', 'username', 'costCenter', 'month', 'messages', 'parts', 'simulated'] as const;

/** RFC 4180, with a header row. */
function csvOf(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) => fields.map((field) => csvField(String(row[field]))).join(','));
  return `${[fields.join(','), ...lines].join('\r\n')}\r\n`;
}

/** A spreadsheet takes a field that begins with one of `=+-@` for a formula: an apostrophe keeps it text. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[0-9]+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
