/** The keys that e-mail senders share with the defaults of a company. */
import { maxUsernameLength } from '../../accounts/user-records.ts';
import { namedUser } from '../../email/senders/paying-user.ts';
import {
  maxSmsParts,
  parseCountryCode,
  parseEntrySender,
  type SomeSettings,
} from '../../email/senders/sender-entry.ts';
import { maxReferenceLength } from '../../messages/sending/parameters.ts';
import { flag, optional, plainText, type Read, ruled, text } from '../../yaml/fields.ts';
import { remove } from './fields.ts';
import type { Mention } from './kind.ts';

export interface SettingsPlan {
  /** An id in digits, or a user name; undefined means the default, or none. */
  readonly payinguser: string | undefined;
  readonly settings: SomeSettings;
}

/** As in a call, empty text counts as nothing. */
function unlessEmpty<Value>(read: Read<Value>): Read<Value> {
  return (tree, faults) => (tree.kind === 'text' && tree.value === '' ? undefined : read(tree, faults));
}

const partsText = text((written) =>
  /^0*[1-9][0-9]{0,2}$/.test(written) && Number(written) <= maxSmsParts
    ? { value: written }
    : { wrong: `must be a whole number from 1 to ${maxSmsParts}` },
);

const parts: Read<number> = (tree, faults) => {
  const written = partsText(tree, faults);
  return written === undefined ? undefined : Number(written);
};

/** The same as in /set and /send: any text that both engines can store. */
const costCenter = text((written) => {
  if (written.includes('\0')) return { wrong: 'must not contain the character U+0000' };
  return Array.from(written).length <= maxReferenceLength
    ? { value: written }
    : { wrong: `must have at most ${maxReferenceLength} characters` };
});

export const settingsFields = {
  payinguser: optional(unlessEmpty(text(plainText(maxUsernameLength))), undefined),
  sender: optional(unlessEmpty(ruled(parseEntrySender)), undefined),
  costCenter: optional(unlessEmpty(costCenter), undefined),
  defaultCountryCode: optional(unlessEmpty(ruled(parseCountryCode)), undefined),
  maxSms: optional(unlessEmpty(parts), undefined),
  checkMobile: optional(flag, undefined),
  includeSubject: optional(flag, undefined),
  onlyNonDelivery: optional(flag, undefined),
  origMsg: optional(flag, undefined),
  splitCallback: optional(flag, undefined),
  senderLogic: optional(flag, undefined),
  remove,
} as const;

export function payerMentioned({ payinguser }: SettingsPlan): Readonly<Record<string, Mention>> {
  if (payinguser === undefined) return {};
  const named = namedUser(payinguser);
  return { users: 'id' in named ? { ids: [named.id] } : { keys: [named.username] } };
}
