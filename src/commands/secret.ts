/** `carillon secret`: manages the server's secret. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { serverSecret, weaknessOf } from '../app/server-secret.ts';
import { readConfig } from '../config/config.ts';
import { StartError } from '../foundation/errors.ts';
import * as checks from '../storage/secret-check.ts';
import { type JsonOption, jsonOption, printChange } from './list.ts';
import { tellServer } from './tell-server.ts';

export function secretCommand(): Command {
  const secret = new Command('secret');
  secret
    .command('accept')
    .description('make the store accept the current secret; stop all nodes first')
    .option(...jsonOption)
    .action(accept);
  return secret;
}

async function accept(options: JsonOption): Promise<void> {
  const config = readConfig(process.env);
  const work = async (store: Parameters<Parameters<typeof withStore>[1]>[0]) => {
    const secret = serverSecret(config);
    const weakness = weaknessOf(secret);
    if (weakness !== undefined) throw new StartError(weakness);
    const check = checks.secretCheck(secret);
    const before = await store.read(checks.readSecretCheck, null);
    if (before === check)
      return printChange(
        { accepted: false, unreadableCarriers: [] },
        ['The store already uses this secret.'],
        options,
      );
    await store.write(checks.keepSecretCheck, { check, replace: true });
    await tellServer(config, { event: 'operator_command', object: 'secret accept' });
    const { unreadableCarriers } = await import('../app/join-store.ts');
    const carriers = await unreadableCarriers(store, secret);
    const sentences = [
      'The store now uses this secret.',
      'API keys issued under another secret no longer work.',
    ];
    if (carriers.length > 0)
      sentences.push(`Passwords of carriers must be applied again (carillon apply): ${carriers.join(', ')}`);
    printChange({ accepted: true, unreadableCarriers: carriers }, sentences, options);
  };
  await withStore(config, work, { secretOf: 'anybody' });
}
