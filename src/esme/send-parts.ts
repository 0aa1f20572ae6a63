/** Makes one message of the parts of a text that a client has split, or one of each part that waits in vain. */
import { type Caller, findCaller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { groupedBy } from '../foundation/grouped.ts';
import { plainRequest } from '../messages/sending/parameters.ts';
import { prepareCall } from '../messages/sending/prepare.ts';
import { type Sending, send } from '../messages/sending/send.ts';
import { nothingQueued } from '../messages/sending/send-errors.ts';
import { type Concatenation, joinParts } from '../wire/smpp/concatenation.ts';
import { acceptOfClients } from './accept-store.ts';
import { dropParts, keepPart, type Part, partsWaitMs, readDueParts } from './part.ts';
import { isPassing } from './refusal.ts';
import type { Submission } from './submission.ts';

/** Returns the id of the part. Throws if the part, or with the last one the whole text, can't be sent. */
export async function takePart(
  sending: Sending,
  caller: Caller,
  { request, wanted, reference }: Submission,
  place: Concatenation,
): Promise<string> {
  requireRole(caller, 'send');
  const now = sending.clock.now();
  const { prepared } = await prepareCall(sending, caller, request, now);
  if (prepared.messages.length === 0) throw nothingQueued(prepared);
  const id = await sending.ids.draw(1);
  const { to, from, message: text = '', flash, validminutes, scheduletime } = request;
  const all = await sending.store.write(keepPart, {
    userId: caller.userId,
    recipient: to[0] ?? '',
    sender: from ?? '',
    reference: place.reference,
    parts: place.parts,
    part: place.part,
    id,
    content: { text, from, flash, validminutes, scheduletime, wanted, reference },
    dueAt: now + partsWaitMs,
  });
  if (all === null) return String(id);
  try {
    await sendText(sending, caller, all);
  } catch (error) {
    // The client hears of this part only; the others go on waiting for it.
    await sending.store.write(dropParts, [id]);
    throw error;
  }
  return String(id);
}

async function sendText(sending: Sending, caller: Caller, parts: readonly Part[]): Promise<void> {
  const { content, recipient } = parts[0] as Part;
  const { from, flash, validminutes, scheduletime } = content;
  const message = joinParts(parts.map((part) => part.content.text));
  const request = { ...plainRequest, to: [recipient], from, message, flash, validminutes, scheduletime };
  const reported = parts.map(({ id, content: { wanted, reference } }) => ({
    shownId: id,
    wanted,
    reference,
  }));
  const ids = parts.map(({ id }) => id);
  await send(sending, caller, request, undefined, {
    accept: (acceptance) => sending.store.write(acceptOfClients, { acceptance, reported, parts: ids }),
  });
}

interface PartsLog {
  warn(details: object, message: string): void;
}

const dueAtATime = 100;

/** Sends what has waited long enough. What can't be sent for now is tried again at the next call. */
export async function sendDueParts(sending: Sending, log: PartsLog): Promise<void> {
  for (let isMore = true; isMore; ) {
    const due = await sending.store.read(readDueParts, { now: sending.clock.now(), limit: dueAtATime });
    const texts = groupedBy(due, ({ userId, recipient, sender, reference, parts }) =>
      JSON.stringify([userId, recipient, sender, reference, parts]),
    );
    const ended = await Promise.all([...texts.values()].map((parts) => endWaiting(sending, parts, log)));
    isMore = due.length === dueAtATime && ended.every(Boolean);
  }
}

/** All parts may have come at different nodes, so that none of them saw the last. Returns false if some go on waiting. */
async function endWaiting(sending: Sending, parts: readonly Part[], log: PartsLog): Promise<boolean> {
  const [{ userId, parts: count }] = parts as [Part];
  const caller = await findCaller(sending.store, userId);
  const inOrder = [...parts].sort((one, other) => one.part - other.part);
  const texts = parts.length === count ? [inOrder] : inOrder.map((part) => [part]);
  const ended = await Promise.all(texts.map((some) => sendOrDrop(sending, caller, some, log)));
  return ended.every(Boolean);
}

async function sendOrDrop(
  sending: Sending,
  caller: Caller | undefined,
  parts: readonly Part[],
  log: PartsLog,
): Promise<boolean> {
  try {
    if (caller !== undefined) {
      await sendText(sending, caller, parts);
      return true;
    }
  } catch (error) {
    if (isPassing(error)) return false;
    log.warn({ error, userId: parts[0]?.userId }, 'parts of a text from an SMPP client could not be sent');
  }
  const ids = parts.map(({ id }) => id);
  await sending.store.write(dropParts, ids);
  return true;
}
