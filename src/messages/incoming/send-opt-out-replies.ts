/** Sends the replies to STOP, START and HELP, on whichever node is first. */
import { type Caller, findCaller } from '../../accounts/caller.ts';
import { type ErrorCode, ServiceError } from '../../foundation/errors.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import { SenderTurns } from '../../routing/carriers-by-sender.ts';
import { replyCategory } from '../../wire/category.ts';
import type { Acceptance, Accepted } from '../sending/accept.ts';
import { valueIn, withValues } from '../sending/accepted-row.ts';
import { plainRequest } from '../sending/parameters.ts';
import { type Sending, send } from '../sending/send.ts';
import {
  acceptOptOutReply,
  type DueReply,
  listDueReplies,
  postponeOptOutReply,
  replyPatienceMs,
} from './opt-out-replies.ts';

interface ReplyOptions {
  readonly sending: Sending;
  readonly log: { warn(details: object, message: string): void };
  /** How long it waits without a wake-up before it looks anyway. */
  readonly pollMs?: number;
}

const standardPollMs = 2_000;
const maxListed = 100;
const retryMs = 60_000;
const maxName = 60;

/** It is woken when a word has come to this node; words that came elsewhere are found by looking. */
export function replyToWords({ sending, log, pollMs = standardPollMs }: ReplyOptions): WokenLoop {
  const failed = (error: unknown) =>
    log.warn({ error }, 'replies to STOP, START and HELP could not be sent; trying again');
  return new WokenLoop({ pauseMs: pollMs, firstMs: 0, failed }, async (signal) => {
    const due = await sending.store.read(listDueReplies, { now: sending.clock.now(), limit: maxListed });
    const errors: unknown[] = [];
    // One that fails holds up no other.
    for (const reply of due)
      if (!signal.aborted) await sendReply(sending, reply).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
    return due.length === maxListed ? { pauseMs: 0 } : undefined;
  });
}

/** Reasons for which a later try may succeed. */
const passing: ReadonlySet<ErrorCode> = new Set(['quota_exceeded', 'rate_exceeded']);
/** Reasons of the account, the number or the text. */
const lasting: ReadonlySet<ErrorCode> = new Set([
  ...(['nothing_queued', 'too_many_parts', 'text_too_long', 'role_missing'] as const),
  ...(['no_sender', 'invalid_sender', 'sender_not_yours'] as const),
]);

class Moved extends Error {}

export async function sendReply(sending: Sending, reply: DueReply): Promise<void> {
  const { store } = sending;
  const now = sending.clock.now();
  const { userId, phone, number, way, conversation, policy } = reply;
  const give = (dueAt: number | null) => store.write(postponeOptOutReply, { reply, dueAt });
  const payer = await findCaller(store, userId);
  if (payer === undefined || policy === 'off') {
    await give(null);
    return;
  }
  const request = {
    ...plainRequest,
    to: [phone],
    message: textOf(reply),
    // The number of the pool is named only when the reply is accepted.
    twoway: way !== 'rented',
    conversation: conversation === '' ? undefined : conversation,
    replacecharacters: true,
  };
  const accept = async (acceptance: Acceptance): Promise<Accepted> => {
    const plain = fromNumber(acceptance, number);
    const outcome = await store.write(acceptOptOutReply, { reply, acceptance, plain });
    if (outcome.kind === 'moved') throw new Moved();
    return outcome;
  };
  try {
    await send(sending, asOwner(payer, number), request, undefined, { accept, category: replyCategory });
  } catch (error) {
    if (error instanceof Moved) return;
    if (!(error instanceof ServiceError)) throw error;
    const isLate = now >= reply.askedAt + replyPatienceMs;
    if (lasting.has(error.code) || (passing.has(error.code) && isLate)) await give(null);
    else if (passing.has(error.code)) await give(now + retryMs);
    else throw error;
  }
}

function fromNumber(acceptance: Acceptance, sender: string): Acceptance {
  const turns = new SenderTurns();
  const rows = acceptance.rows.map((row) => {
    const carriers = acceptance.carriers?.get(valueIn(row, 'recipient'));
    const carrierId = carriers && turns.carrierFrom(carriers, sender);
    return withValues(row, { sender, carrier_id: carrierId ?? valueIn(row, 'carrier_id') });
  });
  return { ...acceptance, rows };
}

/**
 * A person who writes to a number of the company is answered from it, whatever else its user may do. The reply is charged
 * like any other SMS of the user.
 */
function asOwner(payer: Caller, number: string): Caller {
  return {
    ...payer,
    roles: new Set([...payer.roles, 'send' as const]),
    defaultSender: number,
    allowedSenders: undefined,
    replaceCharacters: true,
  };
}

const texts = {
  en: {
    stop: (company: string) =>
      `${company}: you will get no more SMS from us. Send START to this number to get them again.`,
    stopBesideEssential: (company: string) =>
      `${company}: you will get only essential SMS from us. Send START to this number to get all again.`,
    start: (company: string) =>
      `${company}: you will get SMS from us again. Send STOP to this number to end them.`,
    help: (company: string) =>
      `SMS from this number are sent by ${company}. Send STOP to this number to end them.`,
  },
  sv: {
    stop: (company: string) =>
      `${company}: du får inga fler sms från oss. Skicka START till det här numret om du vill ha dem igen.`,
    stopBesideEssential: (company: string) =>
      `${company}: du får bara viktiga sms från oss. Skicka START till det här numret om du vill ha alla igen.`,
    start: (company: string) =>
      `${company}: du får sms från oss igen. Skicka STOPP till det här numret om du inte vill ha dem.`,
    help: (company: string) =>
      `Sms från det här numret skickas av ${company}. Skicka STOPP till numret om du inte vill ha dem.`,
  },
} as const;

export function textOf({ word, company, language, policy }: DueReply): string {
  const name = Array.from(company).slice(0, maxName).join('');
  const isPartial = word === 'stop' && policy === 'essentialPasses';
  return texts[language][isPartial ? 'stopBesideEssential' : word](name);
}
