/** Makes one message of the parts of a text that a client has split, or one of each part that waits in vain. */
import { type Caller, findCaller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { ServiceError } from '../foundation/errors.ts';
import { groupedBy } from '../foundation/grouped.ts';
import { hasRoomForHeader } from '../messages/part-header.ts';
import type { Acceptance } from '../messages/sending/accept.ts';
import { valueIn } from '../messages/sending/accepted-row.ts';
import { plainRequest } from '../messages/sending/parameters.ts';
import { prepareCall, withCountryCode } from '../messages/sending/prepare.ts';
import { type Sending, send } from '../messages/sending/send.ts';
import { nothingQueued } from '../messages/sending/send-errors.ts';
import { type Concatenation, joinParts } from '../wire/smpp/concatenation.ts';
import { acceptOfClients } from './accept-store.ts';
import { endParts } from './end-parts.ts';
import {
  keepPart,
  maxWaitingParts,
  type NewPart,
  type Part,
  partsWaitMs,
  postponeParts,
  readDueParts,
  refuseLast,
} from './part.ts';
import { isPassing, isThrottled } from './refusal.ts';
import type { Submission } from './submission.ts';

/** Returns the id of the part. Throws if the part, or with the last one the whole text, can't be sent. */
export async function takePart(
  sending: Sending,
  caller: Caller,
  submission: Submission,
  place: Concatenation,
): Promise<string> {
  requireRole(caller, 'send');
  const part = await readPart(sending, caller, submission, place);
  const kept = await sending.store.write(keepPart, { part, most: maxWaitingParts });
  if (kept === 'full')
    throw new ServiceError('overloaded', 'Too many parts wait for the others of their texts.');
  const { id, text } = kept;
  if (text === null) return String(id);
  try {
    await sendText(sending, caller, text);
  } catch (error) {
    if (isPassing(error)) await sending.store.write(refuseLast, part);
    else {
      const rejected = text.filter((other) => other.id !== id);
      await sending.store.write(endParts, { rejected, refused: id, now: sending.clock.now() });
    }
    throw error;
  }
  return String(id);
}

async function readPart(
  sending: Sending,
  caller: Caller,
  { request, wanted, reference }: Submission,
  place: Concatenation,
): Promise<NewPart> {
  const now = sending.clock.now();
  const { prepared } = await prepareCall(sending, caller, withCountryCode(request, caller), now);
  const [message] = prepared.messages;
  if (message === undefined) throw nothingQueued(prepared);
  const { recipient, carrierId } = message;
  const { from, message: text = '', flash, validminutes, scheduletime } = request;
  const sent = { text, from, flash, validminutes, scheduletime, wanted, reference };
  const { companyId, userId } = caller;
  return {
    userId,
    recipient,
    sender: from ?? '',
    reference: place.reference,
    parts: place.parts,
    part: place.part,
    id: await sending.ids.draw(1),
    content: { ...sent, companyId, sender: prepared.sender, carrierId, receivedAt: now },
    dueAt: now + partsWaitMs,
  };
}

const minuteMs = 60_000;

async function sendText(sending: Sending, caller: Caller, parts: readonly Part[]): Promise<void> {
  const { content, recipient } = parts[0] as Part;
  const { from, flash } = content;
  const now = sending.clock.now();
  const begunAt = beginningOf(parts);
  const scheduletime = begunAt > now ? content.scheduletime : undefined;
  const waitedMinutes = Math.max(0, Math.floor((now - begunAt) / minuteMs));
  const validminutes = Math.max(1, content.validminutes - waitedMinutes);
  const message = joinParts(parts.map((part) => part.content.text));
  const to = [`+${recipient}`];
  const request = { ...plainRequest, to, from, message, flash, validminutes, scheduletime };
  const reported = parts.map(({ id, content: { wanted, reference } }) => ({
    shownId: id,
    wanted,
    reference,
  }));
  const ids = parts.map(({ id }) => id);
  await send(sending, caller, request, undefined, {
    accept(acceptance) {
      const [alone] = parts.length === 1 ? parts : [];
      const header = alone && headerOf(alone, acceptance);
      return sending.store.write(acceptOfClients, { acceptance, reported, parts: ids, header });
    },
  });
}

/** A part that goes out alone has the header by which the phone puts it together with the others. */
export function headerOf(
  { reference, part, parts }: Concatenation,
  { rows }: Acceptance,
): Concatenation | undefined {
  const header = { reference, part, parts };
  const hasRoom = rows.every((row) => hasRoomForHeader(valueIn(row, 'text'), header));
  return hasRoom ? header : undefined;
}

function oldestOf(parts: readonly Part[]): number {
  return Math.min(...parts.map(({ content }) => content.receivedAt));
}

/** When the validity begins: with the send time, or with the text. */
function beginningOf(parts: readonly Part[]): number {
  const { scheduletime } = (parts[0] as Part).content;
  return Math.max(oldestOf(parts), scheduletime === undefined ? 0 : Date.parse(scheduletime));
}

interface PartsLog {
  warn(details: object, message: string): void;
}

const dueAtATime = 100;
/** The rest waits for the next look, which comes in a second. */
const pagesAtATime = 10;
const textsAtATime = 50;

/** Sends what has waited long enough. What can't be sent for now is due again after a pause. */
export async function sendDueParts(sending: Sending, log: PartsLog): Promise<void> {
  for (let pages = 0, isMore = true; isMore && pages < pagesAtATime; pages++) {
    const now = sending.clock.now();
    const found = await sending.store.read(readDueParts, { now, limit: dueAtATime });
    const users = groupedBy(found, ({ userId }) => userId);
    const sent = await Promise.allSettled(
      [...users].map(([userId, parts]) => sendOfUser(sending, userId, textsOf(parts, now), log)),
    );
    for (const outcome of sent) if (outcome.status === 'rejected') throw outcome.reason;
    isMore = found.filter(({ dueAt }) => dueAt <= now).length >= dueAtATime;
  }
}

/** All parts together if they have come, as before a crash; otherwise those that are due, each alone. */
function textsOf(parts: readonly Part[], now: number): readonly (readonly Part[])[] {
  const texts = groupedBy(parts, ({ recipient, sender, reference, parts: count, textId }) =>
    JSON.stringify([recipient, sender, reference, count, textId]),
  );
  return [...texts.values()].flatMap((text) =>
    text.length === text[0]?.parts ? [text] : text.filter(({ dueAt }) => dueAt <= now).map((part) => [part]),
  );
}

/** More and more at a time: a user over a limit costs few refusals, and the rest waits untried. */
async function sendOfUser(
  sending: Sending,
  userId: number,
  texts: readonly (readonly Part[])[],
  log: PartsLog,
): Promise<void> {
  const caller = await findCaller(sending.store, userId);
  const later: (readonly Part[])[] = [];
  const rejected: (readonly Part[])[] = [];
  let isThrottling = false;
  const end = (parts: readonly Part[], mayWait: boolean) =>
    (mayWait && nextTry(parts, sending.clock.now()) !== undefined ? later : rejected).push(parts);
  let tried = 0;
  for (let size = 1; tried < texts.length && !isThrottling; size = Math.min(2 * size, textsAtATime)) {
    const group = texts.slice(tried, tried + size);
    tried += group.length;
    const errors = await Promise.all(group.map((parts) => tryToSend(sending, caller, parts)));
    for (const [index, parts] of group.entries()) {
      const error = errors[index];
      if (error === null) continue;
      if (isThrottled(error)) isThrottling = true;
      else log.warn({ error, userId }, 'parts of a text from an SMPP client could not be sent');
      end(parts, isPassing(error));
    }
  }
  for (const parts of texts.slice(tried)) end(parts, true);
  const now = sending.clock.now();
  if (later.length > 0)
    await sending.store.write(
      postponeParts,
      later.flatMap((parts) => parts.map(({ id }) => ({ id, dueAt: nextTry(parts, now) ?? now }))),
    );
  if (rejected.length > 0) await sending.store.write(endParts, { rejected: rejected.flat(), now });
}

/** Returns why it can't be sent, or null if it is sent. */
async function tryToSend(
  sending: Sending,
  caller: Caller | undefined,
  parts: readonly Part[],
): Promise<unknown> {
  if (caller === undefined) return new ServiceError('role_missing', 'The account is not active.');
  try {
    await sendText(sending, caller, parts);
    return null;
  } catch (error) {
    return error;
  }
}

/** A limit may be one of a minute or one of a day. */
const maxPauseMs = 5 * minuteMs;
const maxLifeMs = 24 * 60 * minuteMs;

/** Each pause is as long as all before; undefined if the text would be no longer valid, or a day old. */
function nextTry(parts: readonly Part[], now: number): number | undefined {
  const { validminutes } = (parts[0] as Part).content;
  const receivedAt = oldestOf(parts);
  const endsAt = Math.min(receivedAt + maxLifeMs, beginningOf(parts) + validminutes * minuteMs);
  const pauseMs = Math.min(maxPauseMs, Math.max(partsWaitMs, now - receivedAt));
  return now + pauseMs < endsAt ? now + pauseMs : undefined;
}
