/** The parameters of an entry and of a company's defaults, which differ only in what clears them (API: /set, CD). */
import { maxUsernameLength } from '../../accounts/user-records.ts';
import { boolean, digits, integer, text } from '../../http/parameters/kinds.ts';
import { clearable, type Parameter, type Parameters, ruled } from '../../http/parameters/parameter.ts';
import { maxReferenceLength } from '../../messages/sending/parameters.ts';
import {
  maxSenderCharacters,
  maxSmsParts,
  minSenderCharacters,
  parseCountryCode,
  parseEntrySender,
  parseSenderKey,
} from './sender-entry.ts';

/** The address of a sender; the address rule rejects a longer one and says why. */
export const email = ruled(
  text({
    get: 'EM',
    required: true,
    description: 'Address of a sender, or `@domain` for a whole domain. Case-insensitive.',
  }),
  parseSenderKey,
);

export const blocked = boolean({
  get: 'BL',
  default: false,
  description: 'Refuses mail from this sender.',
});

/** An id may also come as a JSON number. */
function alsoNumber<Value>(parameter: Parameter<Value>): Parameter<Value> {
  return {
    ...parameter,
    fromJson: (json, field, faults) =>
      parameter.fromJson(Number.isSafeInteger(json) ? String(json) : json, field, faults),
  };
}

/** If omitted in /set, each parameter takes the company's default. */
export const settingsParameters = {
  payinguser: alsoNumber(
    text({
      get: 'PU',
      maxLength: maxUsernameLength,
      description: 'The paying account: its id if given in digits, otherwise its user name.',
    }),
  ),
  sender: ruled(
    text({
      get: 'SD',
      minLength: minSenderCharacters,
      maxLength: maxSenderCharacters,
      description: 'Sender id of the SMS.',
    }),
    parseEntrySender,
  ),
  costCenter: text({
    get: 'CC',
    maxLength: maxReferenceLength,
    description: 'Cost centre, for grouping usage.',
  }),
  defaultCountryCode: ruled(
    digits({
      get: 'DC',
      maxLength: 4,
      description: 'Country code that replaces a single leading zero of a number.',
    }),
    parseCountryCode,
  ),
  maxSms: integer({
    get: 'MS',
    min: 1,
    max: maxSmsParts,
    description: 'Maximum number of SMS parts in a message.',
  }),
  checkMobile: boolean({
    get: 'CM',
    description: 'Sends only to numbers in a possible mobile series of their country.',
  }),
  includeSubject: boolean({ get: 'IS', description: 'Puts the e-mail’s subject in front of the text.' }),
  onlyNonDelivery: boolean({ get: 'ND', description: 'Sends back only failure receipts.' }),
  origMsg: boolean({ get: 'OM', description: 'Quotes the original message in answers sent back.' }),
  splitCallback: boolean({
    get: 'SC',
    description:
      'Sends receipts and answers back to the sender by e-mail. The paying user needs the setting SMTPSPLIT.',
  }),
  senderLogic: boolean({
    get: 'SL',
    description: 'Chooses the sender id by the e-mail’s domain, according to the company’s rules.',
  }),
} as const;

type Clearable<Table extends Parameters> = {
  readonly [Name in keyof Table]: Table[Name] extends Parameter<infer Value>
    ? Parameter<Value | null>
    : never;
};

/** If omitted in /default, each parameter stays unchanged. */
export const defaultsParameters = Object.fromEntries(
  Object.entries<Parameter<unknown>>(settingsParameters).map(([name, parameter]) => [
    name,
    clearable(parameter),
  ]),
) as unknown as Clearable<typeof settingsParameters>;
