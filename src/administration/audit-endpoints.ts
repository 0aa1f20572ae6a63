/** The endpoints through which administrators can read and export the audit log of their company (PORT-7). */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { actKinds, actsOf, isActKind } from '../audit/act-words.ts';
import {
  type Act,
  type Actor,
  type AuditFilter,
  actsOnMessages,
  channels,
  type FoundEntry,
  otherActs,
  searchAudit,
  usualActs,
} from '../audit/audit-log.ts';
import { companyResources } from '../company-resources.ts';
import { fault, quoted, type Result, success } from '../foundation/result.ts';
import { errorContent } from '../http/answers/error-response.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { languageParameter } from '../http/parameters/language.ts';
import { numberList } from '../http/parameters/lists.ts';
import { nextOf, pageParameters } from '../http/parameters/page.ts';
import { type Input, ruled } from '../http/parameters/parameter.ts';
import type { Context } from '../storage/context.ts';
import { parseTime } from '../wire/schedule-time.ts';
import { exportAudit } from './export-audit.ts';

const endpoint = endpointsFor<Caller>();

/** If a declaration defines acts of its own, the other lists contain them. */
const actsOnResources = Object.values(companyResources).flatMap(({ declaration: { noun, acts } }) =>
  acts === undefined ? Object.values(usualActs(noun)) : [],
);
/** Keeps the established order of the OpenAPI document. */
export const acts = [...actsOnMessages, ...actsOnResources, ...otherActs];

const entry = Type.Object(
  {
    id: Type.String(),
    time: Type.String({ description: 'ISO 8601, UTC.' }),
    username: Type.Optional(
      Type.String({ description: 'User who did it, or in whose name it was done; absent for an operator.' }),
    ),
    channel: Type.Unsafe<Actor['channel']>({
      type: 'string',
      enum: [...channels],
      description: 'Whether it was done by a program, in the portal, or by an operator’s command.',
    }),
    act: Type.Unsafe<Act>({ type: 'string', enum: acts, description: 'What was done.' }),
    object: Type.String({ description: 'What it was done to, as an id or a name.' }),
    details: Type.Optional(Type.String()),
    detailsValues: errorContent.values,
  },
  { title: 'AuditEntry' },
);

function actsAmong(given: readonly string[]): Result<readonly Act[]> {
  const named = given.flatMap((one) => (isActKind(one) ? actsOf(one) : one));
  const other = named.find((one) => !(acts as readonly string[]).includes(one));
  if (other === undefined) return success(named as readonly Act[]);
  return fault('invalid_value', { sentence: 'not_an_act', given: quoted(other) });
}

const time = (get: string, description: string) =>
  ruled(text({ get, maxLength: 50, description: `${description} (ISO 8601 with zone)` }), parseTime);

const filterParameters = {
  username: text({ get: 'username', maxLength: 200, description: 'Only what this user did.' }),
  act: ruled(
    numberList({
      get: 'act',
      maxItems: acts.length,
      maxLength: 40,
      description: `Only these acts, or all acts of these kinds: ${actKinds.join(', ')}.`,
    }),
    actsAmong,
  ),
  object: text({ get: 'object', maxLength: 200, description: 'Only what was done to this object.' }),
  since: time('since', 'At that time or later'),
  until: time('until', 'Before that time'),
} as const;

function filterOf({ username, act, object, since, until }: Input<typeof filterParameters>): AuditFilter {
  return { username, acts: act?.length === 0 ? undefined : act, object, since, until };
}

export function auditEndpoints(services: Context) {
  const { store } = services;
  const about = { methods: ['GET'] as const, group: 'Audit log', credentials: anyMethod };
  return [
    endpoint({
      ...about,
      path: '/api/v1/audit',
      operation: 'listAuditEntries',
      title: 'Read the audit log',
      description:
        'Lists what users and operators did in the company, latest first: who sent, cancelled a message, or viewed someone else’s text. What programs send by API key or password is not listed, since each message names its user; batches and starts of saved jobs always are. A page of a search may be short, or empty, and still have a `next`.',
      example: { url: {} },
      parameters: { ...filterParameters, ...pageParameters },
      answer: Type.Object({ entries: Type.Array(entry), next: nextOf('entries') }),
      errors: ['role_missing', 'invalid_time'],
      async handle(caller, { after, limit, ...given }) {
        requireRole(caller, 'companyAdmin');
        const { companyId } = caller;
        const behind =
          after === undefined ? null : { at: after.time ?? Number.MAX_SAFE_INTEGER, id: after.id };
        const { rows, next } = await store.read(searchAudit, {
          companyId,
          filter: filterOf(given),
          behind,
          limit,
        });
        return { entries: rows.map(shownEntry), next: next === null ? undefined : `${next.at}.${next.id}` };
      },
    }),
    endpoint({
      ...about,
      path: '/api/v1/audit.csv',
      operation: 'exportAuditEntries',
      title: 'Export the audit log',
      description: 'Returns all entries found as CSV, latest first. The audit log records the export.',
      example: { url: {} },
      parameters: { ...filterParameters, language: languageParameter },
      answer: Type.String(),
      answersCsv: true,
      errors: ['role_missing', 'invalid_time'],
      handle: (caller, { language, ...given }, call) =>
        exportAudit(services, caller, filterOf(given), language ?? call.language),
    }),
  ] as const;
}

function shownEntry({ id, at, username, channel, act, object, details, detailsValues }: FoundEntry) {
  return {
    id: String(id),
    time: new Date(at).toISOString(),
    username: username ?? undefined,
    channel,
    act,
    object,
    details: details === '' ? undefined : details,
    detailsValues,
  };
}
