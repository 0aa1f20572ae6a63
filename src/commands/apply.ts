/** `carillon apply`: brings the store in line with a provisioning file, and reports the changes. */

import { Command } from 'commander';
import { secretFor, withStore } from '../app/open-store.ts';
import { secretBeforeStore } from '../app/server-secret.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { Sealing } from '../foundation/sealing.ts';
import { printError } from '../foundation/terminal.ts';
import type { Store } from '../storage/store.ts';
import { type JsonOption, jsonOption, printChange } from './list.ts';
import { tellServer } from './tell-server.ts';

export function applyCommand(): Command {
  return new Command('apply')
    .argument('<file>', 'the provisioning file (YAML)')
    .option('--dry-run', 'print what would change, and change nothing', false)
    .option(...jsonOption)
    .action(apply);
}

interface ApplyOptions extends JsonOption {
  readonly dryRun: boolean;
}

async function apply(path: string, { dryRun, ...options }: ApplyOptions): Promise<void> {
  // The schema of provisioning files makes up most of the program, so it is loaded only when needed.
  const [{ joinStore }, { applyFile }, { readProvisioningFile }] = await Promise.all([
    import('../app/join-store.ts'),
    import('../provisioning/apply.ts'),
    import('../provisioning/file.ts'),
  ]);
  const config = readConfig(process.env);
  const file = readProvisioningFile(path);
  const known = secretBeforeStore(config);
  const work = async (store: Store) => {
    const secret = await secretFor(store, config, known);
    // A dry run changes nothing in the store.
    const sealing = dryRun ? new Sealing(secret) : await joinStore(store, secret, printError);
    return applyFile({ store, clock: systemClock, sealing }, file, { dryRun });
  };
  const result = await withStore(config, work, { schema: 'make' });
  if (result.kind === 'refused') {
    printError(...result.lines);
    process.exitCode = 1;
    return;
  }
  const lines = result.kind === 'applied' ? result.lines : [];
  const warnings = result.kind === 'applied' ? result.warnings : [];
  if (warnings.length > 0) printError(...warnings);
  printChange({ changes: lines, warnings, dryRun }, lines.length === 0 ? ['no changes'] : lines, options);
  if (!dryRun && lines.length > 0)
    await tellServer(config, { event: 'operator_command', object: `apply ${path}: ${lines.length} changed` });
  if (dryRun && lines.length > 0) printError('Dry run: nothing was applied.');
}
