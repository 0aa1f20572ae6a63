/** Shows one message in the management API, with its timeline and an explanation in plain words. */
import Type from 'typebox';
import type { Language } from '../../foundation/language.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { type Category, categories, categoryOf } from '../../wire/category.ts';
import { type StatusName, statusNames } from '../message.ts';
import {
  detailOf,
  type InspectedMessage,
  type ListedMessage,
  type TimelineEntry,
} from '../operator/inspect.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import { explain, explainReceipt } from './explain.ts';

const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });

const timelineEntry = Type.Object(
  {
    time: time('When it happened'),
    what: Type.Unsafe<TimelineEntry['what']>({
      type: 'string',
      description: 'Such as `accepted`, `claimed`, `taken`, `retry` or `receipt`.',
    }),
    part: Type.Optional(Type.Integer()),
    parts: Type.Optional(Type.Integer({ description: 'Number of parts that the SMS has at the carrier.' })),
    carrier: Type.Optional(Type.String()),
    toCarrier: Type.Optional(Type.String({ description: 'The carrier that the SMS was passed on to.' })),
    attempt: Type.Optional(Type.Integer()),
    carrierMessageId: Type.Optional(
      Type.String({ description: 'The carrier’s id of the part, to give to the carrier’s support.' }),
    ),
    handedOver: Type.Optional(
      time('When the message was written to the carrier; this entry is the carrier’s answer'),
    ),
    scheduledFor: Type.Optional(time('When it is to be sent')),
    againAt: Type.Optional(time('When it will be tried again')),
    status: Type.Optional(statusNameSchema),
    errorCode: Type.Optional(
      Type.String({ description: "The carrier's own error code, as in its receipt." }),
    ),
    reason: Type.Optional(Type.String({ description: 'The carrier’s words, or the person who did it.' })),
    reasonValues: errorContent.values,
    receipt: Type.Optional(
      Type.Object(
        {
          text: Type.String({
            description: 'The receipt as received: its text on one line, its other fields on the next.',
          }),
          fields: Type.Array(
            Type.Object({
              name: Type.String(),
              value: Type.String(),
              meaning: Type.String({ description: 'Meaning of the value in words.' }),
            }),
          ),
        },
        { description: 'The carrier’s receipt, if it has a text.' },
      ),
    ),
    details: Type.String({ description: 'Explanation of the entry in words.' }),
  },
  { title: 'MessageTimelineEntry' },
);

export const simulatedSchema = Type.Optional(
  Type.Boolean({
    description: 'True if its carrier is a simulator, so no phone gets it; otherwise absent.',
  }),
);

/** The fields of each message in an answer. */
export const messageFields = {
  id: Type.String(),
  to: Type.String(),
  from: Type.String(),
  status: statusNameSchema,
  statusCode: Type.String({ description: 'The code of the status, 0 to 15.' }),
  accepted: time('When it was accepted'),
  changed: time('When its status changed'),
  scheduleTime: Type.Optional(time('When it is to be sent; absent unless it is scheduled')),
  parts: Type.Integer({ description: 'Number of SMS parts.' }),
  username: Type.String({ description: 'User who sent the SMS.' }),
  batchId: Type.Optional(Type.String({ description: 'Id of the batch that the SMS belongs to.' })),
  conversation: Type.String(),
  costCenter: Type.String(),
  simulated: simulatedSchema,
};

export const shownMessageFields = {
  ...messageFields,
  message: Type.String({ description: 'Text of the SMS.' }),
  flash: Type.Boolean(),
  category: Type.Unsafe<Category>({ type: 'string', enum: [...categories] }),
  expires: time('Until when delivery is attempted'),
  carrier: Type.String({ description: 'The carrier that has it or will get it.' }),
  attempts: Type.Integer({ description: 'Number of submission attempts.' }),
  inDoubt: Type.Boolean({ description: 'Whether the SMS may have been sent twice.' }),
  why: Type.String({ description: 'Reason for its status, in a sentence.' }),
  todo: Type.Optional(Type.String({ description: 'What to do; absent if there is nothing to do.' })),
  timeline: Type.Array(timelineEntry, { description: 'Earliest first.' }),
  leftOut: Type.Integer({ description: 'Number of entries in the middle that were not kept.' }),
  sendingId: Type.Optional(Type.String({ description: 'Id of the sending that the SMS belongs to.' })),
  webhookId: Type.Optional(
    Type.String({ description: 'Id of the webhook for the `callbackurl` of its call.' }),
  ),
};

const iso = (at: number) => new Date(at).toISOString();
const maybe = (at: number | undefined) => (at === undefined ? undefined : iso(at));

export function listedMessage(message: ListedMessage) {
  const { id, recipient: to, sender: from, status, parts, username, batchId, conversation } = message;
  return {
    id: String(id),
    to,
    from,
    status: statusNames[status] as StatusName,
    statusCode: String(status),
    accepted: iso(message.createdAt),
    changed: iso(message.changedAt),
    scheduleTime: message.scheduledAt === null ? undefined : iso(message.scheduledAt),
    parts,
    username,
    batchId: batchId === null ? undefined : String(batchId),
    conversation,
    costCenter: message.costCenter,
    simulated: message.simulated === 1 || undefined,
  };
}

export function shownMessage(message: InspectedMessage, language: Language) {
  const { text, carrier, attempts, timeline } = message;
  return {
    ...listedMessage(message),
    message: text,
    flash: message.flash === 1,
    category: categoryOf(message.category),
    expires: iso(message.expiresAt),
    carrier,
    attempts,
    inDoubt: message.inDoubt > 0,
    ...explain(message, language),
    timeline: timeline.entries.map((entry) => shownEntry(entry, language)),
    leftOut: timeline.leftOut,
    sendingId: message.sendingId === null ? undefined : String(message.sendingId),
    webhookId: message.callbackId === null ? undefined : String(message.callbackId),
  };
}

function shownEntry(entry: TimelineEntry, language: Language) {
  const { at, what, part, parts, carrier, toCarrier, attempt, status, errorCode, receipt } = entry;
  return {
    time: iso(at),
    what,
    part,
    parts,
    carrier,
    toCarrier,
    attempt,
    carrierMessageId: entry.carrierMessageId,
    handedOver: maybe(entry.submittedAt),
    scheduledFor: maybe(entry.scheduledFor),
    againAt: maybe(entry.againAt),
    status,
    errorCode,
    reason: entry.reason,
    reasonValues: entry.reasonValues,
    ...(receipt !== undefined && {
      receipt: { text: receipt, fields: [...explainReceipt(receipt, status, language)] },
    }),
    details: detailOf(entry),
  };
}
