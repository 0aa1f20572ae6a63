/** `carillon message`: what became of one message, and taking it back. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { readReason, shownReason } from '../foundation/sentences.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { parseMessageId, statusNames } from '../messages/message.ts';
import * as messages from '../messages/operator/cancel.ts';
import { detailOf, type InspectedMessage, inspectMessage } from '../messages/operator/inspect.ts';
import { instant, iso, type JsonOption, jsonOption, printChange, printTable } from './list.ts';
import { tellServer } from './tell-server.ts';

export function messageCommand(): Command {
  const message = new Command('message').enablePositionalOptions();
  message.argument('[id]', 'the id that sending answered with');
  message.option(...jsonOption).action(show);
  message
    .command('cancel <id>')
    .description(
      'cancel a scheduled or queued message; its quota comes back unless a carrier may have it all the same',
    )
    .option(...jsonOption)
    .action(cancel);
  return message;
}

async function show(id: string | undefined, { json = false }: JsonOption): Promise<void> {
  if (id === undefined) throw new StartError('Give the id of a message: carillon message ID');
  await withStore(readConfig(process.env), async (store) => {
    const messageId = parseMessageId(id);
    const message = messageId === undefined ? null : await store.read(inspectMessage, messageId);
    if (message === null) throw new StartError(`There is no message ${id}.`);
    if (json) {
      printJson(asJson(message), 2);
      return;
    }
    const lines: readonly (readonly [string, string])[] = [
      ['message', String(message.id)],
      ['of', `${message.username} (${message.company})`],
      ['to', message.recipient],
      ['from', message.sender],
      ['carrier', message.carrier],
      ['accepted', instant(message.createdAt)],
      ['expires', instant(message.expiresAt)],
      ['status', `${statusNames[message.status]} since ${instant(message.changedAt)}`],
      ['attempts', String(message.attempts)],
      ['in doubt', message.inDoubt > 0 ? 'yes: it may have been sent twice' : 'no'],
      ['reason', message.reason === null ? '' : readReason(message.reason).text],
    ];
    for (const [name, value] of lines) print(`${name.padEnd(10)}${value}`.trimEnd());
    print();
    printTimeline(message);
  });
}

/** For programs: ids and times as the API and logs write them, statuses by their names; what there is not is absent. */
function asJson(message: InspectedMessage) {
  const { company, username, recipient, sender, parts, carrier, attempts, reason, timeline } = message;
  return {
    id: String(message.id),
    company,
    username,
    recipient,
    sender,
    parts,
    carrier,
    attempts,
    status: statusNames[message.status],
    inDoubt: message.inDoubt > 0,
    ...shownReason(reason),
    acceptedAt: iso(message.createdAt),
    expiresAt: iso(message.expiresAt),
    changedAt: iso(message.changedAt),
    timeline: timeline.entries.map(({ at, what, submittedAt, scheduledFor, againAt, ...entry }) => ({
      at: iso(at),
      what,
      ...entry,
      submittedAt: iso(submittedAt),
      scheduledFor: iso(scheduledFor),
      againAt: iso(againAt),
    })),
    leftOut: timeline.leftOut,
  };
}

function printTimeline({ timeline }: InspectedMessage): void {
  printTable(
    ['AT', 'WHAT', 'PART', 'CARRIER', 'DETAIL'],
    timeline.entries.map((entry) => [
      iso(entry.at),
      entry.what,
      entry.part === undefined ? '' : `${entry.part}/${entry.parts}`,
      entry.carrier ?? '',
      detailOf(entry),
    ]),
  );
  if (timeline.leftOut > 0) print(`${timeline.leftOut} events in between were not kept.`);
}

async function cancel(id: string, options: JsonOption): Promise<void> {
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    const status = await messages.cancel(store, systemClock, id);
    printChange({ id, status }, [`Message ${id} is ${status}.`], options);
    await tellServer(config, { event: 'operator_command', object: `message cancel ${id}` });
  });
}
