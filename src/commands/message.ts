/** `carillon message`: shows the outcome of a message, or cancels the message. */
import { Command } from 'commander';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { readReason, shownReason } from '../foundation/sentences.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { parseMessageId, type StatusName, statusNames } from '../messages/message.ts';
import * as messages from '../messages/operator/cancel.ts';
import {
  detailOf,
  type InspectedMessage,
  inspectMessage,
  type TimelineEntry,
} from '../messages/operator/inspect.ts';
import type { AnswerOf, Api } from './api.ts';
import { actsAsEither, type CallerOptions, refuseOptionsBefore } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { type Fact, factLines, instant, iso, type JsonOption, printChange, printRows } from './list.ts';
import { tellServer } from './tell-server.ts';

export function messageCommand(): Command {
  const message = new Command('message').argument('<id>', 'id of the message, as returned when it was sent');
  refuseOptionsBefore(actsAsEither(message.enablePositionalOptions(), showAsUser, show));
  actsAsEither(message.command('cancel <id>'), cancelAsUser, cancel).description(
    'cancel a scheduled or queued message; its quota is returned unless a carrier may already have it',
  );
  return message;
}

type Options = CallerOptions & JsonOption;
type OwnMessage = AnswerOf<'GET', '/api/v1/messages/{id}'>;

type Entry = Pick<TimelineEntry, 'what' | 'part' | 'parts' | 'carrier'> & {
  readonly time: string;
  readonly details: string;
};

type ShownOf = 'id' | 'username' | 'to' | 'from' | 'carrier' | 'accepted' | 'expires' | 'changed';
type Shown = Pick<OwnMessage, ShownOf | 'status' | 'attempts' | 'inDoubt' | 'leftOut'> & {
  readonly timeline: readonly Entry[];
};

const timelineColumns = {
  AT: ({ time }: Entry) => time,
  WHAT: ({ what }: Entry) => what,
  PART: ({ part, parts }: Entry) => (part === undefined ? '' : `${part}/${parts}`),
  CARRIER: ({ carrier = '' }: Entry) => carrier,
  DETAIL: ({ details }: Entry) => details,
};

function printMessage({ timeline, leftOut, ...message }: Shown, ...last: readonly Fact[]): void {
  const facts = factLines([
    ['message', message.id],
    ['of', message.username],
    ['to', message.to],
    ['from', message.from],
    ['carrier', message.carrier],
    ['accepted', instant(message.accepted)],
    ['expires', instant(message.expires)],
    ['status', `${message.status} since ${instant(message.changed)}`],
    ['attempts', String(message.attempts)],
    ['in doubt', message.inDoubt ? 'yes: it may have been sent twice' : 'no'],
    ...last,
  ]);
  print(...facts, '');
  printRows(timeline, timelineColumns);
  if (leftOut > 0) print(`${leftOut} events in between were not kept.`);
}

async function showAsUser(api: Api, id: string, { json = false }: Options): Promise<void> {
  const message = await api.get('/api/v1/messages/{id}', { id });
  if (json) printJson(message, 2);
  else printMessage(message, ['why', message.why], ['to do', message.todo]);
}

async function show(id: string, { json = false }: Options): Promise<void> {
  await inStore(async (store) => {
    const messageId = parseMessageId(id);
    const message = messageId === undefined ? null : await store.read(inspectMessage, messageId);
    if (message === null) throw new StartError(`There is no message ${id}.`);
    if (json) return printJson(asJson(message), 2);
    const { company, username, recipient, sender, carrier, attempts, reason, timeline } = message;
    const { leftOut, entries } = timeline;
    const shown = {
      id: String(message.id),
      username: `${username} (${company})`,
      to: recipient,
      from: sender,
      carrier,
      accepted: iso(message.createdAt),
      expires: iso(message.expiresAt),
      changed: iso(message.changedAt),
      status: statusNames[message.status] as StatusName,
      attempts,
      inDoubt: message.inDoubt > 0,
      timeline: entries.map((entry) => ({ ...entry, time: iso(entry.at), details: detailOf(entry) })),
      leftOut,
    };
    printMessage(shown, ['reason', reason === null ? '' : readReason(reason).text]);
  });
}

/** For programs: ids and times as the API and logs write them, statuses by name, and absent values left out. */
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

function tellCanceled(id: string, status: string, options: JsonOption): void {
  printChange({ id, status }, [`Message ${id} is ${status}.`], options);
}

async function cancelAsUser(api: Api, id: string, options: Options): Promise<void> {
  const { status } = await api.post('/api/v1/messages/{id}/cancel', { id });
  tellCanceled(id, status, options);
}

async function cancel(id: string, options: Options): Promise<void> {
  await inStore(async (store, config) => {
    tellCanceled(id, await messages.cancel(store, systemClock, id), options);
    await tellServer(config, { event: 'operator_command', object: `message cancel ${id}` });
  });
}
