/** The settings of an SMPP carrier: how to reach the SMSC, what it can take, and the forms that it expects. */
import { type Static, type TSchemaOptions, Type } from 'typebox';
import { defaultAlphabets } from '../../wire/smpp/alphabet.ts';
import { commandStatus } from '../../wire/smpp/command-status.ts';
import { messageIdRules } from '../../wire/smpp/message-id.ts';
import { failingStatuses } from '../../wire/smpp/receipt.ts';
import { defaultInDoubtTries, refusalStatuses } from '../carrier.ts';

/** A text that follows a pattern; when it does not, the error says `must be ${form}`. */
function patterned(pattern: string, form: string, options: TSchemaOptions & { readonly default?: string }) {
  return Type.String({ pattern, title: form, ...options });
}

function milliseconds(least: number, most: number, value: number, description: string) {
  return Type.Integer({ minimum: least, maximum: most, default: value, description });
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

function choice<Word extends string>(words: readonly Word[], value: Word, description: string) {
  return Type.Enum([...words], { default: value, description });
}

const hour = 3_600_000;
const refusalNames = Object.keys(refusalStatuses).join('|');

const reach = {
  host: Type.String({ minLength: 1, maxLength: 255, description: 'Name or address of the SMSC.' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 2775, description: 'Its TCP port.' }),
  systemId: Type.String({ minLength: 1, maxLength: 15, description: 'Who we are to the SMSC: system_id.' }),
  // SMPP 3.4 allows 8 characters; SMSCs that take more are common.
  password: Type.String({ maxLength: 64, secret: true, description: 'The password to it.' }),
  systemType: text(12, 'system_type of the bind, where the operator asks for one.'),
  addressRange: text(
    40,
    'address_range of the bind: which numbers it receives for, where the operator asks for it.',
  ),
  interfaceVersion: patterned('^(0x)?(33|34|50)$', 'one of 33, 34, 50 (hexadecimal)', {
    default: '34',
    description: 'interface_version of the bind.',
  }),
  tls: Type.Boolean({ default: false, description: 'Connect by TLS.' }),
  tlsCa: text(
    4_096,
    'PEM file with the authority of the SMSC’s certificate; empty: those known to the system.',
  ),
  tlsVerify: Type.Boolean({
    default: true,
    description:
      'Whether the certificate must be valid for the host. Without, anybody on the way can listen.',
  }),
};

const capacity = {
  bind: choice(
    ['transceiver', 'pair'],
    'transceiver',
    'One connection for both directions, or one for each.',
  ),
  binds: Type.Integer({ minimum: 1, maximum: 64, default: 1, description: 'How many of them.' }),
  window: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 10,
    description: 'SMS parts that each bind may have submitted and not yet answered.',
  }),
  throughput: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: 'SMS parts per second over all binds; 0 is no limit.',
  }),
};

const form = {
  serviceType: text(5, 'service_type of submissions, where the operator asks for one.'),
  alphanumericTonNpi: tonNpi('5/0', 'TON and NPI of senders with letters.'),
  internationalTonNpi: tonNpi('1/1', 'TON and NPI of senders that are international numbers.'),
  shortTonNpi: tonNpi('3/0', 'TON and NPI of senders that are short codes.'),
  shortCodeDigits: Type.Integer({
    minimum: 0,
    maximum: 15,
    default: 6,
    description: 'The most digits of a short code; longer numbers are international.',
  }),
  recipientTonNpi: tonNpi('1/1', 'TON and NPI of recipients.'),
  alphabet: choice(
    defaultAlphabets,
    'gsm7',
    'What the SMSC takes data_coding 0 for, its default alphabet; gsm7-packed: eight septets in seven octets.',
  ),
  concatenation: choice(
    ['udh', 'sar', 'payload'],
    'udh',
    'How a long SMS goes out: in parts with a user data header or sar_* parameters, or in one piece in message_payload, which the SMSC cuts.',
  ),
  validity: choice(
    ['relative', 'absolute', 'none'],
    'relative',
    'The form of validity_period; none: the SMSC decides how long it tries.',
  ),
  registeredDelivery: Type.Integer({
    minimum: 0,
    maximum: 31,
    default: 1,
    description: 'registered_delivery of submissions: 1 asks for a receipt of every end, 0 for none at all.',
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
    'How many receipts a long SMS has: one for each part, or one that stands for all of them.',
  ),
  receiptErrors: Type.Record(
    Type.String(),
    Type.Enum(Object.keys(failingStatuses) as (keyof typeof failingStatuses)[]),
    {
      default: {},
      description: 'Which status an err code of a failing receipt stands for.',
    },
  ),
  errors: Type.Record(
    Type.String({
      pattern: `^(0x[0-9a-fA-F]{1,8}|[0-9]{1,10}|${Object.keys(commandStatus).join('|')})$`,
    }),
    patterned(
      `^(retry|throttle|rebind|(fail|passOn):(${refusalNames}))$`,
      `one of retry, throttle, rebind, fail:STATUS, passOn:STATUS (STATUS: ${refusalNames.replaceAll('|', ', ')})`,
      { description: 'What to do with a submission that is refused so' },
    ),
    {
      default: {},
      additionalProperties: false,
      propertyNames: {
        title: 'a command_status: a number such as 1024 or 0x400, or a name such as ESME_RSUBMITFAIL',
        examples: Object.keys(commandStatus),
      },
      description: 'What to do about a command_status, where it differs from what is usual.',
    },
  ),
  inDoubt: choice(
    ['retry', 'fail'],
    'retry',
    'A submission without an answer: send it again at the risk of two, or give it up as UNKNOWN.',
  ),
  inDoubtTries: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: defaultInDoubtTries,
    description: 'How often a message may be without an answer before inDoubt: retry gives it up too.',
  }),
};

const patience = {
  connectTimeoutMs: milliseconds(100, hour, 10_000, 'Milliseconds for a connection, TLS included.'),
  responseTimeoutMs: milliseconds(100, hour, 30_000, 'Milliseconds that the SMSC has for any answer.'),
  enquireLinkMs: milliseconds(
    1_000,
    hour,
    30_000,
    'Milliseconds between two looks at whether it is still there.',
  ),
  reconnectMinMs: milliseconds(10, hour, 1_000, 'Milliseconds before the first try to connect again.'),
  reconnectMaxMs: milliseconds(
    10,
    hour,
    60_000,
    'The most milliseconds between two tries, to which they grow.',
  ),
  throttlePauseMs: milliseconds(
    10,
    600_000,
    1_000,
    'Milliseconds that a bind rests when the SMSC asks for less.',
  ),
};

export const smppSettings = Type.Object(
  { ...reach, ...capacity, ...form, ...meaning, ...patience },
  { additionalProperties: false },
);

export type SmppSettings = Static<typeof smppSettings>;
