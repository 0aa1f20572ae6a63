/**
 * The PDUs of SMPP as values, to octets and back (SMPP 3.4, with the parameters of 5.0). Octets from the wire never
 * throw: what cannot be read is a fault, which says what to answer.
 */
import { commandStatus } from './command-status.ts';
import {
  type CommandName,
  type Fields,
  type Header,
  headerLength,
  layoutByCommand,
  layoutById,
  maxPduLength,
  type PduOf,
} from './commands.ts';
import { BodyReader } from './decode-body.ts';
import { BodyWriter } from './encode-body.ts';
import type { Tlvs } from './tlvs.ts';

export type Pdu = { [Command in CommandName]: PduOf<Command> }[CommandName];

/** To be written: what is left out is 0 or empty. */
export type PduInputOf<Command extends CommandName> = Pick<Header<Command>, 'command' | 'sequence'> &
  Partial<Pick<Header<Command>, 'status'>> &
  Partial<Fields<Command>> & { readonly tlvs?: Tlvs };

export type PduInput = { [Command in CommandName]: PduInputOf<Command> }[CommandName];

/** A PDU that cannot be read. */
export interface DecodeFault {
  /** A sentence for the log. */
  readonly fault: string;
  /** Of the PDU, 0 where it did not come so far. With its highest bit set it is a response: no answer is due. */
  readonly commandId: number;
  readonly sequence: number;
  /** The command_status to answer with: by generic_nack, or by the response where the command is known. */
  readonly status: number;
  /** Nothing tells where the next PDU begins: the reader reads no more, and the connection must go. */
  readonly fatal: boolean;
}

const writer = new BodyWriter();

/** Throws a RangeError over a value that the PDU cannot carry. */
export function encodePdu(pdu: PduInput): Buffer {
  const layout = layoutByCommand.get(pdu.command);
  if (layout === undefined) throw new RangeError(`SMPP has no command ${pdu.command}.`);
  const length = writer.write(layout, pdu as unknown as Readonly<Record<string, unknown>>);
  const octets = Buffer.allocUnsafe(length);
  writer.buffer.copy(octets, 0, 0, length);
  return octets;
}

/** Finds the PDUs in the chunks of a stream, however it was cut. */
export class PduReader {
  readonly #body = new BodyReader();
  /** Not read yet, from the offset on. */
  #chunk: Buffer = Buffer.alloc(0);
  #offset = 0;
  /** The beginning of a PDU whose end has not come; in a buffer as long as the PDU will be, once that is known. */
  #partial: Buffer | undefined;
  #filled = 0;
  #broken = false;

  push(chunk: Buffer): void {
    if (this.#broken) return;
    if (this.#offset < this.#chunk.length)
      this.#chunk = Buffer.concat([this.#chunk.subarray(this.#offset), chunk]);
    else this.#chunk = chunk;
    this.#offset = 0;
  }

  /** Undefined: what has come holds no further PDU. `'fault' in next` tells a fault from a PDU. */
  next(): Pdu | DecodeFault | undefined {
    if (this.#broken) return undefined;
    if (this.#partial !== undefined) return this.#nextOfPartial(this.#partial);
    const start = this.#offset;
    const available = this.#chunk.length - start;
    if (available === 0) return undefined;
    if (available >= 4) {
      const length = this.#chunk.readUInt32BE(start);
      if (isOutOfBounds(length)) return this.#break(length);
      if (length <= available) {
        this.#offset += length;
        return this.#decode(this.#chunk, start, start + length);
      }
      this.#partial = Buffer.allocUnsafe(length);
    } else {
      this.#partial = Buffer.allocUnsafe(4);
    }
    this.#filled = 0;
    this.#fill(this.#partial);
    return undefined;
  }

  #nextOfPartial(partial: Buffer): Pdu | DecodeFault | undefined {
    if (!this.#fill(partial)) return undefined;
    if (partial.length > 4) {
      this.#partial = undefined;
      return this.#decode(partial, 0, partial.length);
    }
    const length = partial.readUInt32BE(0);
    if (isOutOfBounds(length)) return this.#break(length);
    const whole = Buffer.allocUnsafe(length);
    whole.set(partial);
    this.#partial = whole;
    return this.#nextOfPartial(whole);
  }

  /** Whether it is full now. */
  #fill(partial: Buffer): boolean {
    const copied = this.#chunk.copy(partial, this.#filled, this.#offset);
    this.#filled += copied;
    this.#offset += copied;
    return this.#filled === partial.length;
  }

  #break(length: number): DecodeFault {
    this.#broken = true;
    this.#partial = undefined;
    this.#chunk = Buffer.alloc(0);
    return {
      fault: `A PDU of ${length} octets cannot be: it must have ${headerLength} to ${maxPduLength}.`,
      commandId: 0,
      sequence: 0,
      status: commandStatus.ESME_RINVCMDLEN,
      fatal: true,
    };
  }

  #decode(buffer: Buffer, start: number, end: number): Pdu | DecodeFault {
    const commandId = buffer.readUInt32BE(start + 4);
    const sequence = buffer.readUInt32BE(start + 12);
    const layout = layoutById.get(commandId);
    if (layout === undefined) {
      const fault = `There is no command 0x${commandId.toString(16).padStart(8, '0')}.`;
      return { fault, commandId, sequence, status: commandStatus.ESME_RINVCMDID, fatal: false };
    }
    const status = buffer.readUInt32BE(start + 8);
    const body = this.#body;
    const pdu = body.read(layout, status, sequence, buffer, start + headerLength, end);
    if (body.fault === undefined) return pdu as Pdu;
    return {
      fault: `${layout.command}: ${body.fault}`,
      commandId,
      sequence,
      status: body.status,
      fatal: false,
    };
  }
}

function isOutOfBounds(length: number): boolean {
  return length < headerLength || length > maxPduLength;
}
