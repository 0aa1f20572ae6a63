/** Claim: our codec of SMPP is many times faster than npm's smpp, and so takes little of what a message costs. */
import smpp from 'smpp';
import { defaultAddressForms } from '../src/wire/smpp/address.ts';
import { encodePdu, type Pdu, type PduInput, PduReader } from '../src/wire/smpp/pdu.ts';
import { encodePart, readContent } from '../src/wire/smpp/short-message.ts';
import { segment } from '../src/wire/sms/segments.ts';
import type { Report } from './measure.ts';
import type { Options } from './options.ts';
import { figuresOf, type Pass, type Rates, race } from './race.ts';
import { runWhenMain } from './run.ts';

type MessagePdu = Extract<Pdu, { readonly command: 'submitSm' | 'deliverSm' }>;

const peer = 'npm smpp';
const unit = 'PDUs/s';
const bound = { atLeast: 5 };

export async function smppCodec({ quick, rounds = quick ? 1 : 9 }: Options): Promise<Report> {
  const submissions = read(submitSms().map((pdu) => encodePdu(pdu)));
  const deliveries = read(deliverSms().map((pdu) => encodePdu(pdu)));
  for (const pdu of [...submissions, ...deliveries]) insistOnSame(pdu);
  const roundMs = quick ? 50 : 300;
  const measure = (
    passes: (pdus: readonly MessagePdu[]) => Record<string, Pass>,
    pdus: readonly MessagePdu[],
  ): Rates => race({ items: pdus.length, rounds, roundMs }, passes(pdus));
  return {
    name: 'smpp-codec',
    claim:
      'To read and to write the PDUs of messages and receipts is at least five times as fast as in npm’s smpp.',
    method: [
      `${submissions.length} submit_sm: texts of one part and of several with a header, one in six in UCS-2. ${deliveries.length} deliver_sm: receipts, and an incoming SMS in six. ${averageOf('submit_sm', submissions)}, ${averageOf('deliver_sm', deliveries)}.`,
      'Both find the same numbers and texts in each PDU, or nothing is measured. Reading includes the text, which npm’s smpp decodes in any case; ours reads a stream in chunks of 64 KiB and finds the PDUs in it, npm’s smpp gets each PDU in a buffer of its own. Writing begins for both with the octets of the text.',
      'They take turns in each round, in one process, after a round that warms them up. A ratio is the median of the ratios of the rounds.',
    ],
    figures: [
      ...figuresOf('reading submit_sm', unit, measure(reading, submissions), bound),
      ...figuresOf('reading deliver_sm', unit, measure(reading, deliveries), bound),
      ...figuresOf('writing submit_sm', unit, measure(writing, submissions), bound),
      ...figuresOf('writing deliver_sm', unit, measure(writing, deliveries), bound),
    ],
  };
}

const chunkLength = 64 * 1024;

function reading(pdus: readonly MessagePdu[]): Record<string, Pass> {
  const octets = pdus.map((pdu) => encodePdu(pdu));
  const stream = Buffer.concat(octets);
  const ours: Pass = () => {
    const reader = new PduReader();
    let sum = 0;
    for (let at = 0; at < stream.length; at += chunkLength) {
      reader.push(stream.subarray(at, at + chunkLength));
      for (let pdu = reader.next(); pdu !== undefined; pdu = reader.next())
        sum += textOf(pdu as MessagePdu).length;
    }
    return sum;
  };
  const theirs: Pass = () => {
    let sum = 0;
    for (const one of octets) sum += theirTextOf(one).length;
    return sum;
  };
  return { ours, [peer]: theirs };
}

function writing(pdus: readonly MessagePdu[]): Record<string, Pass> {
  const inTheirNames = pdus.map((pdu) => asTheirs(pdu));
  const ours: Pass = () => {
    let sum = 0;
    for (const pdu of pdus) sum += encodePdu(pdu).length;
    return sum;
  };
  const theirs: Pass = () => {
    let sum = 0;
    for (const { command, fields } of inTheirNames) sum += new smpp.PDU(command, fields).toBuffer().length;
    return sum;
  };
  return { ours, [peer]: theirs };
}

function textOf(pdu: MessagePdu): string {
  return readContent(pdu, 'gsm7').text;
}

function theirTextOf(octets: Buffer): string {
  return (new smpp.PDU(octets).short_message as { message: string }).message;
}

function asTheirs({ command, status: _, sequence, tlvs, ...fields }: MessagePdu) {
  const named = Object.entries({ ...fields, ...tlvs }).map(([name, value]) => [snakeCase(name), value]);
  return {
    command: snakeCase(command),
    fields: { sequence_number: sequence, ...Object.fromEntries(named) } as Record<string, unknown>,
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** As the reader gives them: with all their fields. */
function read(octets: readonly Buffer[]): MessagePdu[] {
  const reader = new PduReader();
  return octets.map((one) => {
    reader.push(one);
    return reader.next() as MessagePdu;
  });
}

function insistOnSame(pdu: MessagePdu): void {
  const octets = encodePdu(pdu);
  const theirs = new smpp.PDU(octets);
  const { command, fields } = asTheirs(pdu);
  const agree =
    theirs.destination_addr === pdu.destinationAddr &&
    theirs.source_addr === pdu.sourceAddr &&
    theirTextOf(octets) === textOf(pdu) &&
    new smpp.PDU(command, fields).toBuffer().equals(octets);
  if (!agree) throw new Error(`npm's smpp has another view of this PDU: ${octets.toString('hex')}`);
}

function submitSms(): PduInput[] {
  const patterns: readonly ((n: number) => string)[] = [
    (n) => `Your code is ${100_000 + n}. It is valid for 10 minutes.`,
    (n) => `Hi! Delivery ${n} arrives today between 10 and 12 at dock ${n % 9}. Reply YES to confirm.`,
    (n) => `Ledig vakt på Ås lørdag kl 07:00, ærlig talt: ${n} søker. Svar JA innen kl 18.`,
    (n) => `Order ${n}: [2 pcs] at 15 €, see https://example.org/~shop/${n}`,
    (n) => `Rapport ${n}: ${'Møtet er flyttet til torsdag, se vedlagt plan. '.repeat(8)}`,
    (n) => `Напоминание ${n}: завтра в 9:30`,
  ];
  return Array.from({ length: 1000 }, (_, n) => {
    const { encoding, parts } = segment(patterns[n % patterns.length]!(n));
    const part = 1 + (n % parts.length);
    const content = { text: parts[part - 1]!, encoding, flash: false, part, parts: parts.length };
    return {
      command: 'submitSm',
      sequence: n + 1,
      sourceAddrTon: defaultAddressForms.alphanumeric.ton,
      sourceAddr: 'Carillon',
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: `4790${100_000 + n}`,
      registeredDelivery: 1,
      ...encodePart(content, { alphabet: 'gsm7', concatenation: 'udh' }, n % 256),
    };
  });
}

function deliverSms(): PduInput[] {
  return Array.from({ length: 1000 }, (_, n): PduInput => {
    const addresses = {
      sourceAddrTon: 1,
      sourceAddrNpi: 1,
      sourceAddr: `4790${100_000 + n}`,
      destAddrTon: 3,
      destinationAddr: '2262',
    } as const;
    if (n % 6 === 0) {
      const shortMessage = Buffer.from(`Yes, I take shift ${n} on Friday`, 'latin1');
      return { command: 'deliverSm', sequence: n + 1, ...addresses, shortMessage };
    }
    const id = `${7_000_000_000 + n}`;
    const receipt = `id:${id} sub:001 dlvrd:001 submit date:2611210930 done date:2611210931 stat:DELIVRD err:000 text:Your code is`;
    return {
      command: 'deliverSm',
      sequence: n + 1,
      ...addresses,
      esmClass: 0x04,
      shortMessage: Buffer.from(receipt, 'latin1'),
      tlvs: { receiptedMessageId: id, messageState: 2 },
    };
  });
}

function averageOf(name: string, pdus: readonly MessagePdu[]): string {
  const octets = pdus.reduce((sum, pdu) => sum + encodePdu(pdu).length, 0);
  return `${(octets / pdus.length).toFixed(0)} octets to a ${name} on average`;
}

await runWhenMain(import.meta, smppCodec);
