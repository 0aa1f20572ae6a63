/** Reads the body of a PDU, which a peer controls. It returns a value for any octets. */

import { commandStatus } from './command-status.ts';
import {
  commands,
  type Destination,
  destFlag,
  type Field,
  type Layout,
  maxAddress,
  nulAfterBody,
  type PduOf,
  type TlvLayout,
  tlvByTag,
  type UnsuccessfulDestination,
} from './commands.ts';
import type { Tlvs, UnknownTlv } from './tlvs.ts';

/** Shared by all PDUs that have no parameters. */
const noTlvs: Tlvs = Object.freeze({});

type TextField = Extract<Field, { readonly kind: 'text' }>;

const message = commands.deliverSm.fields;
const listName: TextField = { kind: 'text', max: maxAddress, status: commandStatus.ESME_RINVDLNAME };

/** A position in the octets that advances with each value read. After a fault, the values are meaningless. */
export class BodyReader {
  fault: string | undefined;
  status = 0;
  /** What is wrong after the mandatory part. The PDU has everything that could be read, and reports this fault. */
  #damage: string | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #offset = 0;
  #end = 0;

  /** Returns the PDU, or a meaningless value and a fault. `end` is within the buffer. */
  read(
    layout: Layout,
    status: number,
    sequence: number,
    buffer: Buffer,
    offset: number,
    end: number,
  ): object {
    this.fault = undefined;
    this.#damage = undefined;
    this.#buffer = buffer;
    this.#offset = offset;
    this.#end = end;
    const { command, isResponse } = layout;
    if (command === 'deliverSm' || command === 'submitSm')
      return this.#shortMessage(command, status, sequence);
    const pdu = this.#anyPdu(layout, status, sequence);
    if (this.fault === undefined || !isResponse) return pdu;
    // A response's body must not hide what its header says: the body of a refusal is meaningless (SMPP 3.4 4.4.2), and an
    // accepted message must not be sent again because its id is too long or unterminated.
    const damage = this.fault;
    const bare = { ...this.read(layout, status, sequence, buffer, end, end), damage };
    return status === 0 && 'messageId' in bare ? { ...bare, messageId: untilNul(buffer, offset, end) } : bare;
  }

  #anyPdu({ command, fields, isResponse }: Layout, status: number, sequence: number): object {
    const pdu: Record<string, unknown> = { command, status, sequence };
    // The response to a refused request has no body, and some peers omit the body from other responses too (SMPP 3.4
    // 4.1.2).
    const absent = this.#offset === this.#end && isResponse;
    for (const { name, field } of fields) pdu[name] = absent ? emptyValue(field) : this.#value(name, field);
    pdu.tlvs = this.#tlvs();
    if (this.#damage !== undefined) pdu.damage = this.#damage;
    return pdu;
  }

  /**
   * Reads the most frequent PDUs with the table's loop written out. Of the 1.2 µs that the loop above takes per PDU, 0.6 µs
   * are spent adding its fields one by one to an object.
   */
  #shortMessage(command: 'deliverSm' | 'submitSm', status: number, sequence: number): PduOf<typeof command> {
    const pdu: PduOf<typeof command> = {
      command,
      status,
      sequence,
      serviceType: this.#text('serviceType', message.serviceType),
      sourceAddrTon: this.#octet('sourceAddrTon'),
      sourceAddrNpi: this.#octet('sourceAddrNpi'),
      sourceAddr: this.#text('sourceAddr', message.sourceAddr),
      destAddrTon: this.#octet('destAddrTon'),
      destAddrNpi: this.#octet('destAddrNpi'),
      destinationAddr: this.#text('destinationAddr', message.destinationAddr),
      esmClass: this.#octet('esmClass'),
      protocolId: this.#octet('protocolId'),
      priorityFlag: this.#octet('priorityFlag'),
      scheduleDeliveryTime: this.#text('scheduleDeliveryTime', message.scheduleDeliveryTime),
      validityPeriod: this.#text('validityPeriod', message.validityPeriod),
      registeredDelivery: this.#octet('registeredDelivery'),
      replaceIfPresentFlag: this.#octet('replaceIfPresentFlag'),
      dataCoding: this.#octet('dataCoding'),
      smDefaultMsgId: this.#octet('smDefaultMsgId'),
      shortMessage: this.#message(),
      tlvs: this.#tlvs(),
    };
    return this.#damage === undefined ? pdu : { ...pdu, damage: this.#damage };
  }

  #value(name: string, field: Field): unknown {
    switch (field.kind) {
      case 'octet':
        return this.#octet(name);
      case 'text':
        return this.#text(name, field);
      case 'message':
        return this.#message();
      case 'destinations':
        return this.#list(name, () => this.#destination());
      case 'failures':
        return this.#list(name, () => this.#failure());
    }
  }

  #octet(name: string): number {
    if (this.#offset < this.#end) return this.#buffer[this.#offset++]!;
    this.#fail(`The PDU ends before its field ${name}.`, commandStatus.ESME_RINVCMDLEN);
    return 0;
  }

  #text(name: string, { max, status }: TextField): string {
    const start = this.#offset;
    const limit = Math.min(start + max, this.#end);
    const buffer = this.#buffer;
    let end = start;
    while (end < limit && buffer[end] !== 0) end++;
    if (end < limit) {
      this.#offset = end + 1;
      return end === start ? '' : buffer.toString('latin1', start, end);
    }
    if (limit === this.#end && limit < start + max)
      this.#fail(`The PDU ends within its field ${name}.`, commandStatus.ESME_RINVCMDLEN);
    else this.#fail(`The field ${name} is longer than ${max - 1} characters.`, status);
    return '';
  }

  #message(): Buffer {
    const length = this.#octet('smLength');
    const start = this.#offset;
    if (start + length > this.#end) {
      this.#fail(
        `The PDU ends within its field shortMessage, which has ${length} octets.`,
        commandStatus.ESME_RINVMSGLEN,
      );
      return empty;
    }
    this.#offset += length;
    return length === 0 ? empty : this.#buffer.subarray(start, start + length);
  }

  #list<Item>(name: string, item: () => Item): readonly Item[] {
    const count = this.#octet(name);
    const items: Item[] = [];
    while (items.length < count && this.fault === undefined) items.push(item());
    return items;
  }

  #destination(): Destination {
    const flag = this.#octet('destFlag');
    if (flag === destFlag.number) return this.#number();
    if (flag === destFlag.list) return { distributionList: this.#text('dlName', listName) };
    this.#fail(
      `The field destFlag is ${flag}; it must be 1 (a number) or 2 (a list).`,
      commandStatus.ESME_RINVDESTFLAG,
    );
    return { distributionList: '' };
  }

  #number() {
    return {
      destAddrTon: this.#octet('destAddrTon'),
      destAddrNpi: this.#octet('destAddrNpi'),
      destinationAddr: this.#text('destinationAddr', message.destinationAddr),
    };
  }

  #failure(): UnsuccessfulDestination {
    const number = this.#number();
    if (this.#offset + 4 > this.#end) {
      this.#fail('The PDU ends before its field errorStatusCode.', commandStatus.ESME_RINVCMDLEN);
      return { ...number, errorStatusCode: 0 };
    }
    const errorStatusCode = this.#buffer.readUInt32BE(this.#offset);
    this.#offset += 4;
    return { ...number, errorStatusCode };
  }

  /**
   * The text and its addresses have already been read and must not be lost because of what follows. Unreadable
   * parameters are omitted, as are unknown ones (SMPP 3.4 3.3). If a peer ends the text with a NUL, the NUL separates
   * it from the parameters.
   */
  #tlvs(): Tlvs {
    const start = this.#offset;
    if (start >= this.#end || this.fault !== undefined) return noTlvs;
    const tlvs = this.#tlvsFrom(start);
    const damage = this.#damage;
    if (damage === undefined || this.#buffer[start] !== 0) return tlvs;
    this.#damage = undefined;
    const behindNul = this.#tlvsFrom(start + 1);
    const isWhole = this.#damage === undefined;
    this.#damage = isWhole ? nulAfterBody : damage;
    return isWhole ? behindNul : tlvs;
  }

  #tlvsFrom(offset: number): Tlvs {
    const tlvs: Record<string, unknown> = {};
    const buffer = this.#buffer;
    this.#offset = offset;
    while (this.#offset < this.#end) {
      const start = this.#offset + 4;
      if (start > this.#end) {
        this.#damage = 'The PDU ends with an incomplete optional parameter.';
        return tlvs;
      }
      const tag = buffer.readUInt16BE(start - 4);
      const length = buffer.readUInt16BE(start - 2);
      if (start + length > this.#end) {
        this.#damage = `The PDU ends within its optional parameter 0x${tag.toString(16).padStart(4, '0')}, which has ${length} octets.`;
        return tlvs;
      }
      this.#offset = start + length;
      const layout = tlvByTag.get(tag);
      const value =
        layout === undefined || layout.name in tlvs
          ? undefined
          : tlvValue(layout, buffer, start, this.#offset);
      if (layout !== undefined && value !== undefined) tlvs[layout.name] = value;
      else addUnknown(tlvs, { tag, value: buffer.subarray(start, this.#offset) });
    }
    return tlvs;
  }

  #fail(fault: string, status: number): void {
    if (this.fault !== undefined) return;
    this.fault = fault;
    this.status = status;
  }
}

const empty = Buffer.alloc(0);

function emptyValue(field: Field): unknown {
  switch (field.kind) {
    case 'octet':
      return 0;
    case 'text':
      return '';
    case 'message':
      return empty;
    case 'destinations':
    case 'failures':
      return [];
  }
}

/** Undefined if the length does not match the kind. A text may lack its final octet, as it does from many peers. */
function tlvValue(
  { kind }: TlvLayout,
  buffer: Buffer,
  start: number,
  end: number,
): number | string | Buffer | undefined {
  const length = end - start;
  switch (kind) {
    case 'octet':
      return length === 1 ? buffer[start] : undefined;
    case 'uint16':
      return length === 2 ? buffer.readUInt16BE(start) : undefined;
    case 'uint32':
      return length === 4 ? buffer.readUInt32BE(start) : undefined;
    case 'text':
      return untilNul(buffer, start, end);
    case 'octets':
      return buffer.subarray(start, end);
  }
}

function untilNul(buffer: Buffer, start: number, end: number): string {
  let terminator = start;
  while (terminator < end && buffer[terminator] !== 0) terminator++;
  return buffer.toString('latin1', start, terminator);
}

function addUnknown(tlvs: { unknown?: UnknownTlv[] }, tlv: UnknownTlv): void {
  if (tlvs.unknown === undefined) tlvs.unknown = [tlv];
  else tlvs.unknown.push(tlv);
}
