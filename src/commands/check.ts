/** `carillon check`: looks whether what the store keeps in two places agrees, and mends it. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { mendMessageLog } from '../messages/upkeep/mend-log.ts';
import { tellServer } from './tell-server.ts';

interface CheckOptions {
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function checkCommand(): Command {
  return new Command('check')
    .option('--dry-run', 'only tell what is missing, and change nothing', false)
    .option('--json', 'as JSON', false)
    .action(check);
}

async function check({ dryRun, json }: CheckOptions): Promise<void> {
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    const { unlogged } = await mendMessageLog(store, { dryRun });
    if (json) printJson({ unlogged, mended: dryRun ? 0 : unlogged });
    else print(sentenceOf(unlogged, dryRun));
    if (unlogged > 0 && !dryRun)
      await tellServer(config, { event: 'operator_command', object: `check: ${unlogged} mended` });
  });
}

function sentenceOf(unlogged: number, dryRun: boolean): string {
  if (unlogged === 0) return 'Every message is in the lists: there is nothing to mend.';
  if (dryRun) return `Messages that are in no list: ${unlogged}. Nothing was changed.`;
  return `Messages that were in no list, and are now: ${unlogged}.`;
}
