/** The parameters of an entry and of the defaults of a company, which are the same but for what clears them (API: /set, CD). */
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

/** Of a sender; a longer one is judged by the rule of addresses, which says why. */
export const email = ruled(
  text({
    get: 'EM',
    required: true,
    description: 'The address of a sender, or `@domain` for a whole domain. Letter case does not count.',
  }),
  parseSenderKey,
);

export const blocked = boolean({
  get: 'BL',
  default: false,
  description: 'Mail from this sender is refused.',
});

/** An id may also come as a JSON number. */
function alsoNumber<Value>(parameter: Parameter<Value>): Parameter<Value> {
  return {
    ...parameter,
    fromJson: (json, field, faults) =>
      parameter.fromJson(Number.isSafeInteger(json) ? String(json) : json, field, faults),
  };
}

/** Left out in /set, each takes the default of the company. */
export const settingsParameters = {
  payinguser: alsoNumber(
    text({
      get: 'PU',
      maxLength: maxUsernameLength,
      description: 'The account that pays: digits are its id, anything else its user name.',
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
    description: 'Groups the messages on the bill.',
  }),
  defaultCountryCode: ruled(
    digits({
      get: 'DC',
      maxLength: 4,
      description: 'Country code that takes the place of a single leading zero of a number.',
    }),
    parseCountryCode,
  ),
  maxSms: integer({ get: 'MS', min: 1, max: maxSmsParts, description: 'The most SMS parts of a message.' }),
  checkMobile: boolean({
    get: 'CM',
    description: 'Sends only to numbers in a possible mobile series of their country.',
  }),
  includeSubject: boolean({ get: 'IS', description: 'Puts the subject of the mail into the text.' }),
  onlyNonDelivery: boolean({ get: 'ND', description: 'Of receipts, only those of failures go back.' }),
  origMsg: boolean({ get: 'OM', description: 'An answer that goes back holds the original message.' }),
  splitCallback: boolean({
    get: 'SC',
    description:
      'Receipts and answers go back by mail to the sender. The paying user needs the setting SMTPSPLIT.',
  }),
  senderLogic: boolean({
    get: 'SL',
    description: 'The sender id follows from the domain of the mail, by rules of the company.',
  }),
} as const;

type Clearable<Table extends Parameters> = {
  readonly [Name in keyof Table]: Table[Name] extends Parameter<infer Value>
    ? Parameter<Value | null>
    : never;
};

/** Left out in /default, each stays as it is. */
export const defaultsParameters = Object.fromEntries(
  Object.entries<Parameter<unknown>>(settingsParameters).map(([name, parameter]) => [
    name,
    clearable(parameter),
  ]),
) as unknown as Clearable<typeof settingsParameters>;
