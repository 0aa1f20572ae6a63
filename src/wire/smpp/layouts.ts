/** The tables of commands and parameters in the forms in which the codec looks them up. */
import { type CommandName, commands, type Field } from './commands.ts';
import { type TlvKind, type TlvName, tlvTable } from './tlvs.ts';

export interface NamedField {
  readonly name: string;
  readonly field: Field;
}

export interface Layout {
  readonly command: CommandName;
  readonly id: number;
  readonly isResponse: boolean;
  /** In the order of the octets. */
  readonly fields: readonly NamedField[];
}

export interface TlvLayout {
  readonly name: TlvName;
  readonly tag: number;
  readonly kind: TlvKind;
}

export const layoutByCommand: ReadonlyMap<string, Layout> = new Map(
  (Object.keys(commands) as CommandName[]).map((command) => {
    const { id, fields } = commands[command];
    const named = Object.entries<Field>(fields).map(([name, field]) => ({ name, field }));
    return [command, { command, id, isResponse: id >= 0x8000_0000, fields: named }];
  }),
);

export const layoutById: ReadonlyMap<number, Layout> = new Map(
  [...layoutByCommand.values()].map((layout) => [layout.id, layout]),
);

export const tlvByName: ReadonlyMap<string, TlvLayout> = new Map(
  (Object.keys(tlvTable) as TlvName[]).map((name) => {
    const [tag, kind] = tlvTable[name];
    return [name, { name, tag, kind }];
  }),
);

export const tlvByTag: ReadonlyMap<number, TlvLayout> = new Map(
  [...tlvByName.values()].map((layout) => [layout.tag, layout]),
);

/** command_length, command_id, command_status and sequence_number (SMPP 3.4 3.2). */
export const headerLength = 16;

/** Room for the longest message_payload of 65,535 octets and whatever else a PDU has around it. */
export const maxPduLength = 72 * 1024;

/** Of number_of_dests and no_unsuccess, which are one octet (SMPP 3.4 5.2.24, 5.2.26). */
export const maxListLength = 255;

/** Of a number and of a list's name, with the octet that ends it (SMPP 3.4 5.2.9, 5.2.27). */
export const maxAddress = 21;

/** dest_flag of a number, and of a distribution list (SMPP 3.4 5.2.25). */
export const destFlag = { number: 1, list: 2 } as const;
