/**
 * `carillon check`: looks for damage, and repairs disagreements between things that the store keeps in two places.
 */
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
    .option('--dry-run', 'only report what is missing, and change nothing', false)
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
      await tellServer(config, { event: 'operator_command', object: `check: ${unlogged} repaired` });
  });
}

const maxLines = 20;

function damageLines(damage: readonly string[]): readonly string[] {
  const left = damage.length - maxLines;
  return [
    'The store is damaged. Nothing was changed. SQLite reports:',
    ...damage.slice(0, maxLines),
    ...(left > 0 ? [`and ${left} more`] : []),
    'Restore it from a backup, or save what can be read: "A damaged store" in docs/backup.md.',
  ];
}

function sentenceOf(unlogged: number, dryRun: boolean): string {
  if (unlogged === 0) return 'Every message is in the lists. There is nothing to repair.';
  if (dryRun) return `Messages missing from the lists: ${unlogged}. Nothing was changed.`;
  return `Missing messages that were added to the lists again: ${unlogged}.`;
}
