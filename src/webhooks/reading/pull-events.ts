/** Reads the events of a webhook for whoever may: those that a receiver has missed. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import type { Store } from '../../storage/store.ts';
import { type EventType, eventTypes } from '../endpoint.ts';
import { findWebhook, pullPage } from './pull-store.ts';

export interface PullQuery {
  readonly webhook: string;
  readonly after: number;
  readonly maxnum: number;
}

export interface PulledEvent {
  readonly type: EventType;
  readonly timestamp: string;
  readonly seq: number;
  readonly data: object;
}

/** As it is posted. */
export const toldEvent = Type.Object(
  {
    type: Type.String({ description: 'As `message.status`.' }),
    timestamp: Type.String({ description: 'When it happened (ISO 8601, UTC).' }),
    seq: Type.Integer({ description: 'Its number among the events of the webhook: these have no holes.' }),
    data: Type.Object({}, { description: 'What is told, as it is posted.' }),
  },
  { title: 'Event' },
);

export function pulledEvent({
  seq,
  type,
  at,
  data,
}: {
  readonly seq: number;
  readonly type: number;
  readonly at: number;
  readonly data: string;
}): PulledEvent {
  const timestamp = new Date(at).toISOString();
  return { type: eventTypes[type] as EventType, timestamp, seq, data: JSON.parse(data) as object };
}

export interface PullAnswer {
  readonly events: PulledEvent[];
  readonly firstseq: number;
  readonly lastseq: number;
}

/** As many as one post has. */
const maxBytes = 256 * 1_024;

export async function pullEvents(store: Store, caller: Caller, query: PullQuery): Promise<PullAnswer> {
  const { companyId, userId } = caller;
  const found = await store.read(findWebhook, { companyId, name: query.webhook });
  if (found?.userId !== userId) requireRole(caller, 'companyAdmin');
  if (found === undefined)
    throw new ServiceError('not_found', `The company has no webhook ${quoted(query.webhook)}.`);
  const { rows, firstSeq } = await store.read(pullPage, {
    endpointId: found.id,
    companyId,
    userId,
    after: query.after,
    limit: query.maxnum,
  });
  const events: PulledEvent[] = [];
  let bytes = 0;
  for (const { seq, type, at, data } of rows) {
    bytes += data.length;
    if (events.length > 0 && bytes > maxBytes) break;
    events.push(pulledEvent({ seq, type, at, data }));
  }
  return { events, firstseq: firstSeq ?? found.lastSeq + 1, lastseq: found.lastSeq };
}
