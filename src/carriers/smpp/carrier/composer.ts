/** Encodes a part of a message as a submit_sm, according to the carrier's settings (DLV-4). */
import { type Address, type AddressForms, senderAddress, type TonNpi } from '../../../wire/smpp/address.ts';
import type { PduInputOf } from '../../../wire/smpp/pdu.ts';
import { encodePart } from '../../../wire/smpp/short-message.ts';
import { validityPeriod } from '../../../wire/smpp/smpp-time.ts';
import type { OutgoingPart } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';

/** A user data header has one octet for the reference. */
const lowOctet = 0xff;
/**
 * The number of senders whose encoded addresses are cached, because encoding a name takes longer than the rest of the PDU.
 */
const maxSenders = 1_000;

export class Composer {
  readonly #settings: SmppSettings;
  readonly #forms: AddressForms;
  readonly #senders = new Map<string, Address>();

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
    const source = this.#senderAddress(part.sender);
    const { recipient } = this.#forms;
    const { esmClass, dataCoding, shortMessage, tlvs } =
      part.concatenation === undefined
        ? encodePart(
            part,
            this.#settings,
            concatenation === 'sar' ? part.reference : part.reference & lowOctet,
          )
        : encodePart({ ...part, ...part.concatenation }, this.#settings, part.concatenation.reference);
    return {
      command: 'submitSm',
      sequence,
      serviceType,
      sourceAddrTon: source.ton,
      sourceAddrNpi: source.npi,
      sourceAddr: source.address,
      destAddrTon: recipient.ton,
      destAddrNpi: recipient.npi,
      destinationAddr: part.recipient,
      esmClass,
      validityPeriod: validityPeriod(validity, part.expiresAt, now),
      registeredDelivery,
      dataCoding,
      shortMessage,
      tlvs,
    };
  }

  #senderAddress(sender: string): Address {
    const known = this.#senders.get(sender);
    if (known !== undefined) return known;
    if (this.#senders.size >= maxSenders) this.#senders.clear();
    const address = senderAddress(sender, this.#forms);
    this.#senders.set(sender, address);
    return address;
  }
}

function tonNpi(written: string): TonNpi {
  const [ton, npi] = written.split('/').map(Number) as [number, number];
  return { ton, npi };
}
