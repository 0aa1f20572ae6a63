/** `carillon mail outbox`: mails that wait for the relay, and those that it refused or that were given up. */
import type { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import {
  type ListedOutgoingMail,
  listOutbox,
  measureOutbox,
  replayLimit,
  replayMails,
} from '../email/outgoing/outbox-store.ts';
import { outgoingMailTopic } from '../email/outgoing/outgoing-mail.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { iso, type JsonOption, jsonOption, limitOption, printChange, printList } from './list.ts';
import { instant } from './table.ts';

const shown = 50;
const maxShown = 1_000;

export function addOutboxCommands(mail: Command): void {
  const outbox = mail.command('outbox').description('mails that wait to go out, or could not');
  outbox
    .command('list', { isDefault: true })
    .description('show what has failed, with what the relay said, and what waits')
    .option('--company <name>', 'of this company only')
    .option('--failed', 'only what has failed')
    .option('--waiting', 'only what waits')
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption)
    .action(list);
  outbox
    .command('replay [mails...]')
    .description('send failed mails again, by their Message-IDs')
    .option('--all', 'all that have failed')
    .option(...jsonOption)
    .action(replay);
}

interface ListOptions extends JsonOption {
  readonly company?: string;
  readonly failed?: boolean;
  readonly waiting?: boolean;
  readonly limit: number;
}

async function list({
  company,
  failed = false,
  waiting = false,
  limit,
  json = false,
}: ListOptions): Promise<void> {
  await withStore(readConfig(process.env), async (store) => {
    const state = failed === waiting ? 'all' : failed ? 'failed' : 'waiting';
    const query = { company: company ?? null, state, limit } as const;
    printList(await store.read(listOutbox, query), shape, { json });
  });
}

const shape = {
  none: 'No mail waits, and none has failed.',
  columns: {
    QUEUED: ({ queuedAt }: ListedOutgoingMail) => instant(queuedAt),
    COMPANY: ({ company }: ListedOutgoingMail) => company ?? '',
    KIND: ({ kind }: ListedOutgoingMail) => kind,
    TO: ({ to }: ListedOutgoingMail) => to,
    STATE: ({ dueAt }: ListedOutgoingMail) => (dueAt === null ? 'failed' : `waits until ${instant(dueAt)}`),
    TRIES: ({ tries }: ListedOutgoingMail) => String(tries),
    'MESSAGE-ID': ({ messageId }: ListedOutgoingMail) => messageId,
    REASON: ({ reason }: ListedOutgoingMail) => reason ?? '',
  },
  toJson: ({ queuedAt, dueAt, ...mail }: ListedOutgoingMail) => ({
    queuedAt: iso(queuedAt),
    dueAt: iso(dueAt ?? undefined) ?? null,
    ...mail,
  }),
};

interface ReplayOptions extends JsonOption {
  readonly all?: boolean;
}

async function replay(
  messageIds: readonly string[],
  { all = false, ...options }: ReplayOptions,
): Promise<void> {
  if (all === messageIds.length > 0)
    throw new StartError('Say which mails by their Message-IDs, or --all, not both.');
  await withStore(readConfig(process.env), async (store) => {
    const failed = all ? ((await store.read(measureOutbox, null))?.failed ?? 0) : messageIds.length;
    const input = { messageIds: all ? null : messageIds };
    let replayed = 0;
    // Those that fail again meanwhile come behind all others, and are not sent a third time.
    for (let rounds = Math.ceil(failed / replayLimit); rounds > 0; rounds -= 1)
      replayed += await store.write(replayMails, { ...input, now: systemClock.now() });
    store.announce(outgoingMailTopic);
    const sentence = replayed === 1 ? '1 mail is sent again.' : `${replayed} mails are sent again.`;
    printChange({ mails: replayed }, [sentence], options);
  });
}
