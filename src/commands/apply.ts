/** `carillon apply`: brings the store to what a provisioning file says, and tells what changed. */
import { Command } from 'commander';
import { print, printError } from '../foundation/terminal.ts';
import type { Store } from '../storage/store.ts';
import { tellServer } from './tell-server.ts';

export function applyCommand(): Command {
  return new Command('apply')
    .description('apply a provisioning file to the store, and print what changed')
    .argument('<file>', 'the provisioning file (YAML)')
    .option('--dry-run', 'print what would change, and change nothing', false)
    .action(apply);
}

async function apply(path: string, { dryRun }: { readonly dryRun: boolean }): Promise<void> {
  const [
    { readConfig },
    { systemClock },
    { withStore },
    { joinStore },
    { secretBeforeStore, serverSecret },
    { Sealing },
    { applyFile },
    { readProvisioningFile },
  ] = await Promise.all([
    import('../config/config.ts'),
    import('../foundation/clock.ts'),
    import('../app/open-store.ts'),
    import('../app/join-store.ts'),
    import('../app/server-secret.ts'),
    import('../foundation/sealing.ts'),
    import('../provisioning/apply.ts'),
    import('../provisioning/read-file.ts'),
  ]);
  const config = readConfig(process.env);
  const file = readProvisioningFile(path);
  const known = secretBeforeStore(config);
  const work = async (store: Store) => {
    const secret = known ?? serverSecret(config);
    // A dry run changes nothing of the store.
    const sealing = dryRun ? new Sealing(secret) : await joinStore(store, secret, printError);
    return applyFile({ store, clock: systemClock, sealing }, file, { dryRun });
  };
  const result = await withStore(config, work, { mayMake: true });
  if (result.kind === 'refused') {
    printError(...result.lines);
    process.exitCode = 1;
    return;
  }
  const lines = result.kind === 'applied' ? result.lines : [];
  for (const warning of result.kind === 'applied' ? result.warnings : []) printError(warning);
  print(...(lines.length === 0 ? ['no changes'] : lines));
  if (!dryRun && lines.length > 0)
    await tellServer(config, { event: 'operator_command', object: `apply ${path}: ${lines.length} changed` });
  if (dryRun && lines.length > 0) printError('Dry run: nothing was applied.');
}
