/** Generates random PDUs of every command, with fields up to the lengths and values that SMPP allows. */
import fc from 'fast-check';
import { type CommandName, commands, type Field } from '../../src/wire/smpp/commands.ts';
import type { Pdu } from '../../src/wire/smpp/pdu.ts';
import { type TlvKind, type TlvName, tlvTable } from '../../src/wire/smpp/tlvs.ts';

export const commandNames = Object.keys(commands) as readonly CommandName[];
const tlvNames = Object.keys(tlvTable) as readonly TlvName[];

/** Limits for peers that support less than SMPP allows. */
export interface PduLimits {
  /** The highest character code in a text. */
  readonly maxCharacter: number;
  readonly tlvs: readonly TlvName[];
  /** Whether to include parameters missing from the tables. */
  readonly unknownTlvs: boolean;
  /** Replaces the usual values of a field. */
  readonly fields: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

export const noLimits: PduLimits = { maxCharacter: 0xff, tlvs: tlvNames, unknownTlvs: true, fields: {} };

export function pdus(limits: PduLimits = noLimits, names = commandNames): fc.Arbitrary<Pdu> {
  return fc.oneof(...names.map((command) => pdusOf(command, limits)));
}

function pdusOf(command: CommandName, limits: PduLimits): fc.Arbitrary<Pdu> {
  const fields = Object.entries<Field>(commands[command].fields).map(
    ([name, field]) => [name, limits.fields[name] ?? valuesOf(field, limits)] as const,
  );
  return fc.record({
    command: fc.constant(command),
    status: limits.fields.status ?? integers(0xffff_ffff),
    sequence: integers(0xffff_ffff),
    ...Object.fromEntries(fields),
    tlvs: tlvs(limits),
  }) as unknown as fc.Arbitrary<Pdu>;
}

function valuesOf(field: Field, { maxCharacter }: PduLimits): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'octet':
      return integers(0xff);
    case 'text':
      return texts(field.max - 1, maxCharacter);
    case 'message':
      return octets(255);
    case 'destinations':
      return fc.array(
        fc.oneof(fc.record(number(maxCharacter)), fc.record({ distributionList: texts(20, maxCharacter) })),
        { maxLength: 4 },
      );
    case 'failures':
      return fc.array(fc.record({ ...number(maxCharacter), errorStatusCode: integers(0xffff_ffff) }), {
        maxLength: 4,
      });
  }
}

function number(maxCharacter: number) {
  return {
    destAddrTon: integers(0xff),
    destAddrNpi: integers(0xff),
    destinationAddr: texts(20, maxCharacter),
  };
}

function tlvs({ maxCharacter, tlvs: names, unknownTlvs }: PduLimits): fc.Arbitrary<unknown> {
  const named = fc
    .subarray([...names], { maxLength: Math.min(5, names.length) })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(chosen.map((name) => [name, tlvValuesOf(tlvTable[name][1], maxCharacter)])),
      ),
    );
  if (!unknownTlvs) return named;
  const vendorTlv = fc.record({ tag: fc.integer({ min: 0x1400, max: 0x3fff }), value: octets(20) });
  const unknown = fc.option(fc.array(vendorTlv, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 4 });
  return fc
    .tuple(named, unknown)
    .map(([known, further]) => (further === undefined ? known : { ...known, unknown: further }));
}

function tlvValuesOf(kind: TlvKind, maxCharacter: number): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'octet':
      return integers(0xff);
    case 'uint16':
      return integers(0xffff);
    case 'uint32':
      return integers(0xffff_ffff);
    case 'text':
      return texts(64, maxCharacter);
    case 'octets':
      return octets(300);
  }
}

function integers(max: number): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 0, max }), fc.constantFrom(0, 1, max));
}

function octets(maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes));
}

function texts(maxLength: number, maxCharacter: number): fc.Arbitrary<string> {
  const unit = fc.integer({ min: 1, max: maxCharacter }).map((code) => String.fromCharCode(code));
  const any = fc.string({ unit, maxLength });
  const longest = fc.string({ unit, minLength: maxLength, maxLength });
  return fc.oneof({ weight: 4, arbitrary: any }, { weight: 1, arbitrary: longest });
}
