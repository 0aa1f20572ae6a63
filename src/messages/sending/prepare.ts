/**
 * Turns a request into messages, one per recipient, or says why that is not possible. Objects that the call names are looked
 * up first; everything after that is pure. Nothing is stored here.
 */

import type { Caller } from '../../accounts/caller.ts';
import { type SelectedRecipients, selectRecipients } from '../../contacts/select-recipients.ts';
import { type FieldError, ServiceError } from '../../foundation/errors.ts';
import { type Fault, fault, orThrow, type Result, success } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Turns } from '../../foundation/turns.ts';
import type { Call } from '../../http/endpoints/endpoint.ts';
import type { CarriersBySender } from '../../routing/carriers-by-sender.ts';
import type { Origin } from '../../routing/route.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { SenderOwners } from '../../routing/sender-owners.ts';
import type { Store } from '../../storage/store.ts';
import type { SavedTemplates } from '../../templates/saved-templates.ts';
import { countryRule } from '../../wire/country.ts';
import { checkMobile } from '../../wire/mobile-series.ts';
import { cleanNumber, countryCodeOf } from '../../wire/phone-number.ts';
import { parseScheduleTime } from '../../wire/schedule-time.ts';
import { parseSender } from '../../wire/sender-id.ts';
import type { TemplateText } from '../../wire/sms/substitution.ts';
import { maxRecipients, type SendRequest, type Substitution } from './parameters.ts';
import { type FinishedText, wordingOf } from './wording.ts';

export interface CarrierChoice {
  readonly carrierId: number;
  /** Set for a two-way message whose carrier depends on the number that it is sent from. */
  readonly carriers?: CarriersBySender;
}

export interface PreparedMessage extends CarrierChoice {
  readonly recipient: string;
  readonly text: string;
  readonly parts: number;
}

export interface Prepared {
  readonly messages: readonly PreparedMessage[];
  /** The recipients that cannot be sent to, as written in the call. */
  readonly rejected: readonly string[];
  readonly errors: readonly FieldError[];
  /** The recipient of each error, as written in the call. */
  readonly refused: readonly string[];
  /** Empty for two-way messages, which get a number from the pool when they are stored. */
  readonly sender: string;
  /** Milliseconds since the epoch; undefined means now. */
  readonly sendAt: number | undefined;
}

/**
 * SMS parts per call, the best measure of how long storing its texts takes: 10,000 recipients of three parts keep SQLite's
 * writer busy for 90 ms, texts of eight parts in UCS-2 for 260 ms.
 */
export const maxPartsOfCall = 30_000;

export interface Preparing {
  readonly store: Store;
  readonly routes: () => RoutingTable;
  readonly turns: Turns;
  readonly templates: Pick<SavedTemplates, 'find'>;
}

export interface PreparedCall {
  readonly prepared: Prepared;
  /** The recipients that the call selects from the address book. */
  readonly selected: SelectedRecipients | undefined;
}

/** The call that waits for the answer: work for it ends when its client has gone. */
export type WaitingCall = Pick<Call, 'isOver' | 'closed'>;

/** A repeated call is recognised by what it gave, so the company's code is added only afterwards. */
export function withCountryCode(request: SendRequest, caller: Caller): SendRequest {
  const defaultcountrycode = countryCodeOf(caller, request.defaultcountrycode);
  return defaultcountrycode === request.defaultcountrycode ? request : { ...request, defaultcountrycode };
}

/** Prepares a call: at once if it has few recipients and names no template and nothing in the address book. */
export function prepareCall(
  preparing: Preparing,
  caller: Caller,
  request: SendRequest,
  now: number,
  call?: WaitingCall,
): PreparedCall | Promise<PreparedCall> {
  if (request.addressBook === undefined && request.templateid === undefined && !isLarge(request, undefined))
    return { prepared: prepare(caller, request, preparing.routes(), now), selected: undefined };
  return prepareSlowly(preparing, caller, request, now, call);
}

/** A call with many recipients takes turns with all other work. */
async function prepareSlowly(
  { store, routes, turns, templates }: Preparing,
  caller: Caller,
  request: SendRequest,
  now: number,
  call: WaitingCall | undefined,
): Promise<PreparedCall> {
  const { addressBook, templateid } = request;
  // The template comes first, so that a wrong id does not cost a search.
  const template = templateid === undefined ? undefined : await templates.find(caller.companyId, templateid);
  const bounds = { limit: maxRecipients + 1, signal: addressBook && call?.closed };
  const selected = addressBook && (await selectRecipients(store, caller, addressBook, bounds));
  const asked = [caller, request, routes(), now, selected, template] as const;
  const prepared = isLarge(request, selected)
    ? await turns.run(caller, preparing(...asked), call && (() => !call.isOver))
    : prepare(...asked);
  return { prepared, selected };
}

/** Up to this many recipients are prepared at once; more take turns with other long-running work. */
const few = { ofOneText: 100, withOwnTexts: 4 };

export function isLarge({ to, tosubst }: SendRequest, selected: SelectedRecipients | undefined): boolean {
  return selected !== undefined || to.length > few.ofOneText || tosubst.length > few.withOwnTexts;
}

/**
 * This many recipients of one text take a millisecond; a recipient with a text of their own may take twenty milliseconds.
 */
const pauseRecipients = 20;

/** `selected` is the request's selection from the address book, `template` the template of its `templateid`. */
export function prepare(...asked: Parameters<typeof preparing>): Prepared {
  const work = preparing(...asked);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Prepares a call with pauses, for calls with many recipients. */
export function* preparing(
  caller: Caller,
  request: SendRequest,
  routes: RoutingTable,
  now: number,
  selected?: SelectedRecipients,
  template?: TemplateText,
): Generator<undefined, Prepared> {
  const recipients = listRecipients(request, selected);
  const wording = wordingOf(caller, request, template);
  const sender = request.twoway ? '' : chooseSender(caller, request.from, routes.senderOwners);
  const sendAt = chooseTime(request.scheduletime, now);
  const wayTo = (request.twoway ? twoWayCarrierChooser : carrierChooser)(routes, {
    sender,
    username: caller.username,
  });
  // Most calls have one text for all recipients, which is finished and counted once, when a recipient needs it.
  let common: FinishedText | undefined;

  const messages: PreparedMessage[] = [];
  // A single recipient is not repeated.
  const numbers = recipients.length > 1 ? new Set<string>() : undefined;
  const errors: FieldError[] = [];
  const refused: string[] = [];
  const reject = (recipient: Recipient, { code, error, values }: Fault) => {
    refused.push(recipient.given);
    errors.push({ field: recipient.field, code, error, values });
  };
  const substituted = substitutedNumbers(request);
  const isAllowed = caller.allowedCountries && countryRule(caller.allowedCountries);
  let parts = 0;
  let count = 0;
  for (const recipient of recipients) {
    count += 1;
    if (substituted.size > 0 || count % pauseRecipients === 0) yield;
    const number = cleanRecipient(recipient.given, request);
    if (number.ok && isAllowed?.(number.value) === false) {
      reject(recipient, countryNotAllowed(recipient.given, caller));
      continue;
    }
    if (!number.ok) {
      reject(recipient, number);
      continue;
    }
    if (numbers?.has(number.value)) continue;
    const texts = substituted.get(number.value);
    // An unusable common text is an error of the whole call; an unusable text of one recipient is an error of that
    // recipient only.
    if (texts === undefined) common ??= orThrow(wording.common());
    const text = texts === undefined ? success(common as FinishedText) : wording.of(texts);
    const way = wayTo(number.value);
    if (!text.ok) reject(recipient, text);
    else if (way === undefined) reject(recipient, noRoute(recipient.given));
    else {
      numbers?.add(number.value);
      messages.push({ recipient: number.value, text: text.value.text, parts: text.value.parts, ...way });
    }
    parts += text.ok ? text.value.parts : 0;
    if (parts > maxPartsOfCall) throw tooManyParts();
  }
  const rejected = refused.length === 0 ? refused : [...new Set(refused)];
  return { messages, rejected, errors, refused, sender, sendAt };
}

interface Recipient {
  readonly given: string;
  /** The recipient's position in the request. */
  readonly field: string;
}

/** In the order of mention: `to`, then `tosubst`, then recipients from the address book. */
function listRecipients(
  request: SendRequest,
  selected: SelectedRecipients | undefined,
): readonly Recipient[] {
  const { to, tosubst } = request;
  const listed = to.length + tosubst.length;
  checkCount(listed, 'call_recipients');
  const found = selected === undefined ? [] : notListed(request, selected);
  checkCount(listed + found.length, 'call_recipients_at_least');
  if (listed + found.length === 0) throw noRecipients(selected);
  const recipients: Recipient[] = to.map((given, index) => ({ given, field: `to[${index}]` }));
  for (const [index, entry] of tosubst.entries())
    recipients.push({ given: entry.to, field: `tosubst[${index}].to` });
  recipients.push(...found);
  return recipients;
}

function checkCount(recipients: number, sentence: 'call_recipients' | 'call_recipients_at_least'): void {
  if (recipients > maxRecipients)
    throw new ServiceError('invalid_value', { sentence, recipients, most: maxRecipients });
}

/** Recipients from the address book that the call does not list itself. */
function notListed(
  { to, tosubst, defaultcountrycode }: SendRequest,
  { sources }: SelectedRecipients,
): readonly Recipient[] {
  const listed = new Set<string>();
  for (const given of [...to, ...tosubst.map((entry) => entry.to)]) {
    const number = cleanNumber(given, defaultcountrycode);
    if (number.ok) listed.add(number.value);
  }
  return sources.flatMap(({ field, numbers }) =>
    numbers.filter((number) => !listed.has(number)).map((given) => ({ given, field })),
  );
}

function noRecipients(selected: SelectedRecipients | undefined): ServiceError {
  if (selected === undefined) {
    return new ServiceError(
      'no_recipients',
      'The call has no recipients. Give at least one in `to` or `tosubst`, or select some from the address book.',
    );
  }
  const { withoutPhone: contacts } = selected;
  const said: Sentence =
    contacts === 0 ? { sentence: 'nobody_selected' } : { sentence: 'nobody_with_phone', contacts };
  return new ServiceError('nothing_queued', said, { body: { rejected: [] } });
}

const noSubstitutions: ReadonlyMap<string, Substitution['subst']> = new Map();

/** The texts of each number that has some: the first entry in `tosubst` wins, even over a mention in `to`. */
function substitutedNumbers(request: SendRequest): ReadonlyMap<string, Substitution['subst']> {
  if (request.tosubst.length === 0) return noSubstitutions;
  const numbers = new Map<string, Substitution['subst']>();
  for (const { to, subst } of request.tosubst) {
    const number = cleanNumber(to, request.defaultcountrycode);
    if (number.ok && !numbers.has(number.value)) numbers.set(number.value, subst);
  }
  return numbers;
}

function cleanRecipient(given: string, request: SendRequest): Result<string> {
  const number = cleanNumber(given, request.defaultcountrycode);
  return number.ok && request.checknumber ? checkMobile(number.value) : number;
}

/**
 * The sender is the caller's choice (API: /send, `from`), otherwise the default of the account, otherwise that of the
 * company.
 */
export function chooseSender(
  caller: Pick<Caller, 'companyId' | 'defaultSender' | 'allowedSenders'>,
  from: string | undefined,
  owners: SenderOwners,
): string {
  const wanted = from ?? caller.defaultSender;
  if (wanted === undefined) {
    throw new ServiceError(
      'no_sender',
      'Neither the account nor its company has a default sender. Give one in `from`.',
    );
  }
  // Provisioned senders were checked on provisioning.
  const sender = from === undefined ? wanted : orThrow(parseSender(from)).value;
  if (caller.allowedSenders?.has(sender) === false) {
    const senders = [...caller.allowedSenders].join(', ');
    throw new ServiceError('sender_not_allowed', { sentence: 'sender_not_listed', sender, senders });
  }
  return orThrow(owners.judge(caller.companyId, sender));
}

/** A time that has only just passed counts as now. */
function chooseTime(scheduletime: string | undefined, now: number): number | undefined {
  if (scheduletime === undefined) return undefined;
  const time = orThrow(parseScheduleTime(scheduletime, now));
  return time > now ? time : undefined;
}

/** Chooses the carrier for a recipient; undefined when no route leads there. */
type ChooseCarrier = (number: string) => CarrierChoice | undefined;

function carrierChooser(routes: RoutingTable, origin: Origin): ChooseCarrier {
  return (number) => {
    const carrierId = routes.carrierFor(number, origin);
    return carrierId === undefined ? undefined : { carrierId };
  };
}

/** Routes may depend on the sender, which is a pool number that is known only when the message is stored. */
function twoWayCarrierChooser(routes: RoutingTable, { username }: Pick<Origin, 'username'>): ChooseCarrier {
  const carriersTo = routes.carriersBySender(username);
  return (number) => {
    const carriers = carriersTo(number);
    const carrierId = routes.carrierFor(number, { sender: '', username }) ?? carriers?.carrierIds[0];
    if (carrierId === undefined) return undefined;
    return carriers === undefined ? { carrierId } : { carrierId, carriers };
  };
}

function tooManyParts(): ServiceError {
  return new ServiceError('text_too_long', { sentence: 'call_parts', most: maxPartsOfCall });
}

function noRoute(recipient: string): Fault {
  return fault('no_route', { sentence: 'no_route', recipient });
}

/** The list is empty if those of the user and the company have nothing in common; then no country is allowed. */
function countryNotAllowed(recipient: string, { allowedCountries = new Set() }: Caller): Fault {
  const countries = [...allowedCountries].join(', ');
  return fault('country_not_allowed', { sentence: 'country_not_allowed', recipient, countries });
}

/** Recipients that turned out to be out of reach only when their messages were to be stored, and why. */
interface OutOfReach {
  readonly kind: 'noPoolNumber' | 'optedOut';
  readonly recipients: ReadonlySet<string>;
}

/** The same call without the recipients that no pool number may be used for, or who have opted out. */
export function withoutRecipients(
  prepared: Prepared,
  { request, selected }: { readonly request: SendRequest; readonly selected: SelectedRecipients | undefined },
  { kind, recipients }: OutOfReach,
): Prepared {
  const reason = kind === 'optedOut' ? 'opted_out' : 'no_pool_number';
  const rejected = new Set(prepared.rejected);
  const errors = [...prepared.errors];
  const refused = [...prepared.refused];
  for (const { given, field } of listRecipients(request, selected)) {
    // Recipients with a message have passed the mobile series check; repeating it for thousands would take a second.
    const number = cleanNumber(given, request.defaultcountrycode);
    if (!number.ok || !recipients.has(number.value) || rejected.has(given)) continue;
    rejected.add(given);
    refused.push(given);
    const { code, error, values } = fault(reason, { sentence: reason, recipient: given });
    errors.push({ field, code, error, values });
  }
  const messages = prepared.messages.filter(({ recipient }) => !recipients.has(recipient));
  return { ...prepared, messages, rejected: [...rejected], errors, refused };
}
