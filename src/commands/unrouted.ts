/** `carillon unrouted`: incoming SMS that belong to nobody. */
import { Command } from 'commander';
import { listUnrouted, type UnroutedIncoming } from '../messages/operator/inspect.ts';
import type { AnswerOf, Api } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { columnsBy, instant, iso, type JsonOption, printList } from './list.ts';

const shown = 100;

export function unroutedCommand(): Command {
  return actsAsEither(new Command('unrouted'), listAsUser, list);
}

type Unrouted = AnswerOf<'GET', '/api/v1/unrouted'>['unrouted'][number];

const none = 'Every incoming SMS has found its owner.';
const columns = {
  ID: ({ id }: Unrouted) => id,
  RECEIVED: ({ time }: Unrouted) => instant(time),
  FROM: ({ from }: Unrouted) => from,
  TO: ({ to }: Unrouted) => to,
  TEXT: ({ message }: Unrouted) => JSON.stringify(message),
};

async function listAsUser(api: Api, options: CallerOptions & JsonOption): Promise<void> {
  printList(await api.list('/api/v1/unrouted', 'unrouted', shown), { none, columns }, options);
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
      await store.read(listUnrouted, shown),
      { none, columns: columnsBy(rowOf, columns), toJson },
      options,
    ),
  );
}
