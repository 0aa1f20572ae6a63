/** `carillon usage`: SMS parts by company, user, cost centre and month, for the bill, and how many of them were simulated. */

import { Command, Option } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { StartError } from '../foundation/errors.ts';
import { printData, printJson } from '../foundation/terminal.ts';
import { readUsage, type UsageRow } from '../messages/management/usage.ts';
import { type JsonOption, jsonOption, printTable } from './list.ts';

export function usageCommand(): Command {
  return new Command('usage')
    .option('--from <month>', 'first month: 2027-01')
    .option('--to <month>', 'last month: 2027-12')
    .addOption(
      new Option('--format <format>', 'how to print it').choices(['table', 'csv', 'json']).default('table'),
    )
    .option(...jsonOption)
    .action(usage);
}

interface UsageOptions extends JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly format: 'table' | 'csv' | 'json';
}

async function usage({ from = '', to = '', json, format }: UsageOptions): Promise<void> {
  for (const month of [from, to]) {
    if (month !== '' && !/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month)) {
      throw new StartError(`A month is written as 2027-01, not ${JSON.stringify(month)}.`);
    }
  }
  await withStore(readConfig(process.env), async (store) =>
    printAs[json ? 'json' : format](await store.read(readUsage, { from, to })),
  );
}

const fields = [
  'company',
  'username',
  'costCenter',
  'month',
  'messages',
  'parts',
  'simulated',
] as const satisfies (keyof UsageRow)[];

const printAs = {
  table(rows: readonly UsageRow[]): void {
    const heads = ['COMPANY', 'USER', 'COST CENTRE', 'MONTH', 'MESSAGES', 'PARTS', 'SIMULATED'];
    printTable(
      heads,
      rows.map((row) => fields.map((field) => String(row[field]))),
    );
  },
  /** RFC 4180, with a head. */
  csv(rows: readonly UsageRow[]): Promise<void> {
    const lines = [
      fields.join(','),
      ...rows.map((row) => fields.map((field) => csvField(String(row[field]))).join(',')),
    ];
    return printData(`${lines.join('\r\n')}\r\n`);
  },
  json(rows: readonly UsageRow[]): void {
    printJson(rows, 2);
  },
};

/** A spreadsheet takes a field that begins with one of `=+-@` for a formula: an apostrophe keeps it text. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[0-9]+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
