/** `carillon secret`: what an operator does about the server's secret. */
import { Command } from 'commander';
import { print } from '../foundation/terminal.ts';
import { tellServer } from './tell-server.ts';

export function secretCommand(): Command {
  const secret = new Command('secret').description("the server's secret");
  secret
    .command('accept')
    .description('make the secret that is set now that of the store; stop all nodes before')
    .action(accept);
  return secret;
}

async function accept(): Promise<void> {
  const [
    { readConfig },
    { withStore },
    { serverSecret, weaknessOf },
    checks,
    { unreadableCarriers },
    { StartError },
  ] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../app/server-secret.ts'),
    import('../storage/secret-check.ts'),
    import('../app/join-store.ts'),
    import('../foundation/errors.ts'),
  ]);
  const config = readConfig(process.env);
  const work = async (store: Parameters<Parameters<typeof withStore>[1]>[0]) => {
    const secret = serverSecret(config);
    const weakness = weaknessOf(secret);
    if (weakness !== undefined) throw new StartError(weakness);
    const check = checks.secretCheck(secret);
    const before = await store.read(checks.readSecretCheck, null);
    if (before === check) return print('The store belongs to this secret already.');
    await store.write(checks.keepSecretCheck, { check, replace: true });
    await tellServer(config, { event: 'operator_command', object: 'secret accept' });
    print('The store belongs to this secret now.', 'API keys given out under another one no longer work.');
    const carriers = await unreadableCarriers(store, secret);
    if (carriers.length > 0)
      print(`Passwords of carriers have to be applied once more (carillon apply): ${carriers.join(', ')}`);
  };
  await withStore(config, work, { secretOf: 'anybody' });
}
