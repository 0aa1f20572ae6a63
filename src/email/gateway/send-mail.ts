/** Sends the content of an e-mail according to the sender's entry, once to each number however often the e-mail arrives. */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Acceptance, Accepted } from '../../messages/sending/accept.ts';
import { plainRequest, type SendRequest } from '../../messages/sending/parameters.ts';
import { type Sending, type Sent, send } from '../../messages/sending/send.ts';
import type { EmailAddress } from '../../wire/email-address.ts';
import type { Mail } from '../../wire/mail/read-mail.ts';
import { conversationOf, referencesOfAnswer } from '../../wire/mail/thread.ts';
import { isGsm7 } from '../../wire/sms/gsm7.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { replaceCharacters } from '../../wire/sms/replacement.ts';
import { fitParts } from '../../wire/sms/segments.ts';
import type { Proof } from '../proof/sender-proof.ts';
import type { Payer } from '../senders/paying-user.ts';
import type { SenderEntry, SendingSettings } from '../senders/sender-entry.ts';
import { type DeliveryKey, deliveryKeys } from './delivery-keys.ts';
import {
  deferred,
  type MailAnswer,
  type MailRefusal,
  refused,
  sentText,
  storeAway,
  taken,
} from './mail-answer.ts';
import { digitsOf } from './mail-recipient.ts';
import {
  findDelivered,
  findSenderRule,
  type MailAcceptance,
  type MailAccepted,
  type ReturnAddress,
} from './store.ts';

export interface MailSending extends Sending {
  /** Stores the messages of an e-mail, and the fact that they were sent. */
  readonly acceptMail: (acceptance: MailAcceptance) => Promise<MailAccepted>;
}

export interface SendMailInput {
  readonly entry: SenderEntry;
  readonly payer: Payer;
  /** The payer as a caller of the API. */
  readonly caller: Caller;
  readonly mail: Mail;
  readonly octets: Uint8Array;
  readonly sender: EmailAddress;
  readonly proof: Proof;
  /** The recipients' numbers, as written. */
  readonly numbers: readonly string[];
}

export async function sendMail(sending: MailSending, order: SendMailInput): Promise<MailAnswer> {
  const { defaultCountryCode } = order.entry.settings;
  const keys = keysOf(order, sending.clock.now());
  const known = await sending.store.read(findDelivered, {
    keys: keys.map(({ key }) => key),
    now: sending.clock.now(),
  });
  const delivered = new Set(keys.filter(({ key }) => known.has(key)).map(({ number }) => number));
  for (;;) {
    const numbers = order.numbers.filter((number) => !delivered.has(digitsOf(number, defaultCountryCode)));
    if (numbers.length === 0)
      return taken('repeated', 'This e-mail was already sent; nothing is sent twice.');
    const outcome = await sendOnce(sending, order, numbers, keys);
    if ('kind' in outcome) return outcome;
    for (const number of outcome.delivered) delivered.add(number);
  }
}

function keysOf(order: SendMailInput, now: number): readonly DeliveryKey[] {
  const { octets, mail, sender, proof } = order;
  const { defaultCountryCode } = order.entry.settings;
  // Anything that is not a number is kept unchanged; `/send` will refuse it with its own message.
  const numbers = new Set(order.numbers.map((number) => digitsOf(number, defaultCountryCode)));
  const delivered = { octets, header: mail.header, messageId: mail.messageId, sender, proof };
  return deliveryKeys(delivered, [...numbers], now);
}

/** Returns the response, or the numbers that turned out to have the e-mail already. */
async function sendOnce(
  sending: MailSending,
  order: SendMailInput,
  numbers: readonly string[],
  keys: readonly DeliveryKey[],
): Promise<MailAnswer | { readonly delivered: readonly string[] }> {
  const { entry, payer, caller, mail } = order;
  const words = { subject: mail.subject, text: mail.text.text };
  const text = mail.text.isEncrypted ? '' : smsText(words, entry.settings, caller.replaceCharacters);
  if (text === '')
    return refused(
      554,
      'no_text',
      `Nothing is sent: the e-mail ${mail.text.whyEmpty ?? 'contains no text'}.`,
    );
  const isTwoWay = entry.settings.splitCallback && payer.smtpSplit;
  const ruledSender = await senderByRule(sending, order);
  const conversation = isTwoWay ? conversationOf(mail.header, mail.messageId, order.octets) : undefined;
  const own = new Set(numbers.map((number) => digitsOf(number, entry.settings.defaultCountryCode)));
  const deliveries = keys.filter(({ number }) => own.has(number));
  let delivered: readonly string[] | undefined;
  const accept = async (acceptance: Acceptance): Promise<Accepted> => {
    const returnTo = isTwoWay ? returnAddress(order) : null;
    const outcome = await acceptWithKeys(sending, { acceptance, deliveries, returnTo });
    if (outcome.kind !== 'delivered') return outcome;
    delivered = outcome.numbers;
    return { kind: 'repeated', answer: nothingSent };
  };
  const request = sendRequest({ numbers, text, settings: entry.settings, ruledSender, conversation });
  // Rules come from the operator, as does the account's list of allowed senders, which is therefore not applied to them. An
  // entry may be set by any user with the right to do so.
  const payingCaller = ruledSender === undefined ? caller : { ...caller, allowedSenders: undefined };
  try {
    const sent = await send(sending, payingCaller, request, undefined, { wholeOnly: true, accept });
    if (delivered !== undefined) return { delivered };
    const ids = sent.accepted.map(({ id }) => id);
    return taken('sent', sentText(ids), ids);
  } catch (error) {
    if (error instanceof ServiceError) return answerTo(error, numbers);
    throw error;
  }
}

/**
 * The subject gets a line of its own. Empty if there is nothing to send. `replacing` replaces characters outside GSM-7 with
 * similar ones before the text is cut, since more of it may then fit.
 */
export function smsText(
  { subject, text }: { readonly subject: string; readonly text: string },
  settings: SendingSettings,
  replacing: boolean,
): string {
  const words = settings.includeSubject ? [subject, text] : [text];
  const whole = normaliseText(words.filter((one) => one !== '').join('\n'));
  return fitParts(replacing && !isGsm7(whole) ? replaceCharacters(whole) : whole, settings.maxSms);
}

interface MailOrder {
  readonly numbers: readonly string[];
  readonly text: string;
  readonly settings: SendingSettings;
  /** The sender id given by the company's rules; undefined if no rule applies. */
  readonly ruledSender: string | undefined;
  /**
   * Set if receipts and answers go back to the sender: the SMS then comes from a pool number, the same one throughout this
   * conversation. Undefined if they do not go back.
   */
  readonly conversation: string | undefined;
}

/**
 * Builds the equivalent `/send` request (API: email-to-SMS sender entry). Characters were replaced before the text was cut.
 */
function sendRequest({ numbers, text, settings, ruledSender, conversation }: MailOrder): SendRequest {
  const { sender, costCenter, defaultCountryCode, checkMobile } = settings;
  return {
    ...plainRequest,
    to: numbers,
    from: ruledSender ?? (sender || undefined),
    message: text,
    conversation,
    costcenter: costCenter || undefined,
    defaultcountrycode: defaultCountryCode || undefined,
    checknumber: checkMobile,
    twoway: conversation !== undefined,
  };
}

const nothingSent = JSON.stringify({ accepted: [], rejected: [] } satisfies Sent);

/** While another connection is accepting the same e-mail, retries until the outcome is known. */
async function acceptWithKeys(
  { acceptMail, clock }: MailSending,
  wanted: Omit<MailAcceptance, 'now'>,
): Promise<Exclude<MailAccepted, { kind: 'meanwhile' }>> {
  for (;;) {
    const outcome = await acceptMail({ ...wanted, now: clock.now() });
    if (outcome.kind !== 'meanwhile') return outcome;
  }
}

function returnAddress({ sender, mail, entry }: SendMailInput): ReturnAddress {
  const { onlyNonDelivery, origMsg } = entry.settings;
  return {
    address: `${sender.local}@${sender.domain}`,
    messageId: mail.messageId ?? null,
    references: referencesOfAnswer(mail.header, mail.messageId),
    isAutomatic: mail.automatic !== undefined,
    subject: mail.subject,
    onlyNonDelivery,
    origMsg,
  };
}

async function senderByRule(
  { store }: Sending,
  { entry, payer, sender }: SendMailInput,
): Promise<string | undefined> {
  if (!entry.settings.senderLogic) return undefined;
  const { companyId } = payer;
  return (await store.read(findSenderRule, { companyId, domain: sender.domain })) ?? undefined;
}

/** An error that `/send` answers with 400 is permanent; one that it answers with 503 is temporary. */
function answerTo(error: ServiceError, numbers: readonly string[]): MailAnswer {
  if (error.code === 'rate_exceeded') return deferred('rate', error.message);
  if (error.status >= 429) return deferred(error.code === 'overloaded' ? 'overload' : 'store', storeAway);
  if (error.code !== 'nothing_queued')
    return refused(554, reasons[error.code] ?? 'other', sentences[error.code] ?? error.message);
  const faults = error.errors.map(({ field, error: why }) => `${recipientAt(field, numbers)}: ${why}`);
  return refused(554, 'recipient', `Nothing was sent. ${faults.join(' ')}`);
}

const reasons: Readonly<Record<string, MailRefusal>> = {
  quota_exceeded: 'quota',
  too_many_parts: 'quota',
  no_sender: 'sender',
  sender_not_allowed: 'sender',
  sender_not_yours: 'sender',
  invalid_sender: 'sender',
  no_text: 'no_text',
  text_too_long: 'no_text',
};

/** Replaces messages of `/send` that mention its parameters. */
const sentences: Readonly<Record<string, string>> = {
  quota_exceeded:
    'The quota of the account that pays, or of its company, does not cover an SMS to each recipient. Nothing was sent.',
  no_sender:
    'There is no sender id to send from. Set one in the entry for this sender, for the account that pays, or for its company. Nothing was sent.',
  sender_not_yours:
    'The sender id set for this sender, or for the account that pays, belongs to another company or is reserved for answers. Nothing was sent. Ask the administrator of the list of senders to set another.',
};

/** The field looks like `to[2]`. */
function recipientAt(field: string | undefined, numbers: readonly string[]): string {
  const [, index] = /^to\[(\d+)\]$/.exec(field ?? '') ?? [];
  return index === undefined ? 'A recipient' : (numbers[Number(index)] ?? 'A recipient');
}
