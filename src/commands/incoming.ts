/** `carillon incoming`: SMS that came for a user. */
import { Command } from 'commander';
import { printJson, quotedPrintable } from '../foundation/terminal.ts';
import type { AnswerOf } from './api.ts';
import { type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { instant, type JsonOption, jsonOption, limitOption, printList } from './list.ts';
import { tellMissing } from './status.ts';

const shown = 100;
const maxShown = 10_000;

export function incomingCommand(): Command {
  return withCaller(new Command('incoming'))
    .argument('[ids...]', 'ids of incoming SMS; without them, those that were not read yet')
    .option('--latest', 'the latest of those, not the earliest', false)
    .option('--mark-as-read', 'do not show the same SMS as unread again', false)
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption)
    .action(incoming);
}

interface IncomingOptions extends CallerOptions, JsonOption {
  readonly latest: boolean;
  readonly markAsRead: boolean;
  readonly limit: number;
}

type Incoming = AnswerOf<'POST', '/restsms/svcrest/incoming'>['incoming'][number];

const incomingShape = {
  none: 'No SMS has come since they were last read.',
  columns: {
    ID: ({ id }: Incoming) => id,
    RECEIVED: ({ time }: Incoming) => instant(Number(time)),
    FROM: ({ from }: Incoming) => from,
    TO: ({ to }: Incoming) => to,
    CONVERSATION: ({ conversation }: Incoming) => conversation,
    TEXT: ({ message }: Incoming) => quotedPrintable(message),
  },
  toJson: (one: Incoming) => one,
};

async function incoming(ids: readonly string[], options: IncomingOptions): Promise<void> {
  const api = await requireCallerApi(options);
  const asked = ids.length === 0 ? { maxnum: options.limit, latest: options.latest } : { id: ids };
  const { markAsRead } = options;
  const answer = await api.post('/restsms/svcrest/incoming', { ...asked, markasread: markAsRead });
  if (options.json) printJson(answer, 2);
  else if (ids.length === 0 || answer.incoming.length > 0) printList(answer.incoming, incomingShape, options);
  tellMissing('incoming SMS', answer.notfound);
}
