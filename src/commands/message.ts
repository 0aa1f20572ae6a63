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
import type { AnswerOf } from './api.ts';
import { type CallerOptions, callerApi, refuseOptionsBefore, withEither } from './as-caller.ts';
import {
  factLines,
  instant,
  instantOf,
  iso,
  type JsonOption,
  jsonOption,
  printChange,
  printTable,
} from './list.ts';
import { tellServer } from './tell-server.ts';

export function messageCommand(): Command {
  const message = refuseOptionsBefore(withEither(new Command('message')).enablePositionalOptions());
  message.argument('[id]', 'the id that sending answered with');
  message.option(...jsonOption).action(show);
  withEither(message.command('cancel <id>'))
    .description(
      'cancel a scheduled or queued message; its quota comes back unless a carrier may have it all the same',
    )
    .option(...jsonOption)
    .action(cancel);
  return message;
}

async function show(id: string | undefined, options: CallerOptions & JsonOption): Promise<void> {
  if (id === undefined) throw new StartError('Give the id of a message: carillon message ID');
  const { json = false } = options;
  const api = await callerApi(options);
  if (api !== undefined) {
    const message = await api.get('/api/v1/messages/{id}', { id });
    return json ? printJson(message, 2) : showOwn(message);
  }
  await withStore(readConfig(process.env), async (store) => {
    const messageId = parseMessageId(id);
    const message = messageId === undefined ? null : await store.read(inspectMessage, messageId);
    if (message === null) throw new StartError(`There is no message ${id}.`);
    if (json) {
      printJson(asJson(message), 2);
      return;
    }
    print(
      ...factLines([
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
      ]),
      '',
    );
    printTimeline(message);
  });
}

const timelineHeads = ['AT', 'WHAT', 'PART', 'CARRIER', 'DETAIL'];

/** As the API tells it to its user, with what can be done. */
function showOwn(message: AnswerOf<'GET', '/api/v1/messages/{id}'>): void {
  print(
    ...factLines([
      ['message', message.id],
      ['of', message.username],
      ['to', message.to],
      ['from', message.from],
      ['carrier', message.carrier],
      ['accepted', instantOf(message.accepted)],
      ['expires', instantOf(message.expires)],
      ['status', `${message.status} since ${instantOf(message.changed)}`],
      ['attempts', String(message.attempts)],
      ['in doubt', message.inDoubt ? 'yes: it may have been sent twice' : 'no'],
      ['why', message.why],
      ...(message.todo === undefined ? [] : [['to do', message.todo] as const]),
    ]),
    '',
  );
  printTable(
    timelineHeads,
    message.timeline.map(({ time, what, part, parts, carrier = '', details }) => [
      ...[time, what, part === undefined ? '' : `${part}/${parts}`, carrier, details],
    ]),
  );
  tellLeftOut(message.leftOut);
}

function tellLeftOut(count: number): void {
  if (count > 0) print(`${count} events in between were not kept.`);
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
    timelineHeads,
    timeline.entries.map((entry) => [
      iso(entry.at),
      entry.what,
      entry.part === undefined ? '' : `${entry.part}/${entry.parts}`,
      entry.carrier ?? '',
      detailOf(entry),
    ]),
  );
  tellLeftOut(timeline.leftOut);
}

async function cancel(id: string, options: CallerOptions & JsonOption): Promise<void> {
  const tell = (status: string) => printChange({ id, status }, [`Message ${id} is ${status}.`], options);
  const api = await callerApi(options);
  if (api !== undefined) return tell((await api.post('/api/v1/messages/{id}/cancel', { id })).status);
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    tell(await messages.cancel(store, systemClock, id));
    await tellServer(config, { event: 'operator_command', object: `message cancel ${id}` });
  });
}
