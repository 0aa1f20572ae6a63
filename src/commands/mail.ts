/** `carillon mail`: what came by mail of late and what became of it, what would become of a mail, and mail that goes out. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { type ListedMail, listRecentMails } from '../email/gateway/recent-mail.ts';
import { print } from '../foundation/terminal.ts';
import type { CheckOptions } from './check-mail.ts';
import { iso, type JsonOption, jsonOption, limitOption, printList } from './list.ts';
import { addOutboxCommands } from './mail-outbox.ts';
import { instant } from './table.ts';

const shown = 50;
const maxShown = 1_000;

export function mailCommand(): Command {
  const mail = new Command('mail');
  mail
    .command('recent')
    .description('show what became of the latest mails: sent as which SMS, or why not')
    .option('--company <name>', 'of this company only')
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
  await withStore(readConfig(process.env), async (store) => {
    const mails = await store.read(listRecentMails, { company: company ?? null, limit });
    printList(mails, shape, { json });
    if (!json && mails.some(({ isProven }) => !isProven))
      print('', 'In parentheses: nothing has proven that sender.');
  });
}

const shape = {
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
