/** Writes PDUs into a buffer. A value that SMPP cannot carry is the caller's error, and throws. */
import {
  type Destination,
  destFlag,
  type Field,
  type Layout,
  maxAddress,
  maxListLength,
  maxPduLength,
  tlvByName,
  type UnsuccessfulDestination,
} from './commands.ts';
import type { TlvKind, UnknownTlv } from './tlvs.ts';

/** 254 in SMPP 3.4 (5.2.22). In SMPP 5.0, it is 255, the maximum of the length octet. */
const maxMessageLength = 255;
const empty = Buffer.alloc(0);

/** A position in its own buffer that advances with each value written. */
export class BodyWriter {
  readonly buffer = Buffer.allocUnsafeSlow(maxPduLength);
  #offset = 0;

  /** Writes from the first octet of the buffer. Returns the total length. */
  write(layout: Layout, pdu: Readonly<Record<string, unknown>>): number {
    this.#offset = 4;
    this.#uint32('command', layout.id);
    this.#uint32('status', pdu.status ?? 0);
    this.#uint32('sequence', pdu.sequence);
    for (const { name, field } of layout.fields) this.#value(name, field, pdu[name]);
    if (pdu.tlvs !== undefined) this.#tlvs(pdu.tlvs as Readonly<Record<string, unknown>>);
    this.buffer.writeUInt32BE(this.#offset, 0);
    return this.#offset;
  }

  #value(name: string, field: Field, value: unknown): void {
    switch (field.kind) {
      case 'octet':
        this.#octet(name, value ?? 0);
        break;
      case 'text':
        this.#text(name, value ?? '', field.max);
        break;
      case 'message':
        this.#message(name, value);
        break;
      case 'destinations':
        this.#list(name, value, (item) => this.#destination(item as Destination));
        break;
      case 'failures':
        this.#list(name, value, (item) => this.#failure(item as UnsuccessfulDestination));
        break;
    }
  }

  #octet(name: string, value: unknown): void {
    assertInteger(name, value, 0xff);
    this.buffer[this.#offset++] = value;
  }

  #uint16(name: string, value: unknown): void {
    assertInteger(name, value, 0xffff);
    this.#offset = this.buffer.writeUInt16BE(value, this.#offset);
  }

  #uint32(name: string, value: unknown): void {
    assertInteger(name, value, 0xffff_ffff);
    this.#offset = this.buffer.writeUInt32BE(value, this.#offset);
  }

  #text(name: string, value: unknown, max: number): void {
    if (typeof value !== 'string') throw new RangeError(`The field ${name} must be a text.`);
    const length = value.length;
    if (length >= max)
      throw new RangeError(
        `The field ${name} holds at most ${max - 1} characters, but the text has ${length}.`,
      );
    const buffer = this.buffer;
    let offset = this.#offset;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code === 0 || code > 0xff)
        throw new RangeError(`The field ${name} holds characters U+0001 to U+00FF only.`);
      buffer[offset++] = code;
    }
    buffer[offset] = 0;
    this.#offset = offset + 1;
  }

  #message(name: string, value: unknown): void {
    const octets = value ?? empty;
    assertOctets(name, octets, maxMessageLength);
    this.buffer[this.#offset++] = octets.length;
    this.buffer.set(octets, this.#offset);
    this.#offset += octets.length;
  }

  #list(name: string, value: unknown, write: (item: unknown) => void): void {
    const items = (value ?? []) as readonly unknown[];
    if (items.length > maxListLength)
      throw new RangeError(`The field ${name} holds at most ${maxListLength} entries.`);
    this.#octet(name, items.length);
    for (const item of items) write(item);
  }

  #destination(destination: Destination): void {
    if ('distributionList' in destination) {
      this.#octet('destFlag', destFlag.list);
      this.#text('distributionList', destination.distributionList, maxAddress);
    } else {
      this.#octet('destFlag', destFlag.number);
      this.#number(destination);
    }
  }

  #number(number: Omit<UnsuccessfulDestination, 'errorStatusCode'>): void {
    this.#octet('destAddrTon', number.destAddrTon);
    this.#octet('destAddrNpi', number.destAddrNpi);
    this.#text('destinationAddr', number.destinationAddr, maxAddress);
  }

  #failure(failure: UnsuccessfulDestination): void {
    this.#number(failure);
    this.#uint32('errorStatusCode', failure.errorStatusCode);
  }

  /** Unknown parameters are written last, because the second parameter of a name must not precede the first. */
  #tlvs(tlvs: Readonly<Record<string, unknown>>): void {
    for (const name in tlvs) {
      const value = tlvs[name];
      if (value === undefined || name === 'unknown') continue;
      const layout = tlvByName.get(name);
      if (layout === undefined)
        throw new RangeError(`SMPP has no optional parameter ${name}; pass it in \`unknown\` by its tag.`);
      this.#tlv(name, layout.tag, layout.kind, value);
    }
    const unknown = (tlvs.unknown ?? []) as readonly UnknownTlv[];
    for (const { tag, value } of unknown) this.#tlv('unknown', tag, 'octets', value);
  }

  #tlv(name: string, tag: number, kind: TlvKind, value: unknown): void {
    this.#assertRoom(name, value);
    this.#uint16('tag', tag);
    const start = this.#offset + 2;
    this.#offset = start;
    switch (kind) {
      case 'octet':
        this.#octet(name, value);
        break;
      case 'uint16':
        this.#uint16(name, value);
        break;
      case 'uint32':
        this.#uint32(name, value);
        break;
      case 'text':
        this.#text(name, value, 0xffff);
        break;
      case 'octets':
        assertOctets(name, value, 0xffff);
        this.buffer.set(value, start);
        this.#offset += value.length;
        break;
    }
    this.buffer.writeUInt16BE(this.#offset - start, start - 2);
  }

  /** Everything else in a PDU fits. Only parameters could exceed the space. */
  #assertRoom(name: string, value: unknown): void {
    const length = typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 4;
    if (this.#offset + 5 + length > maxPduLength)
      throw new RangeError(`With the parameter ${name} the PDU would be longer than ${maxPduLength} octets.`);
  }
}

function assertInteger(name: string, value: unknown, max: number): asserts value is number {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > max)
    throw new RangeError(`The field ${name} must be an integer from 0 to ${max}, not ${String(value)}.`);
}

function assertOctets(name: string, value: unknown, max: number): asserts value is Uint8Array {
  if (!(value instanceof Uint8Array)) throw new RangeError(`The field ${name} must be octets.`);
  if (value.length > max)
    throw new RangeError(`The field ${name} holds at most ${max} octets, but the value has ${value.length}.`);
}
