/** A submission to the SMSC: what of a message goes in one submit_sm, and how that is written (DLV-4). */
import { type AddressForms, recipientAddress, senderAddress, type TonNpi } from '../../wire/smpp/address.ts';
import type { PduInputOf } from '../../wire/smpp/pdu.ts';
import { encodePart } from '../../wire/smpp/short-message.ts';
import { validityPeriod } from '../../wire/smpp/smpp-time.ts';
import type { OutgoingPart } from '../carrier.ts';
import { References } from './references.ts';
import type { SmppSettings } from './settings.ts';

/** One part mostly; all parts of a message where the SMSC divides it (concatenation: payload). */
export type Submission = readonly [OutgoingPart, ...OutgoingPart[]];

/** Parts of one message stand beside each other. */
export function toSubmissions(
  parts: readonly OutgoingPart[],
  { concatenation }: Pick<SmppSettings, 'concatenation'>,
): readonly Submission[] {
  if (concatenation !== 'payload') return parts.map((part) => [part]);
  const submissions: [OutgoingPart, ...OutgoingPart[]][] = [];
  for (const part of parts) {
    const last = submissions.at(-1);
    if (last !== undefined && last[0].messageId === part.messageId) last.push(part);
    else submissions.push([part]);
  }
  return submissions;
}

const octetReferences = 0x100;
const sarReferences = 0x1_0000;

export class Composer {
  readonly #settings: SmppSettings;
  readonly #forms: AddressForms;
  readonly #references: References;

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
    this.#references = new References(settings.concatenation === 'sar' ? sarReferences : octetReferences);
  }

  compose(submission: Submission, sequence: number, now: number): PduInputOf<'submitSm'> {
    const { serviceType, validity, registeredDelivery } = this.#settings;
    const [first] = submission;
    const source = senderAddress(first.sender, this.#forms);
    const destination = recipientAddress(first.recipient, this.#forms);
    const content = contentOf(submission);
    const reference = content.parts === 1 ? 0 : this.#references.of(first.recipient, first.messageId);
    const { esmClass, dataCoding, shortMessage, tlvs } = encodePart(content, this.#settings, reference);
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
      validityPeriod: validityPeriod(validity, first.expiresAt, now),
      registeredDelivery,
      dataCoding,
      shortMessage,
      tlvs,
    };
  }
}

/** A message that goes as a whole is one of one part, however long. */
function contentOf([first, ...others]: Submission): OutgoingPart {
  if (others.length === 0) return first;
  const text = [first, ...others].map((part) => part.text).join('');
  return { ...first, text, part: 1, parts: 1 };
}

function tonNpi(written: string): TonNpi {
  const [ton, npi] = written.split('/').map(Number) as [number, number];
  return { ton, npi };
}
