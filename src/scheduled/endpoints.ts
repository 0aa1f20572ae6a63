/**
 * Endpoints of the management API for everything of a company that waits for its time, the next first: messages, sendings,
 * batches and runs of saved jobs in one list.
 */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { ofUser, type Visibility, visibilityOf } from '../accounts/visibility.ts';
import { waitingBatches } from '../batches/reading/waiting.ts';
import { namesOfNumbers } from '../contacts/names-of-numbers.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { type Cursor, nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import { ruled } from '../http/parameters/parameter.ts';
import { listScheduledRuns } from '../jobs/management/runs.ts';
import { type ListedScheduled, listScheduled, reschedule } from '../messages/management/scheduled.ts';
import type { Whom } from '../messages/sending-rows.ts';
import { shownWhom, titleOf, titleSchema, whomSchema } from '../messages/sendings/shown-sending.ts';
import type { Context } from '../storage/context.ts';
import { parseTime } from '../wire/schedule-time.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Messages';

export function scheduledEndpoints(services: Context) {
  return [listing(services), rescheduling(services)] as const;
}

const time = (get: string, description: string) =>
  ruled(text({ get, maxLength: 50, description: `${description} (ISO 8601 with zone)` }), parseTime);

const version = Type.String({ description: 'Version of an SMS, for the `If-Match` of a change.' });

const item = Type.Object(
  {
    kind: Type.Unsafe<ScheduledItem['kind']>({
      type: 'string',
      enum: ['message', 'sending', 'batch', 'run'],
    }),
    id: Type.String({ description: 'Id of the SMS, the sending, the batch or the job run.' }),
    scheduleTime: Type.String({
      description:
        'Send or start time; for a batch without a time of its own, when the company’s send hours begin (ISO 8601, UTC).',
    }),
    username: Type.String({ description: 'The user the item belongs to.' }),
    to: Type.Optional(Type.String({ description: 'Recipient of an SMS.' })),
    recipientName: Type.Optional(Type.String({ description: 'Name of the recipient in an address book.' })),
    from: Type.Optional(Type.String({ description: 'Sender id of an SMS.' })),
    conversation: Type.String(),
    costCenter: Type.Optional(Type.String()),
    parts: Type.Optional(Type.Integer({ description: 'Number of SMS parts.' })),
    validMinutes: Type.Optional(
      Type.Integer({
        description: 'For an SMS: minutes after the send time during which delivery is attempted.',
      }),
    ),
    messages: Type.Optional(
      Type.Integer({ description: 'Number of messages of a batch, or of those of a sending that wait.' }),
    ),
    name: Type.Optional(Type.String({ description: 'Name of a batch, or of the job of a run.' })),
    title: titleSchema,
    whom: Type.Optional(whomSchema),
    version: Type.Optional(version),
  },
  { title: 'ScheduledItem' },
);

function listing(services: Context) {
  return endpoint({
    path: '/api/v1/scheduled',
    methods: ['GET'],
    group,
    operation: 'listScheduled',
    title: 'List scheduled items',
    description:
      'Lists scheduled SMS, batches waiting for the company’s send hours, and job runs that have not started, next one first. SMS of one sending are one item. Users see their own items, administrators all items of the company. Cancel an SMS or a sending to take it back. A page may be short: as long as there is a `next`, there are more.',
    example: { url: { limit: '2' } },
    credentials: anyMethod,
    parameters: {
      since: time('since', 'Due at that time or later'),
      until: time('until', 'Due before that time'),
      username: text({
        get: 'username',
        maxLength: 200,
        description: 'User name; administrators can name any user of the company.',
      }),
      ...pageParameters,
    },
    answer: Type.Object({ scheduled: Type.Array(item), next: nextOf('items') }),
    errors: ['not_found', 'role_missing', 'invalid_time'],
    async handle(caller, { since = 0, until = Number.MAX_SAFE_INTEGER, username, after, limit }) {
      const own = visibilityOf(caller);
      const visible = username === undefined ? own : await ofUser(services.store, own, username);
      const callerId = caller.userId;
      const asked = { visible, callerId, since, until, after, limit: limit + 1 };
      const { found, isCut } = await listAllScheduled(services, asked);
      const { items, next } = pageOf(found, limit, cursorOf);
      const last = items.at(-1);
      const numbers = items.flatMap(({ to }) => to ?? []);
      const names = await namesOfNumbers(services.store, callerId, numbers);
      return {
        scheduled: items.map((one) => shownItem({ ...one, recipientName: names.get(one.to ?? '') })),
        next: next ?? (isCut && last !== undefined ? cursorOf(last) : undefined),
      };
    },
  });
}

const cursorOf = ({ time: at, place }: ScheduledItem) => `${at}.${place}`;

interface ScheduledItem {
  readonly kind: 'message' | 'sending' | 'batch' | 'run';
  readonly id: number;
  /** The id behind which the list goes on: the last one of a sending. */
  readonly place: number;
  /** When the item is to be sent or started. */
  readonly time: number;
  readonly username: string;
  readonly conversation: string;
  readonly to?: string;
  readonly recipientName?: string | undefined;
  readonly from?: string;
  readonly costCenter?: string;
  readonly parts?: number;
  readonly validMinutes?: number;
  /** How many messages a batch has, or how many of a sending wait. */
  readonly messages?: number;
  /** The name of a batch or a run. */
  readonly name?: string;
  /** The title of a sending. */
  readonly title?: string | undefined;
  readonly whom?: Whom;
  readonly version?: number;
}

/** At most this many runs are shown; there is no further page of runs. */
const maxRuns = 200;

interface ScheduledAsked {
  readonly visible: Visibility;
  readonly callerId: number;
  readonly since: number;
  readonly until: number;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

/** `isCut`: there is more behind the items, although they may be fewer than were asked for. */
async function listAllScheduled(
  { store, clock }: Context,
  { visible, callerId, since, until, after, limit }: ScheduledAsked,
): Promise<{ readonly found: readonly ScheduledItem[]; readonly isCut: boolean }> {
  const place = { time: after?.time ?? 0, id: after?.id ?? 0 };
  const next = since > place.time ? { time: since, id: 0 } : place;
  const [{ items, hasMore }, batches, runs] = await Promise.all([
    store.read(listScheduled, { ...visible, since, until, after: place, limit }),
    waitingBatches(store, { ...visible, after: next, limit }, clock.now()),
    store.read(listScheduledRuns, { ...visible, limit: maxRuns }),
  ]);
  const own = items.map((item) => itemOf(item, callerId));
  // Behind the last of them, further messages may come before the next batch.
  const end = hasMore ? own.at(-1) : undefined;
  const isOnPage = (item: ScheduledItem) =>
    item.time >= since &&
    item.time < until &&
    (item.time > place.time || (item.time === place.time && item.place > place.id)) &&
    (end === undefined || inOrder(item, end) < 0);
  const others: readonly ScheduledItem[] = [
    ...batches.map((batch) => ({ kind: 'batch' as const, place: batch.id, ...batch })),
    ...runs.map(({ id, startAt, starter, jobName }) => ({
      kind: 'run' as const,
      id,
      place: id,
      time: startAt,
      username: starter,
      conversation: '',
      name: jobName,
    })),
  ];
  const all = [...own, ...others.filter(isOnPage)];
  return { found: all.sort(inOrder).slice(0, limit), isCut: hasMore };
}

const inOrder = (a: ScheduledItem, b: ScheduledItem) => a.time - b.time || a.place - b.place;

function itemOf(item: ListedScheduled, callerId: number): ScheduledItem {
  if (item.kind === 'message') {
    const { recipient: to, sender: from, ...message } = item;
    return { ...message, place: item.id, to, from };
  }
  const { kind, id, lastId: place, time: at, username, whom, messages } = item;
  return {
    kind,
    id,
    place,
    time: at,
    username,
    conversation: '',
    whom,
    messages,
    title: titleOf(item, callerId),
  };
}

function shownItem({ time: at, id, costCenter, validMinutes, version: of, ...rest }: ScheduledItem) {
  return {
    kind: rest.kind,
    id: String(id),
    scheduleTime: new Date(at).toISOString(),
    username: rest.username,
    to: rest.to,
    recipientName: rest.recipientName,
    from: rest.from,
    conversation: rest.conversation,
    costCenter,
    parts: rest.parts,
    messages: rest.messages,
    name: rest.name,
    title: rest.title,
    whom: rest.whom && shownWhom(rest.whom),
    validMinutes,
    version: of === undefined ? undefined : String(of),
  };
}

function rescheduling(services: Context) {
  return endpoint({
    path: '/api/v1/scheduled/{id}',
    methods: ['PATCH'],
    group,
    operation: 'rescheduleMessage',
    title: 'Reschedule a message',
    description:
      'Changes the send time of a scheduled SMS; its validity starts then. Users can reschedule their own SMS, administrators any SMS of the company. The audit log records the change.',
    example: {
      url: { id: '1000000001' },
      json: {},
    },
    credentials: anyMethod,
    parameters: {
      id: text({ get: 'id', required: true, maxLength: 20, description: 'Id of the SMS.' }),
      scheduleTime: text({
        maxLength: 50,
        description:
          'Send time, ISO 8601 with zone, such as `2027-01-31T08:00:00+01:00`. Omitted: unchanged.',
      }),
    },
    answer: Type.Object({ id: Type.String(), scheduleTime: Type.String(), version }),
    answersVersion: true,
    takesVersion: true,
    errors: ['not_found', 'too_late', 'no_pool_number', 'invalid_time', 'role_missing'],
    async handle(caller, input, { ifMatch }) {
      const changed = await reschedule(services, caller, input, ifMatch);
      return {
        id: input.id,
        scheduleTime: new Date(changed.time).toISOString(),
        version: String(changed.version),
      };
    },
  });
}
