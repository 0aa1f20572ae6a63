/**
 * Encodes and decodes the PDUs of SMPP (SMPP 3.4, with the parameters of 5.0). Octets from the wire never throw: if they
 * cannot be read, the result is a fault that says how to respond.
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

/** A PDU to be written. Omitted fields are 0 or empty. */
export type PduInputOf<Command extends CommandName> = Pick<Header<Command>, 'command' | 'sequence'> &
  Partial<Pick<Header<Command>, 'status'>> &
  Partial<Fields<Command>> & { readonly tlvs?: Tlvs };

export type PduInput = { [Command in CommandName]: PduInputOf<Command> }[CommandName];

export interface DecodeFault {
  /** A sentence for the log. */
  readonly fault: string;
  /**
   * The PDU's command_id, or 0 if it was not reached. If its highest bit is set, the PDU is a response and must not be
   * answered.
   */
  readonly commandId: number;
  readonly sequence: number;
  /** The command_status to respond with: in a generic_nack, or in the response if the command is known. */
  readonly status: number;
  /** Whether the start of the next PDU can't be found. The reader then stops, and the connection must be closed. */
  readonly fatal: boolean;
}

const writer = new BodyWriter();

/** Throws a RangeError for a value that the PDU cannot carry. */
export function encodePdu(pdu: PduInput): Buffer {
  const layout = layoutByCommand.get(pdu.command);
  if (layout === undefined) throw new RangeError(`SMPP has no command ${pdu.command}.`);
  const length = writer.write(layout, pdu as unknown as Readonly<Record<string, unknown>>);
  const octets = Buffer.allocUnsafe(length);
  writer.buffer.copy(octets, 0, 0, length);
  return octets;
}

/** Finds the PDUs in the chunks of a stream, wherever it was split. */
export class PduReader {
  readonly #body = new BodyReader();
  /** Data from the offset on has not been read yet. */
  #chunk: Buffer = Buffer.alloc(0);
  #offset = 0;
  /** The start of an incomplete PDU. Once the PDU's length is known, the buffer has that length. */
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

  /** Undefined if the data holds no further PDU. `'fault' in next` distinguishes a fault from a PDU. */
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

  /** Returns whether the buffer is now full. */
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
      fault: `A PDU cannot have ${length} octets: it must have ${headerLength} to ${maxPduLength}.`,
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
