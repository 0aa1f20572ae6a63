/** `carillon mail`: what came by mail of late and what became of it, what would become of a mail, and mail that goes out. */
import { Command } from 'commander';
import { type ListedMail, listRecentMails } from '../email/gateway/recent-mail.ts';
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
import { print } from '../foundation/terminal.ts';
import { companyOption, inStore } from './as-operator.ts';
import type { CheckOptions } from './check-mail.ts';
import { instant, iso, type JsonOption, jsonOption, limitOption, printChange, printList } from './list.ts';

const shown = 50;
const maxShown = 1_000;

export function mailCommand(): Command {
  const mail = new Command('mail');
  mail
    .command('recent')
    .description('show what became of the latest mails: sent as which SMS, or why not')
    .option(...companyOption)
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption)
    .action(recent);
  mail
    .command('check <file>')
    .description('tell what would become of a mail, and why; exit code 2: nothing would be sent')
    .option('--from <address>', 'sender of the envelope (default: Return-Path, else From)')
    .option('--to <address>', 'recipient, as often as needed (default: those of To and Cc)', collected, [])
    .option('--client <address>', 'IP address of the server that brings it (default: nobody’s)', '0.0.0.0')
    .option('--user <username>', 'who has logged in to bring it')
    .option('--dns <file>', 'a file of DNS records, in place of asking DNS')
    .option(...jsonOption)
    .action(async (file: string, options: CheckOptions) => {
      const { check } = await import('./check-mail.ts');
      await check(file, options);
    });
  addOutboxCommands(mail);
  mail
    .command('test <address>')
    .description('send a mail by the relay, and show what is said between the two')
    .action(async (address: string) => (await import('./mail-test.ts')).testRelay(address));
  return mail;
}

function collected(one: string, before: readonly string[]): readonly string[] {
  return [...before, one];
}

interface Options extends JsonOption {
  readonly company?: string;
  readonly limit: number;
}

async function recent({ company, limit, json = false }: Options): Promise<void> {
  await inStore(async (store) => {
    const mails = await store.read(listRecentMails, { company: company ?? null, limit });
    printList(mails, recentShape, { json });
    if (!json && mails.some(({ isProven }) => !isProven))
      print('', 'In parentheses: nothing has proven that sender.');
  });
}

const recentShape = {
  none: 'No mail has come of late.',
  columns: {
    RECEIVED: ({ receivedAt }: ListedMail) => instant(receivedAt),
    SERVER: ({ address }: ListedMail) => address,
    FROM: ({ isProven, sender }: ListedMail) => (isProven ? sender : `(${sender})`),
    TO: ({ recipients, recipientCount }: ListedMail) => named(recipients, recipientCount),
    OUTCOME: ({ outcome, reason }: ListedMail) => (reason === null ? outcome : `${outcome}: ${reason}`),
    ANSWER: ({ answer }: ListedMail) => answer,
  },
  toJson: ({ receivedAt, ...mail }: ListedMail) => ({ receivedAt: iso(receivedAt), ...mail }),
};

function named(recipients: readonly string[], count: number): string {
  const [first = ''] = recipients;
  return count > 1 ? `${first} and ${count - 1} more` : first;
}

/** Mails that wait for the relay, and those that it refused or that were given up. */
function addOutboxCommands(mail: Command): void {
  const outbox = mail.command('outbox').description('mails that wait to go out, or could not');
  outbox
    .command('list', { isDefault: true })
    .description('show what has failed, with what the relay said, and what waits')
    .option(...companyOption)
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

async function list(options: ListOptions): Promise<void> {
  const { company = null, failed = false, waiting = false, limit } = options;
  const state = failed === waiting ? 'all' : failed ? 'failed' : 'waiting';
  await inStore(async (store) =>
    printList(await store.read(listOutbox, { company, state, limit }), outboxShape, options),
  );
}

const outboxShape = {
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
  await inStore(async (store) => {
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
