/** One message as the management API shows it, with its timeline and an explanation in plain words. */
import Type from 'typebox';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { told } from '../../http/answers/error-response.ts';
import { text } from '../../http/parameters/kinds.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { type StatusName, statusNames } from '../message.ts';
import {
  detailOf,
  type InspectedMessage,
  type ListedMessage,
  type TimelineEntry,
} from '../operator/inspect.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import { explain, explainReceipt } from './explain.ts';
import { type Language, languages } from './explanation.ts';

const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });

const timelineEntry = Type.Object(
  {
    time: time('When'),
    what: Type.Unsafe<TimelineEntry['what']>({
      type: 'string',
      description: 'As `accepted`, `claimed`, `taken`, `retry`, `receipt`.',
    }),
    part: Type.Optional(Type.Integer()),
    parts: Type.Optional(Type.Integer({ description: 'In how many the carrier has it.' })),
    carrier: Type.Optional(Type.String()),
    toCarrier: Type.Optional(Type.String({ description: 'To which it was passed on.' })),
    attempt: Type.Optional(Type.Integer()),
    carrierMessageId: Type.Optional(
      Type.String({ description: 'The id of the part at the carrier, for questions to it.' }),
    ),
    handedOver: Type.Optional(time('When it was written to the carrier, whose answer the entry is')),
    scheduledFor: Type.Optional(time('When it is to be sent')),
    againAt: Type.Optional(time('When it is tried again')),
    status: Type.Optional(statusNameSchema),
    errorCode: Type.Optional(Type.String({ description: "The carrier's own, as its receipt has it." })),
    reason: Type.Optional(Type.String({ description: 'What the carrier said, or the person who did it.' })),
    reasonValues: told.values,
    receipt: Type.Optional(
      Type.Object(
        {
          text: Type.String({
            description: 'As it came: its text in a line, and what it says beside that in further ones.',
          }),
          fields: Type.Array(
            Type.Object({
              name: Type.String(),
              value: Type.String(),
              meaning: Type.String({ description: 'In words.' }),
            }),
          ),
        },
        { description: 'The receipt of the carrier, where it has one in writing.' },
      ),
    ),
    details: Type.String({ description: 'The same in words.' }),
  },
  { title: 'MessageTimelineEntry' },
);

export const simulatedSchema = Type.Optional(
  Type.Boolean({
    description: 'True where its carrier is a simulator, so that no phone gets it; otherwise absent.',
  }),
);

/** What each message in an answer has. */
export const messageFields = {
  id: Type.String(),
  to: Type.String(),
  from: Type.String(),
  status: statusNameSchema,
  statusCode: Type.String({ description: 'The code of the status, 0 to 15.' }),
  accepted: time('When it was accepted'),
  changed: time('When its status changed'),
  parts: Type.Integer({ description: 'Number of SMS parts.' }),
  username: Type.String({ description: 'Who sent it.' }),
  batchId: Type.Optional(Type.String({ description: 'Of the batch that it belongs to.' })),
  conversation: Type.String(),
  costCenter: Type.String(),
  simulated: simulatedSchema,
};

export const shownMessageFields = {
  ...messageFields,
  message: Type.String({ description: 'Its text.' }),
  flash: Type.Boolean(),
  expires: time('Until when delivery is tried'),
  carrier: Type.String({ description: 'The carrier that has it, or is to have it.' }),
  attempts: Type.Integer({ description: 'How often it was given to a carrier.' }),
  inDoubt: Type.Boolean({ description: 'It may have been sent twice.' }),
  why: Type.String({ description: 'Why it is where it is, in a sentence.' }),
  todo: Type.Optional(Type.String({ description: 'What can be done; absent where nothing need be.' })),
  timeline: Type.Array(timelineEntry, { description: 'The earliest first.' }),
  leftOut: Type.Integer({ description: 'Entries in the middle that were not kept.' }),
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
    expires: iso(message.expiresAt),
    carrier,
    attempts,
    inDoubt: message.inDoubt > 0,
    ...explain(message, language),
    timeline: timeline.entries.map((entry) => shownEntry(entry, language)),
    leftOut: timeline.leftOut,
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

/** The language in which a call is told of messages in sentences. */
export const languageParameter = ruled(
  text({
    get: 'language',
    maxLength: 10,
    description: '`en` or `sv`: of what is told in sentences; English unless told.',
  }),
  (given): Result<Language> => {
    const known = languages.find((one) => one === given);
    return known === undefined
      ? fault('invalid_value', `${quoted(given)} is none of the languages ${languages.join(', ')}.`)
      : success(known);
  },
);
