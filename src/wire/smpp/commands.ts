/** A table of the SMPP commands and their fields, from which the codec and the PDU types are derived. */
import { type TlvKind, type TlvName, type Tlvs, tlvTable } from './tlvs.ts';

/**
 * One field of a PDU. `max` includes the octet that ends the text. `status` is sent to a peer whose field is longer.
 * `destinations` and `failures` are lists (SMPP 3.4 4.5.1.1, 4.5.2.1).
 */
export type Field =
  | { readonly kind: 'octet' }
  | { readonly kind: 'text'; readonly max: number; readonly status: number }
  /** A length octet followed by that many octets: sm_length and short_message (SMPP 3.4 5.2.21, 5.2.22). */
  | { readonly kind: 'message' }
  | { readonly kind: 'destinations' }
  | { readonly kind: 'failures' };

const octet = { kind: 'octet' } as const;
const message = { kind: 'message' } as const;

function text(max: number, status: number) {
  return { kind: 'text', max, status } as const;
}

const invalidSource = 0x0a;
const invalidDestination = 0x0b;
const invalidMessageId = 0x0c;

const messageId = text(65, invalidMessageId);
const serviceType = text(6, 0x15);

/** Bind responses and `outbind` have it too. */
const systemId = text(16, 0x0f);

/** At most 8 characters are allowed (SMPP 3.4 5.2.2), but some carriers issue longer passwords. */
const password = text(65, 0x0e);

const bind = {
  systemId,
  password,
  systemType: text(13, 0x53),
  interfaceVersion: octet,
  addrTon: octet,
  addrNpi: octet,
  addressRange: text(41, 0x0d),
} as const;

const source = { sourceAddrTon: octet, sourceAddrNpi: octet, sourceAddr: text(21, invalidSource) } as const;
const destination = {
  destAddrTon: octet,
  destAddrNpi: octet,
  destinationAddr: text(21, invalidDestination),
} as const;

/** Empty, or 16 characters (SMPP 3.4 7.1.1). */
const scheduleDeliveryTime = text(17, 0x61);
const validityPeriod = text(17, 0x62);

const content = {
  esmClass: octet,
  protocolId: octet,
  priorityFlag: octet,
  scheduleDeliveryTime,
  validityPeriod,
  registeredDelivery: octet,
  replaceIfPresentFlag: octet,
  dataCoding: octet,
  smDefaultMsgId: octet,
  shortMessage: message,
} as const;

const nothing = {} as const;

/** SMPP 3.4 section 4, with the fields in order. The addresses of `dataSm` and `alertNotification` are longer. */
export const commands = {
  genericNack: { id: 0x8000_0000, fields: nothing },
  bindReceiver: { id: 0x0000_0001, fields: bind },
  bindReceiverResp: { id: 0x8000_0001, fields: { systemId } },
  bindTransmitter: { id: 0x0000_0002, fields: bind },
  bindTransmitterResp: { id: 0x8000_0002, fields: { systemId } },
  querySm: { id: 0x0000_0003, fields: { messageId, ...source } },
  querySmResp: {
    id: 0x8000_0003,
    fields: { messageId, finalDate: text(17, 0x67), messageState: octet, errorCode: octet },
  },
  submitSm: { id: 0x0000_0004, fields: { serviceType, ...source, ...destination, ...content } },
  submitSmResp: { id: 0x8000_0004, fields: { messageId } },
  deliverSm: { id: 0x0000_0005, fields: { serviceType, ...source, ...destination, ...content } },
  deliverSmResp: { id: 0x8000_0005, fields: { messageId } },
  unbind: { id: 0x0000_0006, fields: nothing },
  unbindResp: { id: 0x8000_0006, fields: nothing },
  replaceSm: {
    id: 0x0000_0007,
    fields: {
      messageId,
      ...source,
      scheduleDeliveryTime,
      validityPeriod,
      registeredDelivery: octet,
      smDefaultMsgId: octet,
      shortMessage: message,
    },
  },
  replaceSmResp: { id: 0x8000_0007, fields: nothing },
  cancelSm: { id: 0x0000_0008, fields: { serviceType, messageId, ...source, ...destination } },
  cancelSmResp: { id: 0x8000_0008, fields: nothing },
  bindTransceiver: { id: 0x0000_0009, fields: bind },
  bindTransceiverResp: { id: 0x8000_0009, fields: { systemId } },
  outbind: { id: 0x0000_000b, fields: { systemId, password } },
  enquireLink: { id: 0x0000_0015, fields: nothing },
  enquireLinkResp: { id: 0x8000_0015, fields: nothing },
  submitMulti: {
    id: 0x0000_0021,
    fields: { serviceType, ...source, destAddresses: { kind: 'destinations' }, ...content },
  },
  submitMultiResp: { id: 0x8000_0021, fields: { messageId, unsuccessSmes: { kind: 'failures' } } },
  alertNotification: {
    id: 0x0000_0102,
    fields: {
      sourceAddrTon: octet,
      sourceAddrNpi: octet,
      sourceAddr: text(65, invalidSource),
      esmeAddrTon: octet,
      esmeAddrNpi: octet,
      esmeAddr: text(65, invalidDestination),
    },
  },
  dataSm: {
    id: 0x0000_0103,
    fields: {
      serviceType,
      sourceAddrTon: octet,
      sourceAddrNpi: octet,
      sourceAddr: text(65, invalidSource),
      destAddrTon: octet,
      destAddrNpi: octet,
      destinationAddr: text(65, invalidDestination),
      esmClass: octet,
      registeredDelivery: octet,
      dataCoding: octet,
    },
  },
  dataSmResp: { id: 0x8000_0103, fields: { messageId } },
} as const satisfies Record<
  string,
  { readonly id: number; readonly fields: Readonly<Record<string, Field>> }
>;

export type CommandName = keyof typeof commands;

/** A recipient of a `submitMulti`: a number, or a list kept by the SMSC. */
export type Destination =
  | { readonly destAddrTon: number; readonly destAddrNpi: number; readonly destinationAddr: string }
  | { readonly distributionList: string };

/** A number that a `submitMulti` could not be sent to. */
export interface UnsuccessfulDestination {
  readonly destAddrTon: number;
  readonly destAddrNpi: number;
  readonly destinationAddr: string;
  readonly errorStatusCode: number;
}

export interface Header<Command extends CommandName> {
  readonly command: Command;
  /** The command_status. `commandStatus` names the values. */
  readonly status: number;
  readonly sequence: number;
  /** A sentence for the log about anything that could not be read and was left out. */
  readonly damage?: string;
}

type ValueOf<F extends Field> = F extends { readonly kind: 'octet' }
  ? number
  : F extends { readonly kind: 'text' }
    ? string
    : F extends { readonly kind: 'message' }
      ? Buffer
      : F extends { readonly kind: 'destinations' }
        ? readonly Destination[]
        : readonly UnsuccessfulDestination[];

export type Fields<Command extends CommandName> = {
  readonly [Name in keyof (typeof commands)[Command]['fields']]: ValueOf<
    Extract<(typeof commands)[Command]['fields'][Name], Field>
  >;
};

/** A PDU as read, with every field present. Octets such as `shortMessage` are views of the socket's data. */
export type PduOf<Command extends CommandName> = Header<Command> & Fields<Command> & { readonly tlvs: Tlvs };

/* The same tables, and the table of parameters, in the forms that the codec uses for look-ups. */

export interface NamedField {
  readonly name: string;
  readonly field: Field;
}

export interface Layout {
  readonly command: CommandName;
  readonly id: number;
  readonly isResponse: boolean;
  /** In octet order. */
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

/** Room for the longest message_payload of 65,535 octets, plus anything else that a PDU contains. */
export const maxPduLength = 72 * 1024;

/** The `damage` of a PDU of which nothing was left out. */
export const nulAfterBody = 'A NUL follows the mandatory part.';

/** The maximum of number_of_dests and no_unsuccess, which are one octet (SMPP 3.4 5.2.24, 5.2.26). */
export const maxListLength = 255;

/** The maximum for a number or a list name, including the octet that ends it (SMPP 3.4 5.2.9, 5.2.27). */
export const maxAddress = 21;

/** dest_flag for a number and for a distribution list (SMPP 3.4 5.2.25). */
export const destFlag = { number: 1, list: 2 } as const;
