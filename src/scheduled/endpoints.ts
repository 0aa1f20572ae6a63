/**
 * Endpoints of the management API for everything of a company that waits for its time, the next first: messages, batches and
 * runs of saved jobs in one list.
 */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { ofUser, type Visibility, visibilityOf } from '../accounts/visibility.ts';
import { waitingBatches } from '../batches/reading/waiting.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { type Cursor, nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import { ruled } from '../http/parameters/parameter.ts';
import { listScheduledRuns } from '../jobs/management/runs.ts';
import { listScheduled, reschedule } from '../messages/management/scheduled.ts';
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
    kind: Type.Unsafe<ScheduledItem['kind']>({ type: 'string', enum: ['message', 'batch', 'run'] }),
    id: Type.String({ description: 'Id of the SMS, the batch or the job run.' }),
    scheduleTime: Type.String({
      description:
        'Send or start time; for a batch without a time of its own, when the company’s send hours begin (ISO 8601, UTC).',
    }),
    username: Type.String({ description: 'The user whom the item belongs to.' }),
    to: Type.Optional(Type.String({ description: 'Recipient of an SMS.' })),
    from: Type.Optional(Type.String({ description: 'Sender id of an SMS.' })),
    conversation: Type.String(),
    costCenter: Type.Optional(Type.String()),
    parts: Type.Optional(Type.Integer({ description: 'Number of SMS parts.' })),
    validMinutes: Type.Optional(
      Type.Integer({
        description: 'For an SMS: minutes after the send time during which delivery is attempted.',
      }),
    ),
    messages: Type.Optional(Type.Integer({ description: 'Number of messages of a batch.' })),
    name: Type.Optional(Type.String({ description: 'Name of the job of a run.' })),
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
      'Lists scheduled SMS, batches waiting for the company’s send hours, and job runs that have not started, next one first. Users see their own items, administrators all items of the company. Cancel an SMS to take it back.',
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
      const found = await listAllScheduled(services, { visible, since, until, after, limit: limit + 1 });
      const { items, next } = pageOf(found, limit, ({ time: at, id }) => `${at}.${id}`);
      return { scheduled: items.map(shownItem), next };
    },
  });
}

interface ScheduledItem {
  readonly kind: 'message' | 'batch' | 'run';
  readonly id: number;
  /** When the item is to be sent or started. */
  readonly time: number;
  readonly username: string;
  readonly conversation: string;
  readonly to?: string;
  readonly from?: string;
  readonly costCenter?: string;
  readonly parts?: number;
  readonly validMinutes?: number;
  /** How many messages a batch has. */
  readonly messages?: number;
  /** The name of a run. */
  readonly name?: string;
  readonly version?: number;
}

/** At most this many runs are shown; there is no further page of runs. */
const maxRuns = 200;

async function listAllScheduled(
  { store, clock }: Context,
  {
    visible,
    since,
    until,
    after,
    limit,
  }: {
    readonly visible: Visibility;
    readonly since: number;
    readonly until: number;
    readonly after: Cursor | undefined;
    readonly limit: number;
  },
): Promise<readonly ScheduledItem[]> {
  const place = { time: after?.time ?? 0, id: after?.id ?? 0 };
  const next = since > place.time ? { time: since, id: 0 } : place;
  const [messages, batches, runs] = await Promise.all([
    store.read(listScheduled, { ...visible, since, until, after: place, limit }),
    waitingBatches(store, { ...visible, after: next, limit }, clock.now()),
    store.read(listScheduledRuns, { ...visible, limit: maxRuns }),
  ]);
  const isOnPage = ({ time, id }: ScheduledItem) =>
    time >= since && time < until && (time > place.time || (time === place.time && id > place.id));
  const others: readonly ScheduledItem[] = [
    ...batches.map((batch) => ({ kind: 'batch' as const, ...batch })),
    ...runs.map(({ id, startAt, starter, jobName }) => ({
      kind: 'run' as const,
      id,
      time: startAt,
      username: starter,
      conversation: '',
      name: jobName,
    })),
  ];
  const all = [
    ...messages.map(({ recipient, sender, ...message }) => ({
      kind: 'message' as const,
      to: recipient,
      from: sender,
      ...message,
    })),
    ...others.filter(isOnPage),
  ];
  return all.sort((a, b) => a.time - b.time || a.id - b.id).slice(0, limit);
}

function shownItem({ time: at, id, costCenter, validMinutes, version: of, ...rest }: ScheduledItem) {
  return {
    kind: rest.kind,
    id: String(id),
    scheduleTime: new Date(at).toISOString(),
    username: rest.username,
    to: rest.to,
    from: rest.from,
    conversation: rest.conversation,
    costCenter,
    parts: rest.parts,
    messages: rest.messages,
    name: rest.name,
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
