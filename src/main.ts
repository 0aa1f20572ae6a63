/** The command line: which commands there are, and how their faults end. */
import { Command } from 'commander';
import { readVersion } from './app/version.ts';
import { applyCommand } from './commands/apply.ts';
import { batchCommand } from './commands/batch.ts';
import { carriersCommand } from './commands/carriers.ts';
import { contactsCommand } from './commands/contacts.ts';
import { keysCommand } from './commands/keys.ts';
import { mailCommand } from './commands/mail.ts';
import { messageCommand } from './commands/message.ts';
import { migrateCommand } from './commands/migrate.ts';
import { numbersCommand } from './commands/numbers.ts';
import { receiptsCommand } from './commands/receipts.ts';
import { routesCommand } from './commands/routes.ts';
import { secretCommand } from './commands/secret.ts';
import { serveCommand } from './commands/serve.ts';
import { simulateCommand } from './commands/simulate.ts';
import { smscCommand } from './commands/smsc.ts';
import { unroutedCommand } from './commands/unrouted.ts';
import { usageCommand } from './commands/usage.ts';
import { userCommand } from './commands/user.ts';
import { watchCommand } from './commands/watch.ts';
import { ServiceError, StartError } from './foundation/errors.ts';
import { exitWithoutReader, printError, printFault } from './foundation/terminal.ts';

exitWithoutReader();

const program = new Command('carillon')
  .description('A self-hosted SMS messaging platform.')
  .version(readVersion())
  // An option behind the name of a command is that command's, also where the one above it has the same.
  .enablePositionalOptions()
  .addCommand(serveCommand())
  .addCommand(applyCommand())
  .addCommand(migrateCommand())
  .addCommand(contactsCommand())
  .addCommand(userCommand())
  .addCommand(keysCommand())
  .addCommand(secretCommand())
  .addCommand(messageCommand())
  .addCommand(batchCommand())
  .addCommand(watchCommand())
  .addCommand(carriersCommand())
  .addCommand(routesCommand())
  .addCommand(numbersCommand())
  .addCommand(usageCommand())
  .addCommand(mailCommand())
  .addCommand(receiptsCommand())
  .addCommand(unroutedCommand())
  .addCommand(simulateCommand())
  .addCommand(smscCommand())
  .addHelpText('after', '\nSettings come from the environment; see docs/operations.md.');

try {
  await program.parseAsync();
} catch (error) {
  // What an operator can act on is one sentence; anything else is our own fault, and its stack says where.
  if (error instanceof StartError) printError(...error.message.split('\n'));
  else if (error instanceof ServiceError) printError(error.message);
  else printFault(error);
  process.exit(1);
}
