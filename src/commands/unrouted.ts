/** `carillon unrouted`: incoming SMS that belong to nobody. */
import { Command } from 'commander';
import { instant, printTable } from './table.ts';
import { print } from './terminal.ts';

const shown = 100;

export function unroutedCommand(): Command {
  return new Command('unrouted')
    .description('show the latest incoming SMS that belong to nobody')
    .action(async () => {
      const [{ readConfig }, { withStore }, { listUnrouted }] = await Promise.all([
        import('../config.ts'),
        import('../open-store.ts'),
        import('../messages/inspect-store.ts'),
      ]);
      await withStore(readConfig(process.env), async (store) => {
        const rows = await store.read(listUnrouted, shown);
        if (rows.length === 0) print('Every incoming SMS has found its owner.');
        else {
          printTable(
            ['ID', 'RECEIVED', 'FROM', 'TO', 'TEXT'],
            rows.map((row) => [
              String(row.id),
              instant(row.receivedAt),
              row.sender,
              row.recipient,
              JSON.stringify(row.text),
            ]),
          );
        }
      });
    });
}
