/**
 * Takes a call from a carrier: judges whether it is the carrier's, reads it, and stores what it tells, before it is answered.
 *
 *   proof ──▶ reading ──▶ storing ──▶ the answer that the carrier wants
 *     └──▶ forged  └──▶ unreadable  └──▶ an error: the carrier calls again
 */
import { addressTestOf, plainAddress } from '../../http/origin.ts';
import type { CarrierEvents } from '../carrier.ts';
import type { CallAnswer, CallKind, CarrierCall, ForgedBy } from './call.ts';
import { prepareExpressions, Reading } from './reading.ts';
import { itemsOf, maxItems, type ReadSms, readIncoming, readReceipt } from './reports.ts';
import type { HttpDeclaration, IncomingSettings, ReceiptSettings } from './settings.ts';
import { coversQuery, isSigned } from './signature.ts';

export type Reporting = Pick<HttpDeclaration, 'receipts' | 'incoming' | 'password' | 'secrets'>;

type Storing = Pick<CarrierEvents, 'receipts' | 'unreadableReceipt' | 'incoming'>;

/** Rejects if what the call reports could not be stored. */
export async function takeCall(
  declaration: Reporting,
  kind: CallKind,
  call: CarrierCall,
  events: Storing,
  now: number,
): Promise<CallAnswer> {
  const settings = declaration[kind];
  if (settings === undefined) return { kind: 'notTaken' };
  // Some services try an address by calling it without any content.
  if (call.body === '' && call.query.size === 0) return answerOf(settings);
  const why = await forgedBy(settings, declaration, call, now);
  if (why !== undefined) return { kind: 'forged', why };
  await prepareExpressions(settings);
  const { receipts, incoming } = declaration;
  if (kind === 'receipts' && receipts !== undefined) return takeReceipts(receipts, call, events);
  return takeIncoming(incoming as IncomingSettings, call, events);
}

async function forgedBy(
  { signature, networks }: ReceiptSettings | IncomingSettings,
  { password, secrets }: Reporting,
  call: CarrierCall,
  now: number,
): Promise<ForgedBy | undefined> {
  if (networks !== undefined && !isWithin(call.address, networks)) return 'network';
  if (signature === undefined) return undefined;
  const keys = { ...secrets, ...(password !== undefined && { password }) };
  return (await isSigned(call, signature, keys, now)) ? undefined : 'signature';
}

export function isWithin(address: string, networks: readonly string[]): boolean {
  return addressTestOf(networks)(plainAddress(address));
}

/** Beside a signed body, a query counts only if it is signed too: anybody who saw a call could send it with another one. */
function readingOf(settings: ReceiptSettings | IncomingSettings, call: CarrierCall): Reading {
  const { body, contentType } = call;
  const isCovered = settings.signature === undefined || body === '' || coversQuery(settings.signature);
  return Reading.of(isCovered ? call : { body, contentType });
}

async function takeReceipts(
  settings: ReceiptSettings,
  call: CarrierCall,
  events: Storing,
): Promise<CallAnswer> {
  const items = itemsOf(settings, readingOf(settings, call), maxItems);
  if (items === undefined) return unreadable(whyNoItems);
  const read = items.map((item) => readReceipt(settings, item));
  if (read.length > 0 && read.every(({ kind }) => kind === 'nothing'))
    return unreadable('neither an id nor a state was found');
  const receipts = read.flatMap((one) => (one.kind === 'receipt' ? [one.receipt] : []));
  if (receipts.length > 0) await events.receipts(receipts);
  await Promise.all(
    read.flatMap((one) => (one.kind === 'receipt' ? [] : [events.unreadableReceipt(one.receipt)])),
  );
  return answerOf(settings);
}

async function takeIncoming(
  settings: IncomingSettings,
  call: CarrierCall,
  events: Storing,
): Promise<CallAnswer> {
  const items = itemsOf(settings, readingOf(settings, call), maxItems);
  if (items === undefined) return unreadable(whyNoItems);
  const read = items.map((item) => readIncoming(settings, item)).filter((one) => one !== undefined);
  if (items.length > 0 && read.length === 0) return unreadable('neither a sender nor a text was found');
  await storeIncoming(read, events);
  return { ...answerOf(settings), unread: items.length - read.length };
}

/** One after the other, so that SMS of one sender keep their order. */
async function storeIncoming(read: readonly ReadSms[], events: Storing): Promise<void> {
  for (const { sms } of read) await events.incoming(sms);
}

const whyNoItems = `there is no list where one should be, or it has more than ${maxItems} elements`;

function unreadable(why: string): CallAnswer {
  return { kind: 'unreadable', why };
}

function answerOf({ answer = {} }: ReceiptSettings | IncomingSettings): CallAnswer & { kind: 'answer' } {
  const { status = 200, type = 'text/plain', body = '' } = answer;
  return { kind: 'answer', status, type, body, unread: 0 };
}
