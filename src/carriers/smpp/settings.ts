/** The settings of an SMPP carrier: how to reach the SMSC, what it supports, and the formats that it expects. */
import { type Static, type TSchemaOptions, Type } from 'typebox';
import { defaultAlphabets } from '../../wire/smpp/alphabet.ts';
import { commandStatus } from '../../wire/smpp/command-status.ts';
import { messageIdRules } from '../../wire/smpp/message-id.ts';
import { failingStatuses } from '../../wire/smpp/receipt.ts';
import { type Capacity, capacityOf } from '../capacity.ts';
import { refusalStatuses } from '../carrier.ts';
import { choice, doubtSettings, hourMs, milliseconds, patienceSettings } from '../patience.ts';

/** A text that follows a pattern; otherwise the error says `must be ${form}`. */
function patterned(pattern: string, form: string, options: TSchemaOptions & { readonly default?: string }) {
  return Type.String({ pattern, title: form, ...options });
}

function text(longest: number, description: string) {
  return Type.String({ maxLength: longest, default: '', description });
}

function tonNpi(value: string, description: string) {
  return patterned('^[0-7]/([0-9]|1[0-8])$', `a TON and an NPI such as ${value}`, {
    default: value,
    description,
  });
}

const refusalNames = Object.keys(refusalStatuses).join('|');

const reach = {
  host: Type.String({ minLength: 1, maxLength: 255, description: 'Name or address of the SMSC.' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 2775, description: 'TCP port of the SMSC.' }),
  systemId: Type.String({ minLength: 1, maxLength: 15, description: 'Our system_id at the SMSC.' }),
  // SMPP 3.4 allows 8 characters, but SMSCs that take more are common.
  password: Type.String({ maxLength: 64, secret: true, description: 'Our password at the SMSC.' }),
  systemType: text(12, 'system_type of the bind, if the operator requires one.'),
  addressRange: text(
    40,
    'address_range of the bind (the numbers it receives for), if the operator requires it.',
  ),
  interfaceVersion: patterned('^(0x)?(33|34|50)$', 'one of 33, 34, 50 (hexadecimal)', {
    default: '34',
    description: 'interface_version of the bind.',
  }),
  tls: Type.Boolean({ default: false, description: 'Connect by TLS.' }),
  tlsCa: text(
    4_096,
    'PEM file with the authority of the SMSC’s certificate; empty: the authorities that Node knows.',
  ),
  tlsVerify: Type.Boolean({
    default: true,
    description:
      'Whether the certificate must be valid for the host. Without this check the connection can be intercepted.',
  }),
};

const capacity = {
  bind: choice(
    ['transceiver', 'pair'],
    'transceiver',
    'One connection for both directions, or a pair with one for each.',
  ),
  binds: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    description: 'How many such connections or pairs there are.',
  }),
  window: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 10,
    description: 'How many SMS parts may await a response at a time, on each bind.',
  }),
  throughput: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: 'SMS parts per second over all binds; 0 is no limit.',
  }),
};

const form = {
  serviceType: text(5, 'service_type of submissions, if the operator requires one.'),
  alphanumericTonNpi: tonNpi('5/0', 'TON and NPI of senders with letters.'),
  internationalTonNpi: tonNpi('1/1', 'TON and NPI of senders that are international numbers.'),
  shortTonNpi: tonNpi('3/0', 'TON and NPI of senders that are short codes.'),
  shortCodeDigits: Type.Integer({
    minimum: 0,
    maximum: 15,
    default: 6,
    description: 'Maximum number of digits of a short code; longer numbers are international.',
  }),
  recipientTonNpi: tonNpi('1/1', 'TON and NPI of recipients.'),
  alphabet: choice(
    defaultAlphabets,
    'gsm7',
    'Meaning of data_coding 0, the SMSC’s default alphabet; gsm7-packed: eight septets in seven octets.',
  ),
  concatenation: choice(
    ['udh', 'sar', 'payload'],
    'udh',
    'How a long SMS is sent: in parts with a user data header or sar_* parameters, or in one piece in message_payload, which the SMSC splits.',
  ),
  validity: choice(
    ['relative', 'absolute', 'none'],
    'relative',
    'Form of validity_period; none: the SMSC decides how long it tries.',
  ),
  registeredDelivery: Type.Integer({
    minimum: 0,
    maximum: 31,
    default: 1,
    description: 'registered_delivery of submissions: 1 asks for a final receipt, 0 for none.',
  }),
};

const meaning = {
  messageId: choice(
    messageIdRules,
    'auto',
    'How the ids of receipts relate to those of submissions: the same text, or one hexadecimal and the other decimal (first the form at the submission).',
  ),
  receiptsPerMessage: choice(
    ['part', 'one'],
    'part',
    'Receipts of a long SMS: one for each part, or one for all parts.',
  ),
  receiptErrors: Type.Record(
    Type.String(),
    Type.Enum(Object.keys(failingStatuses) as (keyof typeof failingStatuses)[]),
    {
      default: {},
      description: 'Status for an err code of a failure receipt.',
    },
  ),
  errors: Type.Record(
    Type.String({
      pattern: `^(0x[0-9a-fA-F]{1,8}|[0-9]{1,10}|${Object.keys(commandStatus).join('|')})$`,
    }),
    patterned(
      `^(retry|throttle|rebind|(fail|passOn):(${refusalNames}))$`,
      `one of retry, throttle, rebind, fail:STATUS, passOn:STATUS (STATUS: ${refusalNames.replaceAll('|', ', ')})`,
      { description: 'What to do with a submission refused with this command_status' },
    ),
    {
      default: {},
      additionalProperties: false,
      propertyNames: {
        title: 'a command_status: a number such as 1024 or 0x400, or a name such as ESME_RSUBMITFAIL',
        examples: Object.keys(commandStatus),
      },
      description: 'Action for a command_status, where it differs from the default.',
    },
  ),
  ...doubtSettings,
};

const patience = {
  ...patienceSettings,
  enquireLinkMs: milliseconds(
    1_000,
    hourMs,
    30_000,
    'Milliseconds between checks that the SMSC is still there.',
  ),
};

export const smppSettings = Type.Object(
  { ...reach, ...capacity, ...form, ...meaning, ...patience },
  { additionalProperties: false },
);

export type SmppSettings = Static<typeof smppSettings>;

/** How much a carrier with these settings takes in advance. */
export function smppCapacity({ binds, window, throughput, concatenation }: SmppSettings): Capacity {
  return capacityOf({ window: binds * window, throughput, takesWhole: concatenation === 'payload' });
}
