/** The command line: which commands there are, and how their faults end. */
import { Command } from 'commander';
import { readVersion } from './app/version.ts';
import { ServiceError, StartError } from './foundation/errors.ts';
import { printError, printFault } from './foundation/terminal.ts';

interface KnownCommand {
  /** For the list of all commands, which loads none of them. */
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** In the order in which the help lists them. */
const commands: Readonly<Record<string, KnownCommand>> = {
  serve: {
    description: 'run the server',
    load: async () => (await import('./commands/serve.ts')).serveCommand(),
  },
  apply: {
    description: 'apply a provisioning file to the store, and print what changed',
    load: async () => (await import('./commands/apply.ts')).applyCommand(),
  },
  migrate: {
    description: "bring the database to this version's schema (serve does so too)",
    load: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  },
  check: {
    description: 'look whether every message is in the lists, and mend what is not',
    load: async () => (await import('./commands/check.ts')).checkCommand(),
  },
  contacts: {
    description: 'import and export the contacts of an address book',
    load: async () => (await import('./commands/contacts.ts')).contactsCommand(),
  },
  user: {
    description: 'list users, show one, or give one a new password',
    load: async () => (await import('./commands/user.ts')).userCommand(),
  },
  keys: {
    description: 'list, revoke, enable and expire the API keys of a user',
    load: async () => (await import('./commands/keys.ts')).keysCommand(),
  },
  secret: {
    description: "the server's secret",
    load: async () => (await import('./commands/secret.ts')).secretCommand(),
  },
  send: {
    description: 'send an SMS as a user, here or at a server elsewhere',
    load: async () => (await import('./commands/send.ts')).sendCommand(),
  },
  status: {
    description: 'show how far SMS of a user are',
    load: async () => (await import('./commands/unread.ts')).statusCommand(),
  },
  incoming: {
    description: 'show SMS that came for a user',
    load: async () => (await import('./commands/unread.ts')).incomingCommand(),
  },
  message: {
    description: 'show a message, or cancel it before a carrier has it',
    load: async () => (await import('./commands/message.ts')).messageCommand(),
  },
  audit: {
    description: 'show the latest entries of the audit log: who did what, and when',
    load: async () => (await import('./commands/audit.ts')).auditCommand(),
  },
  batch: {
    description: 'show how far a batch is, list batches, or abort one',
    load: async () => (await import('./commands/batch.ts')).batchCommand(),
  },
  jobs: {
    description: 'saved jobs and their runs',
    load: async () => (await import('./commands/jobs.ts')).jobsCommand(),
  },
  watch: {
    description: 'show what happens to messages, incoming SMS and batches of a company, until it is stopped',
    load: async () => (await import('./commands/watch.ts')).watchCommand(),
  },
  carriers: {
    description: 'show how the carriers are at each node, and how many messages wait for them',
    load: async () => (await import('./commands/carriers.ts')).carriersCommand(),
  },
  routes: {
    description: 'list the routes in the order in which they are asked',
    load: async () => (await import('./commands/routes.ts')).routesCommand(),
  },
  numbers: {
    description: 'list the numbers that are rented, and those of the pool that two-way SMS go out from',
    load: async () => (await import('./commands/numbers.ts')).numbersCommand(),
  },
  usage: {
    description: 'show what was sent, by company, user, cost centre and month',
    load: async () => (await import('./commands/usage.ts')).usageCommand(),
  },
  mail: {
    description: 'mails to phones, and back',
    load: async () => (await import('./commands/mail.ts')).mailCommand(),
  },
  webhooks: {
    description: 'webhooks, and callbacks of system users',
    load: async () => (await import('./commands/webhooks.ts')).webhooksCommand(),
  },
  receipts: {
    description: 'delivery receipts that belong to no message',
    load: async () => (await import('./commands/receipts.ts')).receiptsCommand(),
  },
  unrouted: {
    description: 'show the latest incoming SMS that belong to nobody',
    load: async () => (await import('./commands/unrouted.ts')).unroutedCommand(),
  },
  simulate: {
    description: 'let the simulator carrier of the running server act',
    load: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  },
  smsc: {
    description: 'run an SMSC to test against, by SMPP 3.4; a file and flags choose how it behaves',
    load: async () => (await import('./commands/smsc.ts')).smscCommand(),
  },
};

/** Does what the words after the program's name say. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  const program = new Command('carillon')
    .description('A self-hosted SMS messaging platform.')
    .version(readVersion())
    // An option behind the name of a command is that command's, also where the one above it has the same.
    .enablePositionalOptions()
    .addHelpText('after', '\nSettings come from the environment; see docs/configuration.md.');
  const [first = '', second = ''] = words;
  const named = first === 'help' ? second : first;
  for (const [name, { description, load }] of Object.entries(commands)) {
    const command = name === named ? await load() : new Command(name);
    program.addCommand(command.description(description));
  }
  // The server names them in its log.
  if (named !== 'serve') program.hook('preAction', tellUnknownSettings);
  // The command that helps has no options: what asks for its help asks for that of the program.
  const isHelpOfHelp = first === 'help' && ['--help', '-h'].includes(second);
  await program.parseAsync(isHelpOfHelp ? ['--help'] : words, { from: 'user' });
}

/** With a misspelt CARILLON_DATA, for one, a command would work on another store. */
async function tellUnknownSettings(): Promise<void> {
  const { unknownSettings } = await import('./config/config.ts');
  for (const { variable, meant } of unknownSettings(process.env))
    printError(
      `${variable} is not a setting of Carillon${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    );
}

/** What an operator can act on is one sentence; anything else is our own fault, and its stack says where. */
export function tellFault(error: unknown): void {
  if (error instanceof StartError) printError(...error.message.split('\n'));
  else if (error instanceof ServiceError) printError(error.message);
  else printFault(error);
}
