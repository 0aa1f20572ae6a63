/** What a provisioning file says of e-mail to SMS: allowed domain endings, defaults of a company, and senders. */
import { maxUsernameLength } from '../accounts/user.ts';
import { parseDomainEnding } from '../email/senders/domain-endings.ts';
import {
  maxSmsParts,
  parseCountryCode,
  parseEntrySender,
  parseSenderKey,
  type SenderKey,
  type SomeSettings,
} from '../email/senders/sender-entry.ts';
import { maxReferenceLength } from '../messages/sending/parameters.ts';
import { parseDomain } from '../wire/email-address.ts';
import { parseSender } from '../wire/sender-id.ts';
import type { Fault, Place } from '../yaml/fault.ts';
import { flag, needed, object, optional, plainText, type Read, ruled, text } from '../yaml/fields.ts';
import type { Planned } from './planned.ts';

/** Which sender id the mail of a domain gets, where an entry has `senderLogic`. */
export interface SenderRulePlan extends Planned {
  readonly domain: string;
  readonly sender: string;
}

export interface EndingPlan {
  readonly ending: string;
  readonly place: Place;
}

interface SettingsPlan {
  /** An id in digits, or a user name; undefined: the default, or none. */
  readonly payinguser: string | undefined;
  readonly settings: SomeSettings;
}

/** Described whole: what is left out has no default any more. */
export interface EmailDefaultsPlan extends Planned, SettingsPlan {}

/** What is left out takes the default of the company. */
export interface EmailSenderPlan extends Planned, SettingsPlan, SenderKey {
  readonly blocked: boolean;
}

const ruleFields = object({
  domain: needed(ruled(parseDomain), ''),
  sender: optional(
    text((written) => {
      const sender = parseSender(written);
      return sender.ok ? { value: sender.value.value } : { wrong: sender.error };
    }),
    undefined,
  ),
  remove: optional(flag, false),
});

/** One that is to go needs its domain only. */
export const mailSenderRule: Read<SenderRulePlan> = (tree, faults) => {
  const read = ruleFields(tree, faults);
  if (read === undefined) return undefined;
  if (!(read.remove || 'sender' in read.fieldPlaces))
    faults.push({ place: read.place, sentence: 'needs a key "sender"' });
  return { ...read, sender: read.sender ?? '' };
};

const endingText = ruled(parseDomainEnding);

export const domainEnding: Read<EndingPlan> = (tree, faults) => {
  const ending = endingText(tree, faults);
  return ending === undefined ? undefined : { ending, place: tree.place };
};

/** As in a call, the empty text is as good as nothing. */
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

/** As /set takes it, and /send: any text that both engines can store. */
const costCenter = text((written) => {
  if (written.includes('\0')) return { wrong: 'must not hold the character U+0000' };
  return Array.from(written).length <= maxReferenceLength
    ? { value: written }
    : { wrong: `must have at most ${maxReferenceLength} characters` };
});

const settingsFields = {
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
  remove: optional(flag, false),
} as const;

const defaultsFields = object(settingsFields);

export const emailDefaults: Read<EmailDefaultsPlan> = (tree, faults) => {
  const read = defaultsFields(tree, faults);
  if (read === undefined) return undefined;
  const { payinguser, remove, place, fieldPlaces, ...settings } = read;
  return { payinguser, settings, remove, place, fieldPlaces };
};

const key: Read<SenderKey> = (tree, faults) => {
  let found: SenderKey | undefined;
  text((written) => {
    const parsed = parseSenderKey(written);
    if (!parsed.ok) return { wrong: parsed.error.replace(/\.$/, '') };
    found = parsed.value;
    return { value: written };
  })(tree, faults);
  return found;
};

const senderFields = object({
  email: needed(key, { email: '', domain: '' }),
  blocked: optional(flag, false),
  ...settingsFields,
});

export const emailSender: Read<EmailSenderPlan> = (tree, faults: Fault[]) => {
  const read = senderFields(tree, faults);
  if (read === undefined) return undefined;
  const { email: key, blocked, payinguser, remove, place, fieldPlaces, ...settings } = read;
  return { ...key, blocked, payinguser, settings, remove, place, fieldPlaces };
};
