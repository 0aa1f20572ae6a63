/** The command line: which commands exist, and how their faults are reported. */
import { Command } from 'commander';
import { readVersion } from './app/version.ts';
import { ServiceError, StartError } from './foundation/errors.ts';
import { printError, printFault } from './foundation/terminal.ts';

interface KnownCommand {
  /** For the list of all commands, which loads none of them. */
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** In the order of the help. */
const commands: Readonly<Record<string, KnownCommand>> = {
  serve: {
    description: 'run the server',
    load: async () => (await import('./commands/serve.ts')).serveCommand(),
  },
  apply: {
    description: 'apply a provisioning file, and print what changed',
    load: async () => (await import('./commands/apply.ts')).applyCommand(),
  },
  migrate: {
    description: "migrate the database to this version's schema (serve does so too)",
    load: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  },
  check: {
    description: 'look for damage, and restore messages missing from lists',
    load: async () => (await import('./commands/check.ts')).checkCommand(),
  },
  contacts: {
    description: 'import and export the contacts of an address book',
    load: async () => (await import('./commands/contacts.ts')).contactsCommand(),
  },
  optouts: {
    description: 'list, add, remove, import and export opt-outs',
    load: async () => (await import('./commands/optouts.ts')).optoutsCommand(),
  },
  user: {
    description: 'list users, show one, or set a password',
    load: async () => (await import('./commands/user.ts')).userCommand(),
  },
  keys: {
    description: 'list, revoke, enable and expire the API keys of a user',
    load: async () => (await import('./commands/keys.ts')).keysCommand(),
  },
  secret: {
    description: 'accept a new server secret',
    load: async () => (await import('./commands/secret.ts')).secretCommand(),
  },
  send: {
    description: 'send SMS as a user, on this server or a remote one',
    load: async () => (await import('./commands/send.ts')).sendCommand(),
  },
  status: {
    description: 'show the status of a user’s SMS',
    load: async () => (await import('./commands/unread.ts')).statusCommand(),
  },
  incoming: {
    description: 'show a user’s incoming SMS',
    load: async () => (await import('./commands/unread.ts')).incomingCommand(),
  },
  message: {
    description: 'show a message, or cancel it',
    load: async () => (await import('./commands/message.ts')).messageCommand(),
  },
  audit: {
    description: 'show the audit log: who did what, and when',
    load: async () => (await import('./commands/audit.ts')).auditCommand(),
  },
  batch: {
    description: 'show a batch’s progress, list batches, or abort one',
    load: async () => (await import('./commands/batch.ts')).batchCommand(),
  },
  jobs: {
    description: 'show, start and control saved jobs',
    load: async () => (await import('./commands/jobs.ts')).jobsCommand(),
  },
  watch: {
    description: 'follow a company’s messages, incoming SMS and batches live',
    load: async () => (await import('./commands/watch.ts')).watchCommand(),
  },
  carriers: {
    description: 'show the carriers’ state on each node, and how many messages wait for them',
    load: async () => (await import('./commands/carriers.ts')).carriersCommand(),
  },
  routes: {
    description: 'list the routes in order of precedence',
    load: async () => (await import('./commands/routes.ts')).routesCommand(),
  },
  numbers: {
    description: 'list rented numbers, and the pool for two-way SMS',
    load: async () => (await import('./commands/numbers.ts')).numbersCommand(),
  },
  usage: {
    description: 'show usage by company, user, cost centre and month',
    load: async () => (await import('./commands/usage.ts')).usageCommand(),
  },
  mail: {
    description: 'show incoming and outgoing mail, and check an e-mail',
    load: async () => (await import('./commands/mail.ts')).mailCommand(),
  },
  webhooks: {
    description: 'manage webhooks, and callbacks of system users',
    load: async () => (await import('./commands/webhooks.ts')).webhooksCommand(),
  },
  receipts: {
    description: 'show delivery receipts that match no message',
    load: async () => (await import('./commands/receipts.ts')).receiptsCommand(),
  },
  unrouted: {
    description: 'show incoming SMS that belong to nobody',
    load: async () => (await import('./commands/unrouted.ts')).unroutedCommand(),
  },
  simulate: {
    description: 'let the running server’s simulator act as a phone',
    load: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  },
  mcp: {
    description: 'offer tools to agents (Model Context Protocol), as a user',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  },
  smsc: {
    description: 'run an SMPP 3.4 SMSC to test against',
    load: async () => (await import('./commands/smsc.ts')).smscCommand(),
  },
};

/** Carries out the words after the program's name. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  const program = new Command('carillon')
    .description('A self-hosted SMS messaging platform.')
    .version(readVersion())
    // An option after the name of a command belongs to that command, even if its parent command has the same option.
    .enablePositionalOptions()
    .addHelpText('after', '\nSettings come from the environment; see docs/configuration.md.');
  const [first = '', second = ''] = words;
  const named = first === 'help' ? second : first;
  for (const [name, { description, load }] of Object.entries(commands)) {
    const command = name === named ? await load() : new Command(name);
    program.addCommand(command.description(description));
  }
  // The server logs unknown settings itself.
  if (named !== 'serve') program.hook('preAction', tellUnknownSettings);
  // The help command has no options, so a request for its help shows the program's help.
  const isHelpOfHelp = first === 'help' && ['--help', '-h'].includes(second);
  await program.parseAsync(isHelpOfHelp ? ['--help'] : words, { from: 'user' });
}

/** A misspelt CARILLON_DATA, for example, would make a command work on another store. */
async function tellUnknownSettings(): Promise<void> {
  const { unknownSettings } = await import('./config/config.ts');
  for (const { variable, meant } of unknownSettings(process.env))
    printError(
      `${variable} is not a setting of Carillon${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    );
}

/**
 * A fault that an operator can act on is reported in one sentence. Any other fault is our own, and is reported with its
 * stack.
 */
export function tellFault(error: unknown): void {
  if (error instanceof StartError) printError(...error.message.split('\n'));
  else if (error instanceof ServiceError) printError(error.message);
  else printFault(error);
}
