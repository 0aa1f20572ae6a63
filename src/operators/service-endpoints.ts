/** The call with which operators see how the service is doing: its nodes, what waits, and the store. */
import Type from 'typebox';
import { shownCarriers } from '../carriers/provisioned/carrier-rows.ts';
import type { lane } from '../messages/message.ts';
import { leaseMs } from '../messages/nodes/lease.ts';
import { listNodes, mostWaiting, readBacklog } from '../messages/nodes/service-state.ts';
import { listAppliedFiles } from '../provisioning/applied-files.ts';
import { schemaVersion } from '../storage/schema.ts';
import { readSize } from '../storage/size.ts';
import { type Operating, ofOperators, operatorEndpoint } from './operating.ts';

const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });
const iso = (at: number) => new Date(at).toISOString();

const shownNode = Type.Object(
  {
    id: Type.String(),
    started: time('When the node joined the store'),
    lastBeat: Type.Optional(time('Its last heartbeat, of which there is one every few seconds')),
    silent: Type.Boolean({
      description: 'Whether it has had no heartbeat for so long that the others take over its work.',
    }),
    version: Type.Optional(Type.String()),
    roles: Type.Array(Type.String()),
  },
  { title: 'ServiceNode' },
);

const waiting = Type.Object(
  {
    carrier: Type.String(),
    lane: Type.Unsafe<keyof typeof lane>({ type: 'string', enum: ['interactive', 'bulk'] }),
    messages: Type.Integer({
      description: `How many wait, at most ${mostWaiting}, above which there are more.`,
    }),
    oldest: time('Since when the first of them has been due'),
  },
  { title: 'WaitingMessages' },
);

/** Undefined also while a renewal rewrites the file; it is read again a few seconds later. */
function endOf(certificateEnd: Operating['certificateEnd']): number | undefined {
  try {
    return certificateEnd?.();
  } catch {
    return undefined;
  }
}

export function serviceEndpoints({ store, certificateEnd }: Operating) {
  return [
    operatorEndpoint({
      path: '/api/v1/operator/service',
      methods: ['GET'],
      ...ofOperators,
      operation: 'getService',
      title: 'Read how the service is doing',
      description:
        'Returns the nodes of the service, what waits for carriers, and what is known about the store, the provisioning files and the certificate.',
      example: { url: {} },
      parameters: {},
      answer: Type.Object({
        nodes: Type.Array(shownNode),
        waiting: Type.Array(waiting),
        store: Type.Object({
          engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
          bytes: Type.Integer(),
          schema: Type.Integer({ description: 'Version of the tables.' }),
          damaged: Type.Boolean({ description: 'Whether a call has met damage to the store.' }),
        }),
        files: Type.Array(Type.Object({ source: Type.String(), applied: time('When it was last applied') })),
        certificateEnd: Type.Optional(time('When the TLS certificate of this node ends')),
      }),
      async handle() {
        const [{ nodes, now }, backlog, carriers, bytes, files] = await Promise.all([
          store.read(listNodes, null),
          store.read(readBacklog, null),
          shownCarriers(store),
          store.read(readSize, null),
          store.read(listAppliedFiles, null),
        ]);
        const names = new Map(carriers.map(({ id, name }) => [id, name]));
        const end = endOf(certificateEnd);
        return {
          nodes: nodes.map(({ id, startedAt, beatAt, version, roles }) => ({
            id: String(id),
            started: iso(startedAt),
            lastBeat: beatAt === null ? undefined : iso(beatAt),
            silent: beatAt !== null && now - beatAt > leaseMs,
            version: version ?? undefined,
            roles: roles?.split(' ') ?? [],
          })),
          waiting: backlog.map(({ carrierId, oldest, ...one }) => ({
            carrier: names.get(carrierId) ?? String(carrierId),
            ...one,
            oldest: iso(oldest),
          })),
          store: {
            engine: store.dialect,
            bytes,
            schema: schemaVersion,
            damaged: store.damage.first !== undefined,
          },
          files: files.map(({ source, appliedAt }) => ({ source, applied: iso(appliedAt) })),
          certificateEnd: end === undefined ? undefined : iso(end),
        };
      },
    }),
  ] as const;
}
