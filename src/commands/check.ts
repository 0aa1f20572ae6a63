/** `carillon check`: looks for damage, and whether what the store keeps in two places agrees, which it mends. */
import { Command } from 'commander';
import { print, printJson } from '../foundation/terminal.ts';
import { mendMessageLog } from '../messages/upkeep/mend-log.ts';
import { inStore } from './as-operator.ts';
import { type JsonOption, jsonOption } from './list.ts';
import { tellServer } from './tell-server.ts';

interface CheckOptions extends JsonOption {
  readonly dryRun: boolean;
}

export function checkCommand(): Command {
  return new Command('check')
    .option('--dry-run', 'only tell what is missing, and change nothing', false)
    .option(...jsonOption)
    .action(check);
}

async function check({ dryRun, json }: CheckOptions): Promise<void> {
  await inStore(async (store, config) => {
    const damage = await store.damage.find();
    if (damage.length > 0) {
      process.exitCode = 1;
      if (json) printJson({ damage });
      else print(...damageLines(damage));
      return;
    }
    const { unlogged } = await mendMessageLog(store, { dryRun });
    if (json) printJson({ damage, unlogged, mended: dryRun ? 0 : unlogged });
    else print(sentenceOf(unlogged, dryRun));
    if (unlogged > 0 && !dryRun)
      await tellServer(config, { event: 'operator_command', object: `check: ${unlogged} mended` });
  });
}

const mostLines = 20;

function damageLines(damage: readonly string[]): readonly string[] {
  const left = damage.length - mostLines;
  return [
    'The store is damaged. Nothing was changed. What SQLite says:',
    ...damage.slice(0, mostLines),
    ...(left > 0 ? [`and ${left} more`] : []),
    'Restore it from a backup, or save what can be read: "A damaged store" in docs/backup.md.',
  ];
}

function sentenceOf(unlogged: number, dryRun: boolean): string {
  if (unlogged === 0) return 'Every message is in the lists: there is nothing to mend.';
  if (dryRun) return `Messages that are in no list: ${unlogged}. Nothing was changed.`;
  return `Messages that were in no list, and are now: ${unlogged}.`;
}
