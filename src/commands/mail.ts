/** `carillon mail`: shows recent incoming mail and its outcome, what would happen to an e-mail, and outgoing mail. */
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
    .description('show what became of the latest e-mails: the SMS that were sent, or why none was')
    .option(...companyOption)
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption)
    .action(recent);
  mail
    .command('check <file>')
    .description('show what would become of an e-mail, and why; exit code 2: nothing would be sent')
    .option('--from <address>', 'sender of the envelope (default: Return-Path, otherwise From)')
    .option(
      '--to <address>',
      'recipient, can be repeated (default: the addresses in To and Cc)',
      collected,
      [],
    )
    .option(
      '--client <address>',
      'IP address of the server that delivers the e-mail (default: an unknown server)',
      '0.0.0.0',
    )
    .option('--user <username>', 'the user who has logged in to deliver the e-mail')
    .option('--dns <file>', 'a file of DNS records to use instead of DNS')
    .option(...jsonOption)
    .action(async (file: string, options: CheckOptions) => {
      const { check } = await import('./check-mail.ts');
      await check(file, options);
    });
  addOutboxCommands(mail);
  mail
    .command('test <address>')
    .description('send a test e-mail through the relay, and show the dialogue')
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
    if (!json && mails.some(({ isProven }) => !isProven)) print('', 'Senders in parentheses are not proven.');
  });
}

const recentShape = {
  none: 'No mail has arrived recently.',
  columns: {
    RECEIVED: ({ receivedAt }: ListedMail) => instant(receivedAt),
    SERVER: ({ address }: ListedMail) => address,
    FROM: ({ isProven, sender }: ListedMail) => (isProven ? sender : `(${sender})`),
    TO: ({ recipients, recipientCount }: ListedMail) => named(recipients, recipientCount),
    OUTCOME: ({ outcome, reason }: ListedMail) => (reason === null ? outcome : `${outcome}: ${reason}`),
    ANSWER: ({ answer }: ListedMail) => answer,
  },
  toJson: ({ receivedAt, slot: _, ...mail }: ListedMail) => ({ receivedAt: iso(receivedAt), ...mail }),
};

function named(recipients: readonly string[], count: number): string {
  const [first = ''] = recipients;
  return count > 1 ? `${first} and ${count - 1} more` : first;
}

/** Commands for outgoing e-mails that are waiting, were refused by the relay, or were given up. */
function addOutboxCommands(mail: Command): void {
  const outbox = mail.command('outbox').description('outgoing e-mails that are waiting or have failed');
  outbox
    .command('list', { isDefault: true })
    .description('show failed e-mails, with the relay’s responses, and waiting e-mails')
    .option(...companyOption)
    .option('--failed', 'only failed e-mails')
    .option('--waiting', 'only waiting e-mails')
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption)
    .action(list);
  outbox
    .command('replay [mails...]')
    .description('send failed e-mails again, by their Message-IDs')
    .option('--all', 'all failed e-mails')
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
  none: 'No mail is waiting, and none has failed.',
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
    throw new StartError('Give the Message-IDs of the e-mails, or --all, not both.');
  await inStore(async (store) => {
    const failed = all ? ((await store.read(measureOutbox, null))?.failed ?? 0) : messageIds.length;
    const input = { messageIds: all ? null : messageIds };
    let replayed = 0;
    // E-mails that fail again in the meantime go to the end of the queue, and are not sent a third time.
    for (let rounds = Math.ceil(failed / replayLimit); rounds > 0; rounds -= 1)
      replayed += await store.write(replayMails, { ...input, now: systemClock.now() });
    store.announce(outgoingMailTopic);
    const sentence = replayed === 1 ? '1 e-mail is sent again.' : `${replayed} e-mails are sent again.`;
    printChange({ mails: replayed }, [sentence], options);
  });
}
