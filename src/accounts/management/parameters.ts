/** What a call may say of a user, with the rules of a provisioning file. */
import { greatestMaxRecipients } from '../../batches/batch.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { boolean, integer, text } from '../../http/parameters/kinds.ts';
import { textList } from '../../http/parameters/lists.ts';
import { clearable, type Input, ruled } from '../../http/parameters/parameter.ts';
import { isCountry } from '../../wire/country.ts';
import { canonicalEmail } from '../../wire/email-address.ts';
import { parseSender } from '../../wire/sender-id.ts';
import { isRole, type Role, roles } from '../role.ts';
import { isUsername, maxUsernameLength } from '../user.ts';
import type { UserChange } from './company-user.ts';

export const name = ruled(
  text({
    required: true,
    maxLength: maxUsernameLength,
    description:
      'The user name by which it signs in, which nobody else has in the whole service. It never changes.',
  }),
  (given): Result<string> =>
    isUsername(given) && given.trim() === given
      ? success(given)
      : fault('invalid_value', 'A user name has no colon, no control characters, and no spaces at its ends.'),
);

export const version = text({
  get: 'version',
  maxLength: 40,
  description:
    'The `version` that the change is of: it is refused where somebody else has changed the user since. Left out, it is made in any case.',
});

/** Each once. */
function eachOf<Item>(
  items: readonly string[],
  rule: (item: string) => Result<Item>,
): Result<readonly Item[]> {
  const kept = new Set<Item>();
  for (const item of items) {
    const result = rule(item);
    if (!result.ok) return result;
    kept.add(result.value);
  }
  return success([...kept]);
}

const role = (given: string): Result<Role> =>
  isRole(given)
    ? success(given)
    : fault('invalid_value', `${quoted(given)} is no role: ${roles.join(', ')}.`);

function sender(given: string): Result<string> {
  const parsed = parseSender(given);
  return parsed.ok ? success(parsed.value.value) : parsed;
}

function country(given: string): Result<string> {
  const code = given.toUpperCase();
  return /^[A-Z]{2}$/.test(code) && isCountry(code)
    ? success(code)
    : fault(
        'invalid_value',
        `${quoted(given)} is no code of a country with phone numbers, such as SE (ISO 3166).`,
      );
}

const parts = (description: string) => clearable(integer({ min: 1, max: 1_000_000_000, description }));

export const settings = {
  roles: ruled(
    textList({
      maxItems: 10,
      maxLength: 20,
      description: `Some of ${roles.join(', ')}; you have them yourself.`,
    }),
    (given) => eachOf(given, role),
  ),
  defaultsender: clearable(
    ruled(text({ maxLength: 60, description: 'Sender id where a call names none.' }), sender),
  ),
  senders: clearable(
    ruled(
      textList({ maxItems: 100, maxLength: 60, description: 'The only sender ids that it may send from.' }),
      (given) => eachOf(given, sender),
    ),
  ),
  replacecharacters: boolean({
    description: 'Characters outside of GSM 03.38 are replaced where a call asks for it.',
  }),
  quotaparts: clearable(
    integer({
      max: 1_000_000_000_000,
      description: 'SMS parts that it may send in all; within those of the company.',
    }),
  ),
  partsperminute: parts('SMS parts that it may send in a minute.'),
  partsperday: parts('SMS parts that it may send in a day (UTC).'),
  countries: clearable(
    ruled(
      textList({
        maxItems: 300,
        maxLength: 10,
        description: 'The only countries that it may send to (ISO 3166).',
      }),
      (given) => eachOf(given, country),
    ),
  ),
  maxbatch: clearable(
    integer({ max: greatestMaxRecipients, description: 'The most recipients of a batch.' }),
  ),
  smtpsplit: boolean({ description: 'Receipts and answers may go back by mail.' }),
  email: clearable(
    ruled(text({ maxLength: 254, description: 'Where the user hears of sign-ins.' }), canonicalEmail),
  ),
} as const;

export function changeOf(given: Input<typeof settings>): UserChange {
  return {
    roles: given.roles && roles.filter((role) => given.roles?.includes(role)),
    quotaParts: given.quotaparts,
    partsPerMinute: given.partsperminute,
    partsPerDay: given.partsperday,
    countries: given.countries && [...given.countries].sort(),
    defaultSender: given.defaultsender,
    senders: given.senders,
    replaceCharacters: given.replacecharacters,
    maxBatch: given.maxbatch,
    smtpSplit: given.smtpsplit,
    email: given.email,
  };
}
