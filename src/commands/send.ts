/** `carillon send`: sends an SMS to one or more numbers, as a user. */
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { printError, printJson } from '../foundation/terminal.ts';
import { type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { type JsonOption, jsonOption, printTable } from './list.ts';

export function sendCommand(): Command {
  return withCaller(new Command('send'))
    .argument('<to...>', 'phone numbers')
    .option('--message <text>', 'the text to send (default: standard input)')
    .option('--from <sender>', 'the sender, instead of the account’s default')
    .option('--twoway', 'send from a number in the pool, so that answers come back', false)
    .option('--conversation <id>', 'an id that is returned with the status and with answers')
    .option('--cost-center <name>', 'the cost centre to bill')
    .option('--flash', 'show the SMS at once, without keeping it on the phone', false)
    .option('--at <time>', 'when to send: 2027-01-31T08:00:00+01:00')
    .option('--valid-minutes <minutes>', 'for how many minutes delivery is attempted')
    .option('--country-code <digits>', 'the country code that replaces a single leading zero of a number')
    .option(
      '--idempotency-key <key>',
      'repeating a command with the same key within a day sends nothing twice',
    )
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
  // Other recipients were accepted, so the faults of the rejected ones do not end the command.
  for (const { error } of errors) printError(error);
  if (errors.length < rejected.length) printError(`Not accepted: ${rejected.join(', ')}`);
  process.exitCode = 1;
}

/** Input from a pipe ends with a line feed that isn't part of the text. */
async function textOfInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new StartError('There is no text to send. Give --message TEXT, or the text on standard input.');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
