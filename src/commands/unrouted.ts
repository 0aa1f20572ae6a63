/** `carillon unrouted`: incoming SMS that belong to nobody. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { listUnrouted, type UnroutedIncoming } from '../messages/operator/inspect.ts';
import { instant, iso, type JsonOption, jsonOption, printList } from './list.ts';

const shown = 100;

export function unroutedCommand(): Command {
  return new Command('unrouted').option(...jsonOption).action(list);
}

async function list(options: JsonOption): Promise<void> {
  const none = 'Every incoming SMS has found its owner.';
  const columns = {
    ID: ({ id }: UnroutedIncoming) => String(id),
    RECEIVED: ({ receivedAt }: UnroutedIncoming) => instant(receivedAt),
    FROM: ({ sender }: UnroutedIncoming) => sender,
    TO: ({ recipient }: UnroutedIncoming) => recipient,
    TEXT: ({ text }: UnroutedIncoming) => JSON.stringify(text),
  };
  const toJson = ({ id, receivedAt, ...sms }: UnroutedIncoming) => ({
    id: String(id),
    receivedAt: iso(receivedAt),
    ...sms,
  });
  await withStore(readConfig(process.env), async (store) =>
    printList(await store.read(listUnrouted, shown), { none, columns, toJson }, options),
  );
}
