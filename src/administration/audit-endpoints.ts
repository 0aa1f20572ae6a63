/** The endpoint through which administrators can read the audit log of their company (PORT-7). */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import {
  type Act,
  type Actor,
  actsOnMessages,
  channels,
  listAudit,
  otherActs,
  usualActs,
} from '../audit/audit-log.ts';
import { companyResources } from '../company-resources.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import type { Store } from '../storage/store.ts';

const endpoint = endpointsFor<Caller>();

/** If a declaration defines acts of its own, the other lists contain them. */
const actsOnResources = Object.values(companyResources).flatMap(({ declaration: { noun, acts } }) =>
  acts === undefined ? Object.values(usualActs(noun)) : [],
);
/** Keeps the established order of the OpenAPI document. */
const acts = [...actsOnMessages, ...actsOnResources, ...otherActs];

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
  },
  { title: 'AuditEntry' },
);

export function auditEndpoints(store: Store) {
  return [
    endpoint({
      path: '/api/v1/audit',
      methods: ['GET'],
      group: 'Audit log',
      operation: 'listAuditEntries',
      title: 'Read the audit log',
      description:
        'Lists what users and operators did in the company, latest first: who cancelled a message, sent one again, or viewed someone else’s text. Sending is not listed, since each message names its user.',
      example: { url: {} },
      credentials: anyMethod,
      parameters: pageParameters,
      answer: Type.Object({ entries: Type.Array(entry), next: nextOf('entries') }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        requireRole(caller, 'companyAdmin');
        const { companyId } = caller;
        const rows = await store.read(listAudit, { companyId, before: after?.id ?? null, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, ({ id }) => String(id));
        return {
          entries: items.map(({ id, at, username, channel, act, object, details }) => ({
            id: String(id),
            time: new Date(at).toISOString(),
            username: username ?? undefined,
            channel,
            act,
            object,
            details: details === '' ? undefined : details,
          })),
          next,
        };
      },
    }),
  ] as const;
}
