/** `carillon unrouted`: shows incoming SMS that belong to no one. */
import { Command } from 'commander';
import { printError } from '../foundation/terminal.ts';
import { listUnrouted, type UnroutedIncoming } from '../messages/operator/inspect.ts';
import type { AnswerOf, Api } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { columnsBy, instant, iso, type JsonOption, printList } from './list.ts';

const shown = 100;
/** A page can be empty, because the server skips SMS of other companies. */
const maxPages = 20;

export function unroutedCommand(): Command {
  return actsAsEither(new Command('unrouted'), listAsUser, list);
}

type Unrouted = AnswerOf<'GET', '/api/v1/unrouted'>['unrouted'][number];

const none = 'Every incoming SMS belongs to a user.';
const columns = {
  ID: ({ id }: Unrouted) => id,
  RECEIVED: ({ time }: Unrouted) => instant(time),
  FROM: ({ from }: Unrouted) => from,
  TO: ({ to }: Unrouted) => to,
  TEXT: ({ message }: Unrouted) => JSON.stringify(message),
};

async function listAsUser(api: Api, options: CallerOptions & JsonOption): Promise<void> {
  const found: Unrouted[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    const page = await api.get('/api/v1/unrouted', { after, limit: shown - found.length });
    found.push(...page.unrouted);
    after = page.next;
    pages += 1;
  } while (after !== undefined && found.length < shown && pages < maxPages);
  const isCut = after !== undefined && found.length < shown;
  printList(found, { none: isCut ? 'None of the latest incoming SMS is unrouted.' : none, columns }, options);
  if (isCut) printError('There may be earlier unrouted SMS: not all were checked.');
}

async function list(options: JsonOption): Promise<void> {
  const rowOf = ({ id, receivedAt, sender: from, recipient: to, text: message }: UnroutedIncoming) => {
    return { id: String(id), time: iso(receivedAt), from, to, message };
  };
  const toJson = ({ id, receivedAt, ...sms }: UnroutedIncoming) => {
    return { id: String(id), receivedAt: iso(receivedAt), ...sms };
  };
  await inStore(async (store) =>
    printList(
      await store.read(listUnrouted, { after: undefined, limit: shown }),
      { none, columns: columnsBy(rowOf, columns), toJson },
      options,
    ),
  );
}
