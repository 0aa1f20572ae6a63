/** `carillon send`: an SMS to one or several numbers, as a user. */
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { printError, printJson } from '../foundation/terminal.ts';
import { type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { type JsonOption, jsonOption, printTable } from './list.ts';

export function sendCommand(): Command {
  return withCaller(new Command('send'))
    .argument('<to...>', 'phone numbers')
    .option('--message <text>', 'what to send; without it, standard input')
    .option('--from <sender>', 'the sender, in place of the default of the account')
    .option('--twoway', 'from a number of the pool, so that answers come back', false)
    .option('--conversation <id>', 'given back with the status, and with answers')
    .option('--cost-center <name>', 'whose cost it is, on the bill')
    .option('--flash', 'shown at once, and not kept by the phone', false)
    .option('--at <time>', 'when to send: 2027-01-31T08:00:00+01:00')
    .option('--valid-minutes <minutes>', 'how long delivery is tried')
    .option('--country-code <digits>', 'takes the place of a single leading zero of a number')
    .option('--idempotency-key <key>', 'the same key again within a day sends nothing twice')
    .option(...jsonOption)
    .action(send);
}

interface SendOptions extends CallerOptions, JsonOption {
  readonly message?: string;
  readonly from?: string;
  readonly twoway: boolean;
  readonly conversation?: string;
  readonly costCenter?: string;
  readonly flash: boolean;
  readonly at?: string;
  readonly validMinutes?: string;
  readonly countryCode?: string;
  readonly idempotencyKey?: string;
}

async function send(to: readonly string[], options: SendOptions): Promise<void> {
  const api = await requireCallerApi(options);
  const answer = await api.post(
    '/restsms/svcrest/send',
    {
      to,
      message: options.message ?? (await textOfInput()),
      from: options.from,
      twoway: options.twoway,
      conversation: options.conversation,
      costcenter: options.costCenter,
      flash: options.flash,
      scheduletime: options.at,
      validminutes: options.validMinutes,
      defaultcountrycode: options.countryCode,
      shownumberparts: true,
    },
    { idempotencyKey: options.idempotencyKey },
  );
  const { accepted, rejected, errors = [] } = answer;
  if (options.json) printJson(answer, 2);
  else
    printTable(
      ['TO', 'ID', 'PARTS'],
      accepted.map(({ to, id, parts }) => [to, id, parts ?? '']),
    );
  if (rejected.length === 0) return;
  // Others than those below were accepted: what is wrong with these is no end of the command.
  for (const { error } of errors) printError(error);
  if (errors.length < rejected.length) printError(`Not accepted: ${rejected.join(', ')}`);
  process.exitCode = 1;
}

/** A pipe ends it with a line feed that nobody means. */
async function textOfInput(): Promise<string> {
  if (process.stdin.isTTY) throw new StartError('Say what to send: --message TEXT, or by standard input.');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
