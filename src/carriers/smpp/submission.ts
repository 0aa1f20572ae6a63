/** A submission to the SMSC: what of a message goes in one submit_sm, and how that is written (DLV-4). */
import { encodeGsm7 } from '../../wire/sms/gsm7.ts';
import { encodeUcs2 } from '../../wire/sms/ucs2.ts';
import type { PduInputOf } from '../../wire/smpp/pdu.ts';
import type { OutgoingPart } from '../carrier.ts';
import type { SmppSettings } from './settings.ts';

/** One part mostly; all parts of a message where the SMSC divides it (concatenation: payload). */
export type Submission = readonly [OutgoingPart, ...OutgoingPart[]];

export function toSubmissions(parts: readonly OutgoingPart[], settings: SmppSettings): readonly Submission[] {
  void settings;
  return parts.map((part) => [part]);
}

export class Composer {
  readonly #settings: SmppSettings;
  constructor(settings: SmppSettings) {
    this.#settings = settings;
  }

  compose(submission: Submission, now: number): Omit<PduInputOf<'submitSm'>, 'command' | 'sequence'> {
    void now;
    const [part] = submission;
    return {
      sourceAddrTon: 5,
      sourceAddr: part.sender,
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: part.recipient,
      registeredDelivery: this.#settings.registeredDelivery,
      dataCoding: part.encoding === 'gsm7' ? 0 : 8,
      shortMessage: Buffer.from(part.encoding === 'gsm7' ? encodeGsm7(part.text) : encodeUcs2(part.text)),
    };
  }
}
