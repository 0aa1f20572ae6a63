/** Reads what a client submits: a submit_sm, data_sm or submit_multi as a call that sends (SMPP 3.4 4.4, 4.5, 4.7). */
import { plainRequest, type SendRequest } from '../messages/sending/parameters.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import { nulAfterBody, type PduOf, tlvByTag } from '../wire/smpp/commands.ts';
import type { Concatenation } from '../wire/smpp/concatenation.ts';
import { parseSmppTime } from '../wire/smpp/smpp-time.ts';
import { readSubmitted } from '../wire/smpp/submitted-text.ts';
import type { TlvName } from '../wire/smpp/tlvs.ts';

export type SubmitPdu = PduOf<'submitSm'> | PduOf<'dataSm'> | PduOf<'submitMulti'>;

export interface Submission {
  readonly request: SendRequest;
  /** One of `wanted`. */
  readonly wanted: number;
  /** The client's own reference, which comes back with the receipt. */
  readonly reference: number | null;
  /** Present if the client split the text itself, and this is a part. */
  readonly concatenation?: Concatenation;
}

const international = 1;
/** Bits 2 to 5 of esm_class: a client submits messages of the default type (SMPP 3.4 5.2.12). */
const messageTypes = 0x3c;
const maxValidityMinutes = 10_080;
const minuteMs = 60_000;

/** Returns a command_status if the fields contradict the standard, or ask for what there is not. */
export function readSubmission(pdu: SubmitPdu, now: number): Submission | number {
  const damage = damageOf(pdu);
  if (damage !== undefined) return damage;
  if ((pdu.esmClass & messageTypes) !== 0) return commandStatus.ESME_RINVESMCLASS;
  if ('replaceIfPresentFlag' in pdu && pdu.replaceIfPresentFlag !== 0) return commandStatus.ESME_RINVREPFLAG;
  const to = recipientsOf(pdu);
  if (typeof to === 'number') return to;
  const content = readSubmitted(pdu);
  if (content === undefined) return commandStatus.ESME_RINVDCS;
  const times = timesOf(pdu, now);
  if (typeof times === 'number') return times;
  const { userMessageReference: reference = null } = pdu.tlvs;
  const { concatenation } = content;
  return {
    request: {
      ...plainRequest,
      ...times,
      to,
      from: senderOf(pdu),
      message: content.text,
      flash: content.isFlash,
    },
    wanted: pdu.registeredDelivery & 3,
    reference,
    ...(concatenation !== undefined && { concatenation }),
  };
}

/** Without these, the text would be another. */
const decisive: readonly TlvName[] = [
  'sarMsgRefNum',
  'sarTotalSegments',
  'sarSegmentSeqnum',
  'destinationPort',
];

/** A client can submit again what came damaged, such as a text that is longer than its length says. */
function damageOf({ damage = nulAfterBody, tlvs }: SubmitPdu): number | undefined {
  if (damage !== nulAfterBody) return commandStatus.ESME_RINVOPTPARSTREAM;
  const hasWrongLength = tlvs.unknown?.some(({ tag }) => {
    const name = tlvByTag.get(tag)?.name;
    return name !== undefined && decisive.includes(name) && tlvs[name] === undefined;
  });
  return hasWrongLength ? commandStatus.ESME_RINVPARLEN : undefined;
}

function senderOf({ sourceAddrTon, sourceAddr }: SubmitPdu): string | undefined {
  if (sourceAddr === '') return undefined;
  return sourceAddrTon === international ? sourceAddr.replace(/^\+/, '') : sourceAddr;
}

interface NumberField {
  readonly destAddrTon: number;
  readonly destinationAddr: string;
}

function recipientsOf(pdu: SubmitPdu): readonly string[] | number {
  if (pdu.command !== 'submitMulti') return [numberOf(pdu)];
  const { destAddresses } = pdu;
  if (destAddresses.length === 0) return commandStatus.ESME_RINVNUMDESTS;
  const to: string[] = [];
  for (const destination of destAddresses) {
    // Groups belong to the address book, which an SMPP client does not see.
    if ('distributionList' in destination) return commandStatus.ESME_RINVDLNAME;
    to.push(numberOf(destination));
  }
  return to;
}

/** The number as a call of the API would have it. */
export function numberOf({ destAddrTon, destinationAddr }: NumberField): string {
  const isBare = destAddrTon === international && /^[1-9]/.test(destinationAddr);
  return isBare ? `+${destinationAddr}` : destinationAddr;
}

function timesOf(
  pdu: SubmitPdu,
  now: number,
): Partial<Pick<SendRequest, 'scheduletime' | 'validminutes'>> | number {
  const { scheduleDeliveryTime = '', validityPeriod = '' } =
    pdu.command === 'dataSm' ? {} : (pdu as PduOf<'submitSm'>);
  const sendAt = scheduleDeliveryTime === '' ? undefined : parseSmppTime(scheduleDeliveryTime, now);
  if (scheduleDeliveryTime !== '' && sendAt === undefined) return commandStatus.ESME_RINVSCHED;
  const lifeS = pdu.tlvs.qosTimeToLive ?? 0;
  const ofLife = lifeS === 0 ? undefined : now + 1_000 * lifeS;
  const expiresAt = validityPeriod === '' ? ofLife : parseSmppTime(validityPeriod, now);
  if (validityPeriod !== '' && expiresAt === undefined) return commandStatus.ESME_RINVEXPIRY;
  const isLater = sendAt !== undefined && sendAt > now;
  const schedule = isLater ? { scheduletime: new Date(sendAt).toISOString() } : {};
  if (expiresAt === undefined) return schedule;
  const minutes = Math.ceil((expiresAt - (isLater ? sendAt : now)) / minuteMs);
  if (minutes < 1) return commandStatus.ESME_RINVEXPIRY;
  return { ...schedule, validminutes: Math.min(minutes, maxValidityMinutes) };
}
