/** `carillon numbers`: which numbers phones can answer to, and whose the answers are. */
import { Command } from 'commander';
import type { ListedNumber } from '../messages/inspect-store.ts';
import { printTable } from './table.ts';
import { print } from './terminal.ts';

export function numbersCommand(): Command {
  return new Command('numbers')
    .description('list the numbers that are rented, and those of the pool that two-way SMS go out from')
    .action(async () => {
      const [{ readConfig }, { withStore }, { listNumbers }] = await Promise.all([
        import('../config.ts'),
        import('../open-store.ts'),
        import('../messages/inspect-store.ts'),
      ]);
      await withStore(readConfig(process.env), async (store) => {
        const numbers = await store.read(listNumbers, null);
        if (numbers.length === 0) print('There are no numbers: nobody can be answered.');
        else
          printTable(
            ['NUMBER', 'USE'],
            numbers.map((one) => [one.number, useOf(one)]),
          );
      });
    });
}

function useOf({ pool, rentedBy, company }: ListedNumber): string {
  if (pool === 1) return company === null ? 'pool of all companies' : `pool of ${company}`;
  return rentedBy === null ? 'none' : `rented by ${rentedBy}`;
}
