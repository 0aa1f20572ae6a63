/** The command line: which commands there are, and how their faults end. */
import { Command } from 'commander';
import { readVersion } from './app/version.ts';
import { ServiceError, StartError } from './foundation/errors.ts';
import { exitWithoutReader, printError, printFault } from './foundation/terminal.ts';

/** In the order in which the help lists them. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  apply: async () => (await import('./commands/apply.ts')).applyCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  contacts: async () => (await import('./commands/contacts.ts')).contactsCommand(),
  user: async () => (await import('./commands/user.ts')).userCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  secret: async () => (await import('./commands/secret.ts')).secretCommand(),
  message: async () => (await import('./commands/message.ts')).messageCommand(),
  audit: async () => (await import('./commands/audit.ts')).auditCommand(),
  batch: async () => (await import('./commands/batch.ts')).batchCommand(),
  jobs: async () => (await import('./commands/jobs.ts')).jobsCommand(),
  watch: async () => (await import('./commands/watch.ts')).watchCommand(),
  carriers: async () => (await import('./commands/carriers.ts')).carriersCommand(),
  routes: async () => (await import('./commands/routes.ts')).routesCommand(),
  numbers: async () => (await import('./commands/numbers.ts')).numbersCommand(),
  usage: async () => (await import('./commands/usage.ts')).usageCommand(),
  mail: async () => (await import('./commands/mail.ts')).mailCommand(),
  webhooks: async () => (await import('./commands/webhooks.ts')).webhooksCommand(),
  receipts: async () => (await import('./commands/receipts.ts')).receiptsCommand(),
  unrouted: async () => (await import('./commands/unrouted.ts')).unroutedCommand(),
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  smsc: async () => (await import('./commands/smsc.ts')).smscCommand(),
};

exitWithoutReader();

const program = new Command('carillon')
  .description('A self-hosted SMS messaging platform.')
  .version(readVersion())
  // An option behind the name of a command is that command's, also where the one above it has the same.
  .enablePositionalOptions()
  .addHelpText('after', '\nSettings come from the environment; see docs/operations.md.');

try {
  // The code of one command is loaded in a fraction of the time that all takes.
  const named = commands[process.argv[2] ?? ''];
  for (const load of named === undefined ? Object.values(commands) : [named])
    program.addCommand(await load());
  await program.parseAsync();
} catch (error) {
  // What an operator can act on is one sentence; anything else is our own fault, and its stack says where.
  if (error instanceof StartError) printError(...error.message.split('\n'));
  else if (error instanceof ServiceError) printError(error.message);
  else printFault(error);
  process.exit(1);
}
