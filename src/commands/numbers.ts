/** `carillon numbers`: which numbers phones can answer to, and whose the answers are. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { listNumbers, type NumberRecord } from '../routing/number-records.ts';
import { type JsonOption, jsonOption, printList } from './list.ts';

export function numbersCommand(): Command {
  return new Command('numbers').option(...jsonOption).action(list);
}

async function list(options: JsonOption): Promise<void> {
  const none = 'There are no numbers: nobody can be answered.';
  const columns = { NUMBER: ({ number }: NumberRecord) => number, USE: useOf };
  const toJson = ({ number, pool, rentedBy, company }: NumberRecord) => ({
    number,
    pool,
    rentedBy: rentedBy ?? null,
    company: company ?? null,
  });
  await withStore(readConfig(process.env), async (store) =>
    printList(await store.read(listNumbers, null), { none, columns, toJson }, options),
  );
}

function useOf({ pool, rentedBy, company }: NumberRecord): string {
  if (pool) return company === undefined ? 'pool of all companies' : `pool of ${company}`;
  return rentedBy === undefined ? 'none' : `rented by ${rentedBy}`;
}
