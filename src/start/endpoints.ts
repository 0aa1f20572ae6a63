/**
 * One call for the front page of the portal, in place of the ten whose answers it shows: on a phone, each call costs a round
 * trip. It has what those calls answer, as they answer it.
 */
import Type, { type Static, type TSchema } from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { hasScope, scopeOf } from '../accounts/key-scopes.ts';
import type { Role } from '../accounts/role.ts';
import { visibilityOf } from '../accounts/visibility.ts';
import { ServiceError } from '../foundation/errors.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { type Call, type Endpoint, endpointsFor } from '../http/endpoints/endpoint.ts';
import { Faults } from '../http/parameters/faults.ts';
import type { JsonObject } from '../http/parameters/table.ts';

const endpoint = endpointsFor<Caller>();

/** What the page shows of each kind. */
const shown = { batches: 50, sendings: 10, webhooks: 5, conversations: 20, messages: 8 } as const;

type Reading<Some> = Some extends { readonly methods: readonly (infer Method)[] }
  ? 'GET' extends Method
    ? Some
    : never
  : never;

/** The schema of what a path answers. */
type AnswerAt<All extends readonly unknown[], Path> =
  Extract<Reading<All[number]>, { readonly path: Path }> extends {
    readonly answer: infer Answer extends TSchema;
  }
    ? Answer
    : never;

/** `all` has the endpoints of all other rooms. */
export function startEndpoints<const All extends readonly Endpoint<Caller>[]>(all: All) {
  const at = <Path extends string>(path: Path, ...roles: readonly Role[]) => partOf(all, path, roles);
  const batches = at('/api/v1/batches');
  const sendings = at('/api/v1/sendings');
  const quota = at('/api/v1/quota');
  const carriers = at('/api/v1/carriers', 'companyAdmin');
  const webhooks = at('/api/v1/webhooks');
  const attempts = at('/api/v1/webhooks/{id}/attempts');
  const unrouted = at('/api/v1/unrouted', 'companyAdmin');
  const conversations = at('/api/v1/conversations');
  const messages = at('/api/v1/messages');
  return [
    endpoint({
      path: '/api/v1/start',
      methods: ['GET'],
      group: 'Search',
      operation: 'getStart',
      title: 'Read what the front page shows',
      description:
        'Returns in one answer what the front page of the portal shows, as the calls for each of them answer it: latest and paused batches, sendings, quota, webhooks that fail, conversations assigned to the caller and the latest SMS; for administrators also carriers and incoming SMS that belong to nobody. An API key with scopes gets only the parts that it may read by those calls.',
      example: { url: {} },
      credentials: anyMethod,
      parameters: {},
      answer: Type.Object({
        batches: batches.answer,
        paused: batches.answer,
        sendings: sendings.answer,
        quota: quota.answer,
        webhooks: webhooks.answer,
        attempts: Type.Array(attempts.answer, {
          description: 'The last attempt of each of the webhooks, in their order.',
        }),
        assigned: conversations.answer,
        messages: messages.answer,
        carriers: Type.Optional(carriers.answer),
        unrouted: Type.Optional(unrouted.answer),
      }),
      errors: ['role_missing'],
      async handle(caller, _, call) {
        visibilityOf(caller);
        const failing = (await webhooks.read(caller, { failing: true, limit: shown.webhooks }, call)) ?? {
          webhooks: [],
        };
        const { webhooks: listed } = failing as { readonly webhooks: readonly { readonly id: string }[] };
        const parts = {
          batches: batches.read(caller, { limit: shown.batches }, call),
          // A batch may have been paused long ago.
          paused: batches.read(caller, { paused: true, limit: shown.batches }, call),
          sendings: sendings.read(caller, { limit: shown.sendings }, call),
          quota: quota.read(caller, {}, call),
          webhooks: failing,
          attempts: Promise.all(
            listed.map(({ id }) =>
              attempts.read(caller, { id: Number(id), limit: 1 }, call).catch(ofRemoved),
            ),
          ),
          assigned: conversations.read(caller, { assigned: 'me', limit: shown.conversations }, call),
          messages: messages.read(caller, { limit: shown.messages }, call),
          carriers: carriers.read(caller, {}, call),
          unrouted: unrouted.read(caller, { limit: shown.conversations }, call),
        };
        const read = await Promise.all(
          Object.entries(parts).map(async ([name, part]) => [name, await part] as const),
        );
        // Each part is what the endpoint of its schema has answered.
        return Object.fromEntries(read) as never;
      },
    }),
  ] as const;
}

/** A webhook may have been removed since the list of them was read. */
function ofRemoved(error: unknown): { readonly attempts: readonly never[] } {
  if (error instanceof ServiceError && error.code === 'not_found') return { attempts: [] };
  throw error;
}

function partOf<All extends readonly Endpoint<Caller>[], Path extends string>(
  all: All,
  path: Path,
  roles: readonly Role[],
) {
  const found = all.find((one) => one.path === path && one.methods.includes('GET'));
  if (found === undefined) throw new Error(`there is no call to read ${path}`);
  const scope = scopeOf(found);
  return {
    answer: found.answer as AnswerAt<All, Path>,
    /** Undefined if the caller has none of the roles, or is a key without the scope. */
    async read(
      caller: Caller,
      given: JsonObject,
      call: Call,
    ): Promise<Static<AnswerAt<All, Path>> | undefined> {
      if (roles.length > 0 && !roles.some((role) => caller.roles.has(role))) return undefined;
      if (!hasScope(caller.scopes, scope)) return undefined;
      const faults = new Faults();
      const input = found.table.fromJson(given, faults);
      if (faults.count > 0) throw new Error(`the front page asks ${path} in a way that it refuses`);
      return (await found.handle(caller, input as never, call)) as Static<AnswerAt<All, Path>>;
    },
  };
}
