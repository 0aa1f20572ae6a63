/** `carillon status`: how far SMS are that a user has sent. */
import { Command } from 'commander';
import { printError, printJson } from '../foundation/terminal.ts';
import type { AnswerOf } from './api.ts';
import { type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { instant, type JsonOption, jsonOption, limitOption, printList } from './list.ts';

const shown = 100;
const maxShown = 10_000;

export function statusCommand(): Command {
  return withCaller(new Command('status'))
    .argument('[ids...]', 'ids that sending answered with; without them, changes that were not read yet')
    .option('--mark-as-read', 'do not show the same changes as unread again', false)
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption)
    .action(status);
}

interface StatusOptions extends CallerOptions, JsonOption {
  readonly markAsRead: boolean;
  readonly limit: number;
}

type Status = AnswerOf<'POST', '/restsms/svcrest/status'>['statuses'][number];

const statusShape = {
  none: 'No status has changed since they were last read.',
  columns: {
    ID: ({ id }: Status) => id,
    TO: ({ to }: Status) => to,
    FROM: ({ from }: Status) => from,
    STATUS: ({ status }: Status) => status,
    SINCE: ({ time }: Status) => instant(Number(time)),
    CONVERSATION: ({ conversation }: Status) => conversation,
  },
  toJson: (one: Status) => one,
};

async function status(ids: readonly string[], options: StatusOptions): Promise<void> {
  const api = await requireCallerApi(options);
  const asked = ids.length === 0 ? { maxnum: options.limit } : { id: ids };
  const { markAsRead } = options;
  const answer = await api.post('/restsms/svcrest/status', { ...asked, markasread: markAsRead });
  if (options.json) printJson(answer, 2);
  else if (ids.length === 0 || answer.statuses.length > 0) printList(answer.statuses, statusShape, options);
  tellMissing('message', answer.notfound);
}

export function tellMissing(what: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  for (const id of ids) printError(`There is no ${what} ${id}.`);
  process.exitCode = 1;
}
