/** Stores incoming SMS as they arrive, and reads them for the user they belong to (API: /incoming). */
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../../accounts/caller.ts';
import type { Concatenation, IncomingSms, StoredSms } from '../../carriers/carrier.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Call } from '../../http/endpoints/endpoint.ts';
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import type { Context } from '../../storage/context.ts';
import type { Ids } from '../../storage/ids.ts';
import { OutcomeUnknown, type Store } from '../../storage/store.ts';
import { theCaller } from '../../storage/verb.ts';
import { optOutWord } from '../../wire/answers/opt-out-words.ts';
import { withoutPrefix, withoutSeparators } from '../../wire/phone-number.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { readByIds, readUnread } from '../read-pages.ts';
import { storeIncomingPart } from './parts.ts';
import {
  type IncomingRow,
  readIncomingById,
  readUnreadIncoming,
  storeIncoming,
  takeIncomingById,
  takeUnreadIncoming,
} from './store.ts';

export interface IncomingServices extends Context {
  readonly ids: Ids;
  readonly personSecret: PersonSecret;
  /** Called when an SMS may be a word that is replied to. */
  readonly heeded?: () => void;
}

/** Resolves when the SMS, or the part of an SMS, is stored durably. */
export async function receive(
  { store, clock, ids, personSecret, heeded }: IncomingServices,
  carrierId: number,
  { concatenation, ...sms }: IncomingSms,
): Promise<StoredSms> {
  const received = {
    id: await ids.draw(1),
    sender: originator(sms.sender),
    recipient: withoutPrefix(withoutSeparators(sms.recipient)),
    receivedAt: clock.now(),
    personSecret,
  };
  if (concatenation === undefined || !isPart(concatenation)) {
    const whole = { ...received, text: normaliseText(sms.text) };
    const owner = await untilKnown(() => store.write(storeIncoming, whole));
    if (owner !== null && optOutWord(whole.text) !== undefined) heeded?.();
    return { id: String(received.id), routed: owner !== null };
  }
  const part = { ...received, carrierId, ...concatenation, text: sms.text };
  const { id, owner } = await untilKnown(() => store.write(storeIncomingPart, part));
  if (owner === undefined) return { id: String(id), routed: false, awaitsParts: true };
  return { id: String(id), routed: owner !== null };
}

/** Shorter than the time after which an SMSC without a response delivers the SMS again. */
const insistMs = 8_000;
const insistEveryMs = 250;

/**
 * A carrier delivers a refused SMS again as a new one, so two would be stored if the first was kept after all. A write with
 * an unknown outcome is therefore retried here under the same id. An id from the carrier would serve as well, but
 * networks rarely provide one: a repeated deliver_sm has only its addresses and text in common with the first (SMPP
 * 3.4, 4.6.1), and a person may send the same text twice.
 */
async function untilKnown<Stored>(write: () => Promise<Stored>): Promise<Stored> {
  let doubt: OutcomeUnknown | undefined;
  let giveUpAt = 0;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (doubt === undefined) {
        if (!(error instanceof OutcomeUnknown)) throw error;
        doubt = error;
        giveUpAt = performance.now() + insistMs;
      }
    }
    // A later refusal says nothing about the first write.
    if (performance.now() >= giveUpAt) throw doubt;
    await delay(insistEveryMs);
  }
}

/** An SMS with an impossible part number is treated as whole (3GPP TS 23.040 9.2.3.24.1). */
function isPart({ part, parts }: Concatenation): boolean {
  return parts > 1 && part >= 1 && part <= parts;
}

/** A number is reduced to its digits; a name, which services send from, stays as it is. */
function originator(sender: string): string {
  const digits = withoutSeparators(sender);
  return /^[0-9]+$/.test(digits) ? withoutPrefix(digits) : sender;
}

/** An incoming SMS record with the field types of the contract; absent values are empty. */
export interface IncomingRecord {
  readonly from: string;
  readonly to: string;
  readonly id: string;
  readonly message: string;
  readonly conversation: string;
  readonly resptoid: string;
  readonly origmess: string;
  readonly time: string;
}

export interface IncomingQuery {
  /** Undefined for everything unread. An empty list requests nothing. */
  readonly id: readonly string[] | undefined;
  readonly maxnum: number;
  readonly markasread: boolean;
  readonly getoriginal: boolean;
  readonly latest: boolean;
}

export interface IncomingAnswer {
  readonly incoming: readonly IncomingRecord[];
  readonly notfound: readonly string[];
}

const maxPage = 10_000;

export async function readIncoming(
  store: Store,
  caller: Caller,
  query: IncomingQuery,
  call?: Pick<Call, 'closed'>,
): Promise<IncomingAnswer> {
  const owner = theCaller(caller);
  const { latest, getoriginal: withOriginal, markasread: marking } = query;
  if (query.id !== undefined) {
    const verb = (ids: readonly number[]) =>
      marking
        ? store.write(takeIncomingById, { ...owner, ids, withOriginal })
        : store.read(readIncomingById, { ...owner, ids, withOriginal });
    const { rows, notfound } = await readByIds(query.id, verb, call);
    return { incoming: rows.map(toRecord), notfound };
  }
  const own = { ...owner, latest, withOriginal };
  const wanted = { max: Math.min(query.maxnum, maxPage), marking, call };
  const rows = await readUnread<IncomingRow>(wanted, (after, limit, signal) =>
    marking
      ? store.write(takeUnreadIncoming, { ...own, after, limit })
      : store.read(readUnreadIncoming, { ...own, after, limit }, { signal }),
  );
  const incoming = rows.map(toRecord);
  // Always in chronological order, even for the latest.
  return { incoming: latest ? incoming.reverse() : incoming, notfound: [] };
}

export async function readSingleIncoming(
  store: Store,
  caller: Caller,
  query: Omit<IncomingQuery, 'id' | 'maxnum'> & { readonly id: string | undefined },
): Promise<IncomingRecord> {
  const id = query.id === undefined ? undefined : [query.id];
  const { incoming } = await readIncoming(store, caller, { ...query, id, maxnum: 1 });
  const [record] = incoming;
  if (record !== undefined) return record;
  throw new ServiceError(
    'not_found',
    query.id === undefined ? 'There is no unread incoming SMS.' : `There is no incoming SMS ${query.id}.`,
  );
}

function toRecord(row: IncomingRow): IncomingRecord {
  return {
    from: row.sender,
    to: row.recipient,
    id: String(row.id),
    message: row.text,
    conversation: row.conversation,
    resptoid: row.response_to_id === null ? '' : String(row.response_to_id),
    origmess: row.original ?? '',
    time: String(row.received_at),
  };
}
