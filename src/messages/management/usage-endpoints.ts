/** Endpoints of the management API that report usage, the state of the latest messages, and what is left to be sent. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { ofUser, visibilityOf } from '../../accounts/visibility.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import { languageParameter } from '../../http/parameters/language.ts';
import { numberList } from '../../http/parameters/lists.ts';
import { type Input, ruled } from '../../http/parameters/parameter.ts';
import type { Context } from '../../storage/context.ts';
import { parseTime } from '../../wire/schedule-time.ts';
import { monthOf } from '../charging.ts';
import { type StatusName, statusNames } from '../message.ts';
import { leftOf } from '../rate.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import { exportUsage, shownSum } from './export-usage.ts';
import {
  countLatest,
  type LatestPlace,
  type QuotaRow,
  readQuotas,
  sumUsage,
  type UsageGroup,
  usageGroups,
} from './usage.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Usage';

const maxSums = 1_000;

const monthForm = /^20\d\d-(0[1-9]|1[0-2])$/;

const month = (get: string, description: string) =>
  ruled(
    text({ get, maxLength: 10, description }),
    (given): Result<string> =>
      monthForm.test(given)
        ? success(given)
        : fault('invalid_value', { sentence: 'not_a_month', given: quoted(given) }),
  );

function groupsOf(names: readonly string[]): Result<readonly UsageGroup[]> {
  const unknown = names.find((name) => !(usageGroups as readonly string[]).includes(name));
  if (unknown !== undefined)
    return fault('invalid_value', {
      sentence: 'not_one_of',
      given: quoted(unknown),
      words: usageGroups.join(', '),
    });
  return success(usageGroups.filter((known) => names.includes(known)));
}

const usageParameters = {
  from: month('from', 'The first month, such as `2027-01`; default: eleven months before the current month.'),
  to: month('to', 'The last month; default: the current month.'),
  by: ruled(
    numberList({
      get: 'by',
      maxItems: usageGroups.length,
      maxLength: 20,
      description: `What to sum by: one or more of ${usageGroups.map((one) => `\`${one}\``).join(', ')}; default: \`month\`.`,
    }),
    groupsOf,
  ),
  username: text({
    get: 'username',
    maxLength: 200,
    description: 'User who sent the messages; administrators can name any user of the company.',
  }),
} as const;

const sum = Type.Object(
  {
    month: Type.Optional(Type.String({ description: 'In UTC, such as `2027-01`.' })),
    username: Type.Optional(Type.String()),
    costCenter: Type.Optional(Type.String()),
    messages: Type.Integer(),
    parts: Type.Integer({ description: 'SMS parts, the billing unit.' }),
    simulated: Type.Optional(Type.Integer({ description: 'Parts that went to a simulator. Absent: none.' })),
  },
  { title: 'UsageSum' },
);

const left = (of: string) =>
  Type.Optional(
    Type.Object(
      { limit: Type.Integer(), left: Type.Integer() },
      { title: 'QuotaLeft', description: `SMS parts ${of}; absent: no limit.` },
    ),
  );

const quotaFields = {
  quota: left('in all'),
  minute: left('for calls and e-mails in this minute'),
  day: left('in this day (UTC)'),
};

export function usageEndpoints(services: Context) {
  return [...sums(services), quota(services), latestEndpoint(services)] as const;
}

function sums(services: Context) {
  return [
    endpoint({
      path: '/api/v1/usage',
      methods: ['GET'],
      group,
      operation: 'getUsage',
      title: 'Sum up what was sent',
      description: `Returns sums of messages and SMS parts by month, user or cost centre, largest first, at most ${maxSums} sums. The sums stay when messages are purged. Users see their own usage, administrators the usage of the whole company.`,
      example: { url: {} },
      credentials: anyMethod,
      parameters: usageParameters,
      answer: Type.Object({
        from: Type.String(),
        to: Type.String(),
        usage: Type.Array(sum),
        more: Type.Boolean({ description: 'Whether there are more, smaller sums.' }),
      }),
      errors: ['not_found', 'role_missing'],
      async handle(caller, input, call) {
        const query = await queryOf(services, caller, input);
        const { from, to } = query;
        const signal = call.closed;
        const sums = await services.store.read(sumUsage, { ...query, limit: maxSums + 1 }, { signal });
        return { from, to, usage: sums.slice(0, maxSums).map(shownSum), more: sums.length > maxSums };
      },
    }),
    endpoint({
      path: '/api/v1/usage.csv',
      methods: ['GET'],
      group,
      operation: 'exportUsage',
      title: 'Sum up what was sent, as a file',
      description: 'Returns all sums as a CSV file, by user, cost centre and month.',
      example: { url: { by: 'month,username' } },
      credentials: anyMethod,
      parameters: { ...usageParameters, language: languageParameter },
      answer: Type.String({ description: 'A header line, then a line for each sum.' }),
      answersCsv: true,
      errors: ['not_found', 'role_missing'],
      handle: async (caller, { language, ...input }, call) =>
        exportUsage(services.store, await queryOf(services, caller, input), language ?? call.language),
    }),
  ] as const;
}

function quota(services: Context) {
  return endpoint({
    path: '/api/v1/quota',
    methods: ['GET'],
    group,
    operation: 'getQuota',
    title: 'Read the remaining quota',
    description:
      'Returns what is left of a user’s quota and limits; administrators also see what is left of the company’s quota and limits, since a message is charged to both. The operator sets quotas and limits.',
    example: { url: {} },
    credentials: anyMethod,
    parameters: {
      username: text({
        get: 'username',
        maxLength: 200,
        description: 'User name; administrators can name any user of the company. Default: the caller.',
      }),
    },
    answer: Type.Object({
      username: Type.String(),
      ...quotaFields,
      company: Type.Optional(Type.Object(quotaFields, { description: 'Only for administrators.' })),
    }),
    errors: ['not_found', 'role_missing'],
    handle: (caller, { username }) => quotaOf(services, caller, username ?? caller.username),
  });
}

async function queryOf({ store, clock }: Context, caller: Caller, input: Input<typeof usageParameters>) {
  const visible = visibilityOf(caller);
  const of = input.username === undefined ? visible : await ofUser(store, visible, input.username);
  const now = new Date(clock.now());
  const elevenBefore = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11);
  const { to = monthOf(now.getTime()), from = monthOf(elevenBefore), by = [] } = input;
  const groups: readonly UsageGroup[] = by.length === 0 ? ['month'] : by;
  return { ...of, callerId: caller.userId, from, to, by: groups };
}

async function quotaOf({ store, clock }: Context, caller: Caller, username: string) {
  const visible = visibilityOf(caller);
  const { companyId, userId } = await ofUser(store, visible, username);
  const rows = userId === null ? null : await store.read(readQuotas, { companyId, userId });
  if (rows === null)
    throw new ServiceError('not_found', { sentence: 'none_such', noun: 'user', id: quoted(username) });
  const now = clock.now();
  return {
    username,
    ...shownQuota(rows.user, now),
    company: visible.userId === null ? shownQuota(rows.company, now) : undefined,
  };
}

function shownQuota(row: QuotaRow, now: number) {
  const { quota, used, parts_per_minute: perMinute, parts_per_day: perDay } = row;
  const rest = leftOf(row, now);
  const limited = (limit: number | null, of: number | undefined) =>
    limit === null || of === undefined ? undefined : { limit, left: of };
  return {
    quota: quota === null ? undefined : { limit: quota, left: Math.max(0, quota - used) },
    minute: limited(perMinute, rest.minute),
    day: limited(perDay, rest.day),
  };
}

const dayMs = 24 * 60 * 60 * 1_000;
const pageCounted = 800;
const maxCounted = 10_000;

/** Summarises the messages of a day: what arrived, what failed and why, and what still waits. */
function latestEndpoint({ store, clock }: Context) {
  return endpoint({
    path: '/api/v1/usage/latest',
    methods: ['GET'],
    group: 'Usage',
    operation: 'countLatestMessages',
    title: 'Count the latest messages by status',
    description: `Counts the messages accepted since a given time, by status; if there are more than ${maxCounted}, at least the latest ${maxCounted}. Users see their own messages, administrators all messages of the company.`,
    example: { url: {} },
    credentials: anyMethod,
    parameters: {
      since: ruled(
        text({
          get: 'since',
          maxLength: 50,
          description: 'Accepted at that time or later (ISO 8601 with zone); default: 24 hours ago.',
        }),
        parseTime,
      ),
    },
    answer: Type.Object({
      since: Type.String({
        description:
          'When the earliest counted message was accepted; if all were counted, the requested time (ISO 8601, UTC).',
      }),
      more: Type.Boolean({ description: 'Whether there are earlier messages that were not counted.' }),
      messages: Type.Integer({ description: 'Number of messages counted.' }),
      statuses: Type.Array(
        Type.Object({
          status: statusNameSchema,
          statusCode: Type.String(),
          messages: Type.Integer(),
        }),
      ),
    }),
    errors: ['role_missing', 'invalid_time'],
    async handle(caller, { since = clock.now() - dayMs }, call) {
      const query = { ...visibilityOf(caller), callerId: caller.userId, since };
      const sums = new Map<number, number>();
      let messages = 0;
      let first = Number.POSITIVE_INFINITY;
      let from: LatestPlace | undefined;
      do {
        const limit = Math.min(pageCounted, maxCounted - messages);
        const page = await store.read(countLatest, { ...query, from, limit }, { signal: call.closed });
        for (const count of page.counts) {
          sums.set(count.status, (sums.get(count.status) ?? 0) + count.messages);
          messages += count.messages;
          first = Math.min(first, count.first);
        }
        from = page.next;
      } while (from !== undefined && messages < maxCounted);
      const more = from !== undefined;
      return {
        since: new Date(more ? first : since).toISOString(),
        more,
        messages,
        statuses: [...sums]
          .sort(([a], [b]) => a - b)
          .map(([status, some]) => ({
            status: statusNames[status] as StatusName,
            statusCode: String(status),
            messages: some,
          })),
      };
    },
  });
}
