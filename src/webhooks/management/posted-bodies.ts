/** The bodies of posts, as the API and its OpenAPI document describe them, from the declarations of the events' data. */
import Type, { type TObject, type TSchema } from 'typebox';
import type { DescribedPost, DescribedPosts } from '../../http/docs/openapi-webhooks.ts';
import { statusNames } from '../../messages/message.ts';
import { statusNameSchema } from '../../messages/status-name-schema.ts';
import { type EventType, eventTypes } from '../endpoint.ts';
import { callbackFields, type Fields, journalData, testData } from '../event-data.ts';
import { describedHeaders } from '../posting/signature.ts';

/** An event as it is posted. */
export const postedEvent = Type.Object(
  {
    type: Type.String({ description: 'Such as `message.status`.' }),
    timestamp: Type.String({ description: 'When it happened (ISO 8601, UTC).' }),
    seq: Type.Integer({
      description: 'Number of the event among the webhook’s events, which are numbered without gaps.',
    }),
    data: Type.Object({}, { description: 'The event’s data, as posted.' }),
  },
  { title: 'Event' },
);

function schemaOf({ form, words, description }: Fields[string]): TSchema {
  if (form === 'integer') return Type.Integer({ description });
  if (words === statusNames) return statusNameSchema;
  if (words !== undefined) return Type.Unsafe({ type: 'string', enum: [...words], description });
  return Type.String(form === 'digits' ? { pattern: '^\\d+$', description } : { description });
}

function dataSchema(title: string, fields: Fields): TObject {
  const properties = Object.entries(fields).map(([name, field]) => {
    const schema = schemaOf(field);
    return [name, field.only === undefined ? schema : Type.Optional(schema)] as const;
  });
  return Type.Object(Object.fromEntries(properties), { title });
}

const callback = dataSchema('JobCallback', callbackFields);
const jobOf = (title: string) => ({ title, data: callback });
const testDataSchema = Type.Object({ test: Type.Literal(testData.test) }, { title: 'WebhookTestData' });

const kinds: Readonly<Record<EventType, { readonly title: string; readonly data: TObject }>> = {
  'message.status': {
    title: 'A message has another status',
    data: dataSchema('MessageStatusData', journalData['message.status']),
  },
  'message.incoming': {
    title: 'An SMS has come in',
    data: dataSchema('MessageIncomingData', journalData['message.incoming']),
  },
  'batch.status': {
    title: 'A batch has another status',
    data: dataSchema('BatchStatusData', journalData['batch.status']),
  },
  'job.start': jobOf('A run of a job has started'),
  'job.assign': jobOf('A person was given a task'),
  'job.finish': jobOf('A run has finished'),
  'job.warning': jobOf('A run may not get enough people'),
  'job.reply': jobOf('A person has answered'),
  'job.escalate': jobOf('A task’s next level of people is asked'),
  'job.unassign': jobOf('A person no longer has a task'),
  'webhook.test': { title: 'Somebody tests the webhook', data: testDataSchema },
  'contact.opted_out': {
    title: 'A person has opted out',
    data: dataSchema('ContactOptedOutData', journalData['contact.opted_out']),
  },
  'contact.opted_in': {
    title: 'A person has sent START',
    data: dataSchema('ContactOptedInData', journalData['contact.opted_in']),
  },
};

/** Turns `contact.opted_out` into `ContactOptedOut`. */
const titled = (type: EventType) =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase());

const bodies = eventTypes.map((type) =>
  Type.Object(
    { ...postedEvent.properties, type: Type.Unsafe({ type: 'string', const: type }), data: kinds[type].data },
    { title: `${titled(type)}Event` },
  ),
);

const several = Type.Object(
  {
    type: Type.Unsafe({ type: 'string', const: 'events' }),
    timestamp: Type.String({ description: 'When they were posted (ISO 8601, UTC).' }),
    data: Type.Array(Type.Union(bodies)),
  },
  { title: 'SeveralEvents' },
);

const posts: readonly DescribedPost[] = [
  ...eventTypes.map((type, place) => ({
    name: type,
    title: kinds[type].title,
    description: 'Posted to webhooks without `batch`.',
    body: bodies[place] as TObject,
  })),
  {
    name: 'events',
    title: 'Several events',
    description: 'Posted to webhooks with `batch`: up to 500 events, or 256 kB.',
    body: several,
  },
  {
    name: 'callback',
    title: 'An event of a job',
    description: 'Posted to the callback of the system user who owns the job, without an envelope.',
    body: callback,
  },
];

export const describedPosts: DescribedPosts = {
  posts,
  headers: describedHeaders,
  answers: {
    '2XX': 'The receiver has stored what was posted. It is not posted again.',
    410: 'The receiver wants no more posts: the webhook is disabled at once.',
    default:
      'Failed, as is no answer within 10 s. The post is repeated with growing pauses for 24 hours, not before a `Retry-After` of up to 4 hours has passed. Redirects are not followed. After five days of nothing but failures the webhook is disabled.',
  },
};
