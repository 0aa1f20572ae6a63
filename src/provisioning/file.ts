/** The provisioning file: which objects and fields it may hold, and how its text becomes a plan. */
import { isPasswordHash } from '../accounts/password.ts';
import { roles } from '../accounts/role.ts';
import { isUsername, maxUsernameLength } from '../accounts/user.ts';
import { greatestMaxRecipients } from '../batches/batch.ts';
import { type CarrierType, carrierTypes } from '../carriers/provisioned/carrier-record.ts';
import { cleanNumber, withoutSeparators } from '../wire/phone-number.ts';
import { parseSender } from '../wire/sender-id.ts';
import type { Fault } from '../yaml/fault.ts';
import {
  explicitList,
  type Fields,
  flag,
  list,
  needed,
  object,
  oneOfWords,
  optional,
  plainText,
  type Read,
  type TextRule,
  text,
  wholeNumber,
} from '../yaml/fields.ts';
import { parseYaml, type Tree } from '../yaml/tree.ts';
import { addressBook } from './address-book-fields.ts';
import { settingsFields } from './carrier-settings.ts';
import { checkPlan } from './check-plan.ts';
import { domainEnding, emailDefaults, emailSender, mailSenderRule } from './email-plan.ts';
import { sendingLimits } from './limits-fields.ts';
import type {
  CarrierPlan,
  CompanyPlan,
  NumberPlan,
  OperatorPlan,
  Plan,
  RoutePlan,
  UserPlan,
} from './plan.ts';
import { sendHours } from './send-hours-fields.ts';
import { template } from './template-plan.ts';

export interface ReadFile {
  /** Undefined: the file is not readable far enough to say what it asks for. */
  readonly plan: Plan | undefined;
  /** With any fault, the plan is good for finding further faults only. */
  readonly faults: readonly Fault[];
}

export function readPlan(content: string): ReadFile {
  const { tree, faults: yamlFaults } = parseYaml(content);
  if (tree === undefined) return { plan: undefined, faults: yamlFaults };
  if (tree.kind === 'nothing') {
    return { plan: undefined, faults: [{ place: tree.place, sentence: 'the file is empty' }] };
  }
  const faults = [...yamlFaults];
  const read = file(tree, faults);
  if (read === undefined) return { plan: undefined, faults };
  const plan: Plan = {
    companies: read.companies.filter(({ name }) => name !== ''),
    carriers: read.carriers.filter(({ name }) => name !== ''),
    routes: read.routes,
    numbers: read.numbers.filter(({ number }) => number !== ''),
    operators: read.operators.filter(({ username }) => username !== ''),
  };
  return { plan, faults: [...faults, ...checkPlan(plan)] };
}

const longestName = 100;
const name = text(plainText(longestName));
/** Ids stay far below 2^53, so that those drawn after the highest do as well. */
const id = optional(wholeNumber(1, 999_999_999_999_999), undefined);
const parts = optional(wholeNumber(0, 1_000_000_000_000), undefined);
const limits = optional(sendingLimits, undefined);
const remove = optional(flag, false);

const senderRule: TextRule = (written) => {
  const sender = parseSender(written);
  return sender.ok ? { value: sender.value.value } : { wrong: sender.error };
};
const sender = text(senderRule);

const username = text((written) =>
  isUsername(written) && written.trim() === written
    ? { value: written }
    : {
        wrong: `must be 1 to ${maxUsernameLength} characters without colons, control characters, or spaces at its ends`,
      },
);

/** What new ones must be like is looked at beside what is stored: see `passwordFaults`. */
const password = text((written) => ({ value: written }));

const passwordHash = text((written) =>
  isPasswordHash(written)
    ? { value: written }
    : { wrong: 'must be an Argon2 hash in the PHC form ($argon2id$v=19$m=19456,t=2,p=1$…$…)' },
);

const userFields = object(
  {
    username: needed(username, ''),
    id,
    password: optional(password, undefined),
    passwordHash: optional(passwordHash, undefined),
    roles: optional(explicitList(oneOfWords(roles), 'none'), []),
    active: optional(flag, true),
    quotaParts: parts,
    limits,
    defaultSender: optional(sender, undefined),
    senders: optional(explicitList(sender, 'any'), undefined),
    replaceCharacters: optional(flag, false),
    maxBatch: optional(wholeNumber(0, greatestMaxRecipients), undefined),
    smtpSplit: optional(flag, false),
    addressBooks: optional(explicitList(name, 'none'), undefined),
    defaultAddressBook: optional(name, undefined),
    remove,
  },
  ['systemUser'],
);

/** Whose books are not named may read the default one. */
const user: Read<UserPlan> = (tree, faults) => {
  const read = userFields(tree, faults);
  if (read === undefined) return undefined;
  const { addressBooks, defaultAddressBook } = read;
  return {
    ...read,
    addressBooks: addressBooks ?? (defaultAddressBook === undefined ? [] : [defaultAddressBook]),
  };
};

const companyFields = object(
  {
    name: needed(name, ''),
    id,
    active: optional(flag, true),
    quotaParts: parts,
    limits,
    defaultSender: optional(sender, undefined),
    sendHours: optional(sendHours, undefined),
    users: optional(list(user), []),
    addressBooks: optional(list(addressBook), []),
    templates: optional(list(template), []),
    allowedDomainEndings: optional(explicitList(domainEnding, 'none'), []),
    emailDefaults: optional(emailDefaults, undefined),
    emailSenders: optional(list(emailSender), []),
    senderRules: optional(list(mailSenderRule), []),
    remove,
  },
  ['systemUsers', 'jobTypes', 'savedJobs'],
);

const company: Read<CompanyPlan> = (tree, faults) => {
  const read = companyFields(tree, faults);
  return (
    read && {
      ...read,
      users: read.users.filter((planned) => planned.username !== ''),
      addressBooks: read.addressBooks.filter((planned) => planned.name !== ''),
      templates: read.templates.filter((planned) => planned.id !== 0),
      emailSenders: read.emailSenders.filter((planned) => planned.email !== ''),
      senderRules: read.senderRules.filter((planned) => planned.domain !== ''),
    }
  );
};

const carrierTypeNames = Object.keys(carrierTypes) as CarrierType[];
const carrierType = oneOfWords(carrierTypeNames);
const carrierBase = { name: needed(name, ''), type: optional(carrierType, undefined), remove };

/** Which settings a carrier has depends on its type. */
const carrier: Read<CarrierPlan> = (tree, faults) => {
  const type = typeOf(tree);
  // Without a known type no setting can be called unknown, and one that is to go needs none: only those that all
  // carriers share are looked at.
  const isOpen = type === undefined || isRemoved(tree);
  const settings: Fields = isOpen ? {} : settingsFields(carrierTypes[type]);
  const others = isOpen && tree.kind === 'map' ? [...tree.entries.keys()] : [];
  const ignored = Object.fromEntries(
    others.filter((key) => !(key in carrierBase)).map((key) => [key, optional(() => true, undefined)]),
  );
  const read = object<typeof carrierBase & Fields>({ ...carrierBase, ...settings, ...ignored })(tree, faults);
  if (read === undefined) return undefined;
  const { name, remove, place, fieldPlaces } = read;
  if (!(remove || 'type' in fieldPlaces)) {
    faults.push({ place, sentence: `needs a key "type", one of ${carrierTypeNames.join(', ')}` });
  }
  const values = Object.fromEntries(
    Object.keys(settings)
      .map((setting) => [setting, read[setting]] as const)
      .filter(([, value]) => value !== undefined),
  );
  return { name, type: type ?? 'simulator', settings: values, remove, place, fieldPlaces };
};

function isRemoved(tree: Tree): boolean {
  const entry = tree.kind === 'map' ? tree.entries.get('remove')?.value : undefined;
  return entry?.kind === 'flag' && entry.value;
}

function typeOf(tree: Tree): CarrierType | undefined {
  const entry = tree.kind === 'map' ? tree.entries.get('type') : undefined;
  return entry && carrierType(entry.value, []);
}

const prefix = text((written) => {
  const digits = withoutSeparators(written);
  return /^([1-9]\d{0,14})?$/.test(digits)
    ? { value: digits }
    : { wrong: 'must be the first digits of numbers, country code first; "" is for all numbers' };
});

/** A route for nobody would be a slip of the pen. */
function someNames(read: Read<string>, noun: string, leftOut = ''): Read<readonly string[]> {
  return (tree, faults) => {
    if (tree.kind === 'list' && tree.items.length === 0) {
      faults.push({ place: tree.place, sentence: `must name at least one ${noun}${leftOut}` });
    }
    return leftOut === '' ? list(read)(tree, faults) : explicitList(read, 'any')(tree, faults);
  };
}

const orLeftOut = '; leave the key out for any';

const routeFields = object({
  name: optional(name, undefined),
  prefix: optional(prefix, undefined),
  carriers: optional(someNames(name, 'carrier'), []),
  senders: optional(someNames(sender, 'sender', orLeftOut), undefined),
  users: optional(someNames(username, 'user', orLeftOut), undefined),
  priority: optional(wholeNumber(-1_000_000, 1_000_000), 0),
  remove,
});

const route: Read<RoutePlan> = (tree, faults) => {
  const read = routeFields(tree, faults);
  if (read === undefined) return undefined;
  const { place, fieldPlaces } = read;
  if (!('prefix' in fieldPlaces || (read.remove && 'name' in fieldPlaces))) {
    faults.push({ place, sentence: 'needs a key "prefix"; "" is for all numbers' });
  }
  if (!(read.remove || 'carriers' in fieldPlaces)) {
    faults.push({ place, sentence: 'needs a key "carriers" with at least one carrier' });
  }
  return { ...read, name: read.name ?? read.prefix ?? '', prefix: read.prefix ?? '' };
};

/** A number that phones can answer to: a whole one, or a short code of its country. */
const ownNumber = text((written) => {
  const digits = withoutSeparators(written);
  if (/^[1-9]\d{2,5}$/.test(digits)) return { value: digits };
  const cleaned = cleanNumber(written);
  return cleaned.ok ? { value: cleaned.value } : { wrong: cleaned.error };
});

const number: Read<NumberPlan> = object({
  number: needed(ownNumber, ''),
  rentedBy: optional(username, undefined),
  pool: optional(flag, false),
  company: optional(name, undefined),
  remove,
});

const operator: Read<OperatorPlan> = object({
  username: needed(username, ''),
  password: optional(password, undefined),
  passwordHash: optional(passwordHash, undefined),
  remove,
});

const file = object({
  companies: optional(list(company), []),
  carriers: optional(list(carrier), []),
  routes: optional(list(route), []),
  numbers: optional(list(number), []),
  operators: optional(list(operator), []),
});
