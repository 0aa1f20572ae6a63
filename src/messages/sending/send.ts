/** Sends SMS: prepared messages get their ids and are stored; the answer follows the commit, never the other way round. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { remarkOfTime } from '../../audit/audit-details.ts';
import { type AuditEntry, byUser } from '../../audit/audit-log.ts';
import type { SelectedRecipients } from '../../contacts/select-recipients.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { FieldError } from '../../foundation/errors.ts';
import type { SecurityEvents } from '../../foundation/security-log.ts';
import type { Call } from '../../http/endpoints/endpoint.ts';
import { maxListedErrors } from '../../http/parameters/faults.ts';
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import type { Ids } from '../../storage/ids.ts';
import { categoryCode, type replyCategory, standardCategory } from '../../wire/category.ts';
import { formatTagFilter } from '../../wire/tag-filter.ts';
import { monthOf } from '../charging.ts';
import type { Claimed, Dispatching, Handover } from '../handover.ts';
import { answerAgain, findEarlier, keptForMs, type Repeatable, repeatableOf } from '../idempotency.ts';
import type { Observer } from '../observer.ts';
import { leaseAfterValidityMs } from '../pool/lease-book.ts';
import { rateHeaders } from '../rate.ts';
import type { NewSending } from '../sending-rows.ts';
import { type Acceptance, type Accepted, acceptMessages, acceptTwoWay } from './accept.ts';
import { toRows } from './accepted-row.ts';
import type { SendRequest } from './parameters.ts';
import {
  type Prepared,
  type Preparing,
  prepareCall,
  type WaitingCall,
  withCountryCode,
  withoutRecipients,
} from './prepare.ts';
import { nothingQueued, overRateError, quotaExceeded } from './send-errors.ts';

export interface Sending extends Preparing {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'draw'>;
  readonly dispatching: Dispatching;
  readonly observer: Pick<Observer, 'accepted'>;
  readonly security: SecurityEvents;
  /**
   * Whether the changes of a company's messages are written to the journal of changes; without it, no changes are
   * written.
   */
  readonly isTracked?: (companyId: number) => boolean;
  /** Finds the opt-outs of people who have been erased. */
  readonly personSecret: PersonSecret;
}

export interface AcceptedMessage {
  readonly to: string;
  readonly id: string;
  /** SMS parts. */
  readonly parts: number;
}

export interface Sent {
  /** Never empty. */
  readonly accepted: readonly AcceptedMessage[];
  readonly rejected: readonly string[];
  /** The first reasons for rejection; absent when nobody was rejected. */
  readonly errors?: readonly FieldError[];
}

/** Options that only internal callers may set. */
export interface SendOptions {
  /** Without it, the work goes on whether or not somebody waits for it. */
  readonly call?: WaitingCall & Partial<Pick<Call, 'addHeaders'>>;
  /** Whether nothing at all is sent if one recipient cannot be sent to. */
  readonly wholeOnly?: boolean;
  /** Identifies a repeated call if the request differs from what the caller asked for. */
  readonly repeatable?: Repeatable | undefined;
  /** For a reply to a person's own STOP, START or HELP. */
  readonly category?: typeof replyCategory;
  /**
   * Finds the webhook for the `callbackurl` of the call, which must be kept while the messages can still change: until then,
   * and for some time after.
   */
  readonly callback?: ((until: number) => Promise<number>) | undefined;
  /** Stores the messages together with the caller's own rows. */
  readonly accept?: (acceptance: Acceptance) => Promise<Accepted>;
}

export async function send(
  sending: Sending,
  caller: Caller,
  request: SendRequest,
  idempotencyKey: string | undefined,
  options: SendOptions = {},
): Promise<Sent> {
  requireRole(caller, 'send');
  const now = sending.clock.now();
  const repeatable =
    options.repeatable ??
    (idempotencyKey === undefined ? undefined : toRepeatable(idempotencyKey, request, now));
  if (repeatable !== undefined) {
    // The key is checked before the request is validated, since a request that was valid the first time may be invalid
    // now, for example because its send time has passed.
    const { companyId, userId } = caller;
    const earlier = await sending.store.read(findEarlier, { companyId, userId, ...repeatable });
    if (earlier !== null) return answerAgain(earlier) as Sent;
  }
  const call = { caller, request: withCountryCode(request, caller), repeatable, now, options };
  const preparing = prepareCall(sending, caller, call.request, now, options.call);
  const { prepared, selected } = preparing instanceof Promise ? await preparing : preparing;
  return await sendPrepared(sending, { ...call, selected }, prepared);
}

/** The parts of a call that stay the same whatever happens to its recipients. */
interface SendCall {
  readonly caller: Caller;
  readonly request: SendRequest;
  readonly repeatable: Repeatable | undefined;
  readonly now: number;
  readonly selected: SelectedRecipients | undefined;
  readonly options: SendOptions;
}

async function sendPrepared(sending: Sending, call: SendCall, prepared: Prepared): Promise<Sent> {
  const { caller, request, repeatable, now, options } = call;
  const isRefused = options.wholeOnly === true && prepared.rejected.length > 0;
  if (prepared.messages.length === 0 || isRefused) throw nothingQueued(prepared);

  const callbackId = options.callback && (await options.callback(endOfValidity(request, prepared, now)));
  const drawn = sending.ids.draw(prepared.messages.length);
  const firstId = typeof drawn === 'number' ? drawn : await drawn;
  const accepted = prepared.messages.map(({ recipient, parts }, index) => ({
    to: recipient,
    id: String(firstId + index),
    parts,
  }));
  const { rejected } = prepared;
  const errors = prepared.errors.slice(0, maxListedErrors);
  const sent: Sent = errors.length === 0 ? { accepted, rejected } : { accepted, rejected, errors };
  const parts = accepted.reduce((sum, message) => sum + message.parts, 0);
  const expiresAt = now + keptForMs;
  const handover = expectAll(sending, caller, request, prepared, firstId, now);
  const acceptance = {
    companyId: caller.companyId,
    userId: caller.userId,
    rows: toRows(caller, request, prepared, firstId, now, handover?.nodeId ?? null),
    parts,
    costCenter: request.costcenter ?? '',
    now,
    month: monthOf(now),
    idempotency: repeatable === undefined ? null : { ...repeatable, answer: JSON.stringify(sent), expiresAt },
    nodeId: handover?.nodeId ?? null,
    listened: callbackId !== undefined || (sending.isTracked?.(caller.companyId) ?? false),
    ...(callbackId !== undefined && { callbackId }),
    ...carriersOf(prepared),
    ...optOutTermsOf(sending, call),
    ...sendingOf(call, prepared, firstId, parts),
    ...auditedOf(call, prepared, firstId),
  } satisfies Acceptance;
  const verb = request.twoway ? acceptTwoWay : acceptMessages;
  let outcome: Accepted | undefined;
  try {
    outcome = await (options.accept?.(acceptance) ?? sending.store.write(verb, acceptance));
  } finally {
    // Dispatch expects the messages, and is told what became of them.
    if (outcome?.kind === 'accepted')
      handover?.end(outcome.inFlight ? 'inFlight' : 'waiting', outcome.references);
    else handover?.end(outcome === undefined ? 'unknown' : 'notStored');
  }

  switch (outcome.kind) {
    case 'accepted':
      sending.observer.accepted(accepted.length, parts);
      if (handover === undefined && prepared.sendAt === undefined) wakeCarriers(sending, prepared);
      if (outcome.rateLeft !== undefined) options.call?.addHeaders?.(rateHeaders(outcome.rateLeft, now));
      return sent;
    case 'quotaExceeded':
      throw quotaExceeded();
    case 'rateExceeded':
      throw overRateError(outcome, { caller, parts, now }, sending.security);
    case 'noPoolNumber':
    case 'optedOut':
      // The other messages are sent nevertheless. Nothing has been stored yet, so the call is made again for them.
      return sendPrepared(sending, call, withoutRecipients(prepared, call, outcome));
    default:
      return answerAgain(outcome) as Sent;
  }
}

function endOfValidity({ validminutes }: SendRequest, { sendAt }: Prepared, now: number): number {
  return (sendAt ?? now) + validminutes * 60_000;
}

/** The messages' category unless it is the standard one, and the company's rule about opt-outs if it has one. */
export function optOutTermsOf(
  { personSecret: secret }: Pick<Sending, 'personSecret'>,
  { caller, request, options }: Pick<SendCall, 'caller' | 'request'> & { readonly options?: SendOptions },
): Pick<Acceptance, 'category' | 'optOuts'> {
  const { category: own = standardCategory, optOuts: policy = 'off' } = caller;
  const code = categoryCode(options?.category ?? request.category ?? own);
  return {
    ...(code !== null && { category: code }),
    ...(policy !== 'off' && { optOuts: { policy, secret } }),
  };
}

/**
 * What a call sends to several people is one sending. A single message needs none, and what other rooms send with rows of
 * their own, such as the questions of a job, is shown there.
 */
function sendingOf(
  { caller, request, now, options }: SendCall,
  prepared: Prepared,
  id: number,
  parts: number,
): { readonly sending?: NewSending } {
  const { messages, sender, sendAt } = prepared;
  if (messages.length < 2 || options.accept !== undefined) return {};
  const { addressBook, to, tosubst, templateid, message } = request;
  const sending = {
    companyId: caller.companyId,
    id,
    userId: caller.userId,
    messages: messages.length,
    parts,
    templateId: templateid === undefined ? null : Number(templateid),
    text: message ?? null,
    whom: {
      groups: (addressBook?.groups ?? []).slice(0, maxNamesOfWhom),
      filters: (addressBook?.savedFilters ?? []).slice(0, maxNamesOfWhom),
      tags: addressBook?.filter === undefined ? '' : formatTagFilter(addressBook.filter),
      numbers: to.length + tosubst.length,
    },
    sender,
    answersUntil: endOfValidity(request, prepared, now) + leaseAfterValidityMs,
    createdAt: now,
    scheduledAt: sendAt ?? null,
  };
  return { sending };
}

/**
 * A person who sends is in the audit log. A program is not: its messages name its user, and the path on which it sends
 * thousands a second pays nothing. Other rooms record what they send with rows of their own.
 */
function auditedOf(
  { caller, now: at, options }: SendCall,
  { messages, sendAt }: Prepared,
  id: number,
): { readonly audited?: AuditEntry } {
  if (caller.session === undefined || options.accept !== undefined) return {};
  const { companyId } = caller;
  const count = { sentence: 'sms_count', sms: messages.length } as const;
  const details = [count, ...remarkOfTime(sendAt ?? null)];
  return { audited: { companyId, at, by: byUser(caller), act: 'message.send', object: String(id), details } };
}

/** More names than this tell no more. */
const maxNamesOfWhom = 20;

/**
 * Messages for several carriers, one of which may have room while another has none, go the long way, as do two-way messages,
 * whose senders are unknown until they are stored.
 */
function expectAll(
  { dispatching }: Sending,
  { companyId }: Caller,
  request: SendRequest,
  { messages, sender, sendAt }: Prepared,
  firstId: number,
  now: number,
): Handover | undefined {
  const carrierId = messages[0]?.carrierId;
  if (carrierId === undefined || sendAt !== undefined || request.twoway) return undefined;
  if (messages.some((message) => message.carrierId !== carrierId)) return undefined;
  const rows = messages.map(
    ({ recipient, text, parts }, index): Claimed => ({
      company_id: companyId,
      id: firstId + index,
      recipient,
      sender,
      text,
      flash: request.flash ? 1 : 0,
      parts,
      expires_at: now + request.validminutes * 60_000,
      attempts: 1,
      in_doubt: 0,
      reference: null,
    }),
  );
  return dispatching.expect(carrierId, rows);
}

/** For two-way messages whose pool number determines the carrier. */
export function carriersOf({ messages }: Prepared): Pick<Acceptance, 'carriers'> {
  if (messages.every((message) => message.carriers === undefined)) return {};
  const carriers = new Map(
    messages.flatMap(({ recipient, carriers: own }) =>
      own === undefined ? [] : [[recipient, own] as const],
    ),
  );
  return { carriers };
}

/** The request as understood, so that the same request by GET and by POST counts as the same. */
function toRepeatable(key: string, request: SendRequest, now: number): Repeatable {
  // Versions without two-way SMS or templates left these out, and a call from that time may be repeated now.
  const understood = {
    ...request,
    twoway: request.twoway || undefined,
    onlytemplateplaceholders: request.onlytemplateplaceholders || undefined,
    // A filter is the same in any notation.
    addressBook: request.addressBook && { ...request.addressBook, filterField: undefined },
  };
  return repeatableOf(key, understood, now);
}

function wakeCarriers(sending: Sending, { messages }: Prepared): void {
  const [first] = messages;
  if (messages.length === 1 && first?.carriers === undefined) {
    if (first !== undefined) sending.dispatching.wake(first.carrierId);
    return;
  }
  const carrierIds = new Set(messages.map(({ carrierId }) => carrierId));
  // Most messages share their list of carriers with others, so each list is walked through once.
  for (const carriers of new Set(messages.map((message) => message.carriers)))
    for (const carrierId of carriers?.carrierIds ?? []) carrierIds.add(carrierId);
  for (const carrierId of carrierIds) sending.dispatching.wake(carrierId);
}
