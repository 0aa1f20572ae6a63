/** `carillon mail recent`: what came by mail of late, from whom to whom, and what became of it. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import type { ListedMail } from '../email/gateway/recent-mail-store.ts';
import { listRecentMails } from '../email/gateway/recent-mail-store.ts';
import { StartError } from '../foundation/errors.ts';
import { print } from '../foundation/terminal.ts';
import { iso, type JsonOption, jsonOption, printList } from './list.ts';
import { instant } from './table.ts';

const shown = 50;
const maxShown = 1_000;

export function mailCommand(): Command {
  const mail = new Command('mail').description('mails to phones');
  mail
    .command('recent')
    .description('show what became of the latest mails: sent as which SMS, or why not')
    .option('--company <name>', 'of this company only')
    .option('--limit <count>', 'show at most this many', String(shown))
    .option(...jsonOption)
    .action(recent);
  return mail;
}

interface Options extends JsonOption {
  readonly company?: string;
  readonly limit: string;
}

async function recent({ company, limit, json = false }: Options): Promise<void> {
  if (!/^[1-9][0-9]{0,3}$/.test(limit) || Number(limit) > maxShown)
    throw new StartError(`The limit is a number from 1 to ${maxShown}, not ${JSON.stringify(limit)}.`);
  await withStore(readConfig(process.env), async (store) => {
    const mails = await store.read(listRecentMails, { company: company ?? null, limit: Number(limit) });
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
