/**
 * `carillon status` and `carillon incoming`: show the unread statuses of a user's SMS and the user's unread incoming SMS, or
 * those with the given ids.
 */
import { Command } from 'commander';
import { printError, printJson, quotedPrintable } from '../foundation/terminal.ts';
import type { AnswerOf } from './api.ts';
import { type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { instant, type JsonOption, jsonOption, limitOption, printList, type Shape } from './list.ts';

const shown = 100;
const maxShown = 10_000;

export function statusCommand(): Command {
  const command = withCaller(new Command('status')).argument(
    '[ids...]',
    'ids of messages, as returned when they were sent (default: unread changes)',
  );
  return withReading(command, 'changes').action(status);
}

export function incomingCommand(): Command {
  const command = withCaller(new Command('incoming'))
    .argument('[ids...]', 'ids of incoming SMS (default: unread SMS)')
    .option('--latest', 'show the latest unread SMS instead of the earliest', false);
  return withReading(command, 'SMS').action(incoming);
}

function withReading(command: Command, what: string): Command {
  return command
    .option('--mark-as-read', `mark the ${what} shown as read`, false)
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption);
}

interface ReadingOptions extends CallerOptions, JsonOption {
  readonly markAsRead: boolean;
  readonly limit: number;
}

type Status = AnswerOf<'POST', '/restsms/svcrest/status'>['statuses'][number];

const statusShape = {
  none: 'There are no unread changes of status.',
  columns: {
    ID: ({ id }: Status) => id,
    TO: ({ to }: Status) => to,
    FROM: ({ from }: Status) => from,
    STATUS: ({ status }: Status) => status,
    SINCE: ({ time }: Status) => instant(Number(time)),
    CONVERSATION: ({ conversation }: Status) => conversation,
  },
};

async function status(ids: readonly string[], options: ReadingOptions): Promise<void> {
  const { limit: maxnum, markAsRead: markasread } = options;
  const api = await requireCallerApi(options);
  const asked = ids.length === 0 ? { maxnum } : { id: ids };
  const answer = await api.post('/restsms/svcrest/status', { ...asked, markasread });
  tell(answer, { items: answer.statuses, noun: 'message', shape: statusShape }, ids, options);
}

type Incoming = AnswerOf<'POST', '/restsms/svcrest/incoming'>['incoming'][number];

const incomingShape = {
  none: 'There are no unread incoming SMS.',
  columns: {
    ID: ({ id }: Incoming) => id,
    RECEIVED: ({ time }: Incoming) => instant(Number(time)),
    FROM: ({ from }: Incoming) => from,
    TO: ({ to }: Incoming) => to,
    CONVERSATION: ({ conversation }: Incoming) => conversation,
    TEXT: ({ message }: Incoming) => quotedPrintable(message),
  },
};

interface IncomingOptions extends ReadingOptions {
  readonly latest: boolean;
}

async function incoming(ids: readonly string[], options: IncomingOptions): Promise<void> {
  const { limit: maxnum, latest, markAsRead: markasread } = options;
  const api = await requireCallerApi(options);
  const asked = ids.length === 0 ? { maxnum, latest } : { id: ids };
  const answer = await api.post('/restsms/svcrest/incoming', { ...asked, markasread });
  tell(answer, { items: answer.incoming, noun: 'incoming SMS', shape: incomingShape }, ids, options);
}

interface Found<Item> {
  readonly items: readonly Item[];
  readonly noun: string;
  readonly shape: Shape<Item>;
}

/** When none of the requested ids was found, each is reported and no list is printed. */
function tell<Item>(
  answer: { readonly notfound: readonly string[] },
  { items, noun, shape }: Found<Item>,
  ids: readonly string[],
  options: JsonOption,
): void {
  if (options.json) printJson(answer, 2);
  else if (ids.length === 0 || items.length > 0) printList(items, shape, options);
  for (const id of answer.notfound) printError(`There is no ${noun} ${id}.`);
  if (answer.notfound.length > 0) process.exitCode = 1;
}
