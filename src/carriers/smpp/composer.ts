/** How a part of a message is written as a submit_sm, by what the operator wants (DLV-4). */
import { type AddressForms, recipientAddress, senderAddress, type TonNpi } from '../../wire/smpp/address.ts';
import type { PduInputOf } from '../../wire/smpp/pdu.ts';
import { encodePart } from '../../wire/smpp/short-message.ts';
import { validityPeriod } from '../../wire/smpp/smpp-time.ts';
import type { OutgoingPart } from '../carrier.ts';
import type { SmppSettings } from './settings.ts';

/** A user data header has an octet for the reference. */
const lowOctet = 0xff;

export class Composer {
  readonly #settings: SmppSettings;
  readonly #forms: AddressForms;

  constructor(settings: SmppSettings) {
    this.#settings = settings;
    this.#forms = {
      alphanumeric: tonNpi(settings.alphanumericTonNpi),
      international: tonNpi(settings.internationalTonNpi),
      short: tonNpi(settings.shortTonNpi),
      shortCodeDigits: settings.shortCodeDigits,
      recipient: tonNpi(settings.recipientTonNpi),
      alphabet: settings.alphabet,
    };
  }

  compose(part: OutgoingPart, sequence: number, now: number): PduInputOf<'submitSm'> {
    const { serviceType, validity, registeredDelivery, concatenation } = this.#settings;
    const source = senderAddress(part.sender, this.#forms);
    const destination = recipientAddress(part.recipient, this.#forms);
    const { esmClass, dataCoding, shortMessage, tlvs } = encodePart(
      part,
      this.#settings,
      concatenation === 'sar' ? part.reference : part.reference & lowOctet,
    );
    return {
      command: 'submitSm',
      sequence,
      serviceType,
      sourceAddrTon: source.ton,
      sourceAddrNpi: source.npi,
      sourceAddr: source.address,
      destAddrTon: destination.ton,
      destAddrNpi: destination.npi,
      destinationAddr: destination.address,
      esmClass,
      validityPeriod: validityPeriod(validity, part.expiresAt, now),
      registeredDelivery,
      dataCoding,
      shortMessage,
      tlvs,
    };
  }
}

function tonNpi(written: string): TonNpi {
  const [ton, npi] = written.split('/').map(Number) as [number, number];
  return { ton, npi };
}
