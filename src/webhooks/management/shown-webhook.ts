/** A webhook, and a try to post to it, in the words of the management API. */
import Type from 'typebox';
import { statusNameSchema } from '../../messages/status-name-schema.ts';
import { type DisabledReason, disabledReasons, type EventType, eventTypes } from '../endpoint.ts';
import type { Attempt } from '../sending/sending-store.ts';
import type { VisibleWebhook } from './list-store.ts';

const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });
const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC).` });
const count = (description: string) => Type.Integer({ description });
const iso = (at: number | null) => (at === null ? undefined : new Date(at).toISOString());

const eventType = Type.Unsafe<EventType>({ title: 'EventType', type: 'string', enum: [...eventTypes] });

export const texts = ['none', 'full'] as const;
const states = ['works', 'failing', 'disabled', 'inactive'] as const;
const reasons = Object.keys(disabledReasons) as DisabledReason[];

/** The parameters that stand for a key of a provisioning file, where they are not the same. */
const parametersOf: Readonly<Record<string, readonly string[]>> = {
  secrets: ['secret'],
  filter: ['statuses', 'costCenter', 'conversationPrefix', 'batchId'],
};

/** An event as it is posted. */
export const toldEvent = Type.Object(
  {
    type: Type.String({ description: 'As `message.status`.' }),
    timestamp: Type.String({ description: 'When it happened (ISO 8601, UTC).' }),
    seq: Type.Integer({ description: 'Its number among the events of the webhook: these have no holes.' }),
    data: Type.Object({}, { description: 'What is told, as it is posted.' }),
  },
  { title: 'Event' },
);

export const webhookFields = {
  id: Type.String(),
  name: Type.String({
    description: 'What a provisioning file has as its `id`; of a callback, the name of the system user.',
  }),
  kind: oneOf(
    ['webhook', 'callback'] as const,
    'A callback tells a system user of its jobs; it is set up by the operator.',
  ),
  username: Type.Optional(
    Type.String({ description: 'The user whose messages it tells of; absent: all of the company.' }),
  ),
  url: Type.String({ description: 'Where events are posted.' }),
  events: Type.Array(eventType, { description: 'What it tells of.' }),
  statuses: Type.Optional(
    Type.Array(statusNameSchema, {
      description: 'Absent: all but QUEUED and SCHEDULED.',
    }),
  ),
  costCenter: Type.Optional(Type.String({ description: 'Only of this cost centre.' })),
  conversationPrefix: Type.Optional(Type.String({ description: 'Only of conversations that begin so.' })),
  batchId: Type.Optional(Type.String({ description: 'Only of this batch.' })),
  batch: Type.Boolean({ description: 'Several events in a post.' }),
  text: oneOf(texts, '`full`: with the texts of messages.'),
  active: Type.Boolean({ description: 'False: nothing is posted, by choice.' }),
  secrets: count('How many sign what is posted: two while one is changed, 0: nothing is signed.'),
  version: Type.String({ description: 'Counts from 1; each change makes the next.' }),
  managed: Type.Boolean({ description: 'A provisioning file has set some of it, which it alone changes.' }),
  managedKeys: Type.Array(Type.String(), { description: 'What it has set.' }),
  state: oneOf(states, '`failing`: the receiver does not take what is posted.'),
  failingSince: Type.Optional(time('Since when')),
  disabledSince: Type.Optional(time('Since when nothing is posted')),
  disabledWhy: Type.Optional(
    oneOf(reasons, '`gone`: the receiver has answered 410; `failures`: for five days; else by people.'),
  ),
  lastSeq: count('The number of the newest event.'),
  backlog: count('Events that were not posted yet, beside those that wait to be tried again.'),
  lost: count('Events since it was made that were not kept for it.'),
  replay: Type.Optional(
    Type.Object(
      { next: Type.Integer(), last: Type.Integer() },
      { title: 'EventRange', description: 'The numbers of the events that are being posted again.' },
    ),
  ),
};

export const webhookSchema = Type.Object(webhookFields, { title: 'Webhook' });

export function shownWebhook(webhook: VisibleWebhook) {
  const { id, name, systemUserId, username, url, events, filter, lastSeq, doneSeq, replayNext } = webhook;
  const { managedKeys, failingSince, disabledAt, disabledReason } = webhook;
  const state = stateOf(webhook);
  return {
    id: String(id),
    name,
    username: username ?? undefined,
    url,
    events,
    kind: systemUserId === null ? ('webhook' as const) : ('callback' as const),
    statuses: filter.statuses,
    costCenter: filter.costCenter,
    batchId: filter.batch,
    conversationPrefix: filter.conversationPrefix,
    batch: webhook.batch === 1,
    text: webhook.fullText === 1 ? ('full' as const) : ('none' as const),
    active: webhook.active === 1,
    secrets: webhook.secrets,
    version: String(webhook.version),
    managed: systemUserId !== null || managedKeys.length > 0,
    managedKeys: managedKeys.filter((key) => key !== 'id').flatMap((key) => parametersOf[key] ?? [key]),
    state,
    failingSince: state === 'failing' ? iso(failingSince) : undefined,
    disabledSince: iso(disabledAt),
    disabledWhy: reasons.find((reason) => disabledReasons[reason] === disabledReason),
    lastSeq,
    backlog: lastSeq - doneSeq,
    lost: webhook.lost,
    replay: replayNext === null ? undefined : { next: replayNext, last: webhook.replayTo ?? replayNext },
  };
}

function stateOf({ active, disabledAt, failingSince }: VisibleWebhook): (typeof states)[number] {
  if (active === 0) return 'inactive';
  if (disabledAt !== null) return 'disabled';
  return failingSince === null ? 'works' : 'failing';
}

export const attemptFields = {
  number: Type.String({ description: 'Of the tries to post to this webhook.' }),
  time: time('When'),
  firstSeq: count('The number of the first event that was posted.'),
  events: count('How many were.'),
  tries: count('Which try of these events it was, from 1 on.'),
  address: Type.Optional(Type.String({ description: 'That was connected to.' })),
  statusCode: Type.Optional(Type.Integer({ description: 'Of HTTP; absent: nothing was answered.' })),
  error: Type.Optional(Type.String({ description: 'Why nothing was answered.' })),
  milliseconds: count('That it took.'),
  answer: Type.String({ description: 'What was answered: the first 200 characters.' }),
};

const listedAnswerLength = 200;

export function shownAttempt(attempt: Attempt, answerLength = listedAnswerLength) {
  const { number, at, firstSeq, events, tries, address, status, error, durationMs, answer } = attempt;
  return {
    number: String(number),
    time: new Date(at).toISOString(),
    firstSeq,
    events,
    tries,
    address: address ?? undefined,
    statusCode: status ?? undefined,
    error: error ?? undefined,
    milliseconds: durationMs,
    answer: answer.slice(0, answerLength).replace(/[\uD800-\uDBFF]$/, ''),
  };
}
