/** Declares the parameters of calls that send: each shared parameter once, and the texts of single recipients. */
import Type from 'typebox';
import type { Selection } from '../../contacts/select-recipients.ts';
import { standardMaxLength } from '../../http/parameters/bounds.ts';
import { countryCodeDescription } from '../../http/parameters/country-code.ts';
import type { Faults } from '../../http/parameters/faults.ts';
import { boolean, digits, integer, text, word } from '../../http/parameters/kinds.ts';
import { objectList, textMap } from '../../http/parameters/lists.ts';
import type { Input, UrlValues } from '../../http/parameters/parameter.ts';
import { listFromUrl, type UrlList } from '../../http/parameters/url-values.ts';
import { categories } from '../../wire/category.ts';
import { faultOfLabel, maxLabelLength, maxLabels, maxTextLength } from '../../wire/sms/substitution.ts';

const maxValidityMinutes = 10_080;

/** Limits texts from the caller that reappear in answers and on bills. */
export const maxReferenceLength = 1_000;

/**
 * Limits the recipients of one call, which are stored in one transaction that others wait for. More recipients belong in a
 * batch.
 */
export const maxRecipients = 10_000;

/** Limits how many SMS one call may ask for. */
export const maxIds = 10_000;

/** Part of the description of a parameter with ids. */
export const ofEmptyIds =
  'With an empty list, nothing is returned or marked as read. In a URL, an empty text means that no list is given.';

/** The limits of a text, whether it is for all recipients or for one. */
export const boundsOfMessage = { maxLength: maxTextLength, codeOfLength: 'text_too_long' } as const;

/** The names after `get` are those used in a URL. */
export const sendParameters = {
  from: text({
    get: 'F',
    schemaName: 'SenderId',
    description:
      'Sender id: 1 to 11 letters, digits and simple signs, or 3 to 15 digits. Default: the default sender of the account or its company.',
  }),
  message: text({
    get: { M: 'iso-8859-1', M8: 'utf-8' },
    ...boundsOfMessage,
    schemaName: 'MessageText',
    description: 'Text of the SMS.',
  }),
  templateid: digits({
    get: 'TPID',
    schemaName: 'TemplateId',
    description: 'Id of a saved template of the company, whose text is used as the message.',
  }),
  onlytemplateplaceholders: boolean({
    get: 'TPONLY',
    default: false,
    schemaName: 'OnlyTemplatePlaceholders',
    description:
      'Replaces only the template’s placeholders, such as `{Text:name}`, not the same words elsewhere in its text.',
  }),
  twoway: boolean({
    get: '2',
    default: false,
    schemaName: 'TwoWay',
    description:
      'Sends from a number of the reply pool instead of `from`, so that an answer comes back as an incoming SMS with this conversation.',
  }),
  conversation: text({
    get: 'X',
    maxLength: maxReferenceLength,
    schemaName: 'ConversationId',
    description: 'Conversation id: not sent, but returned with the status and with answers.',
  }),
  costcenter: text({
    get: 'C',
    maxLength: maxReferenceLength,
    schemaName: 'CostCenter',
    description: 'Cost centre, for grouping usage.',
  }),
  flash: boolean({
    get: 'Z',
    default: false,
    schemaName: 'Flash',
    description:
      'Sends a flash SMS, which is displayed at once: at most 160 characters of the GSM 03.38 alphabet.',
  }),
  validminutes: integer({
    schemaName: 'ValidityMinutes',
    get: 'V',
    default: 1_440,
    min: 1,
    max: maxValidityMinutes,
    description: 'Minutes after the send time during which delivery is attempted.',
  }),
  defaultcountrycode: digits({
    get: 'D',
    maxLength: 4,
    schemaName: 'DefaultCountryCode',
    description: countryCodeDescription,
  }),
  replacecharacters: boolean({
    get: 'R',
    default: false,
    schemaName: 'ReplaceCharacters',
    description:
      'Replaces characters outside the GSM 03.38 alphabet with similar ones, if that makes the whole text fit it and the account is enabled for it.',
  }),
  scheduletime: text({
    get: 'AT',
    schemaName: 'ScheduleTime',
    description: 'Send time, ISO 8601 with zone, such as `2027-01-31T08:00:00+01:00`.',
  }),
  checknumber: boolean({
    get: 'check',
    default: false,
    schemaName: 'CheckNumber',
    description: 'Rejects numbers outside the official mobile series of their country.',
  }),
  category: word(categories, {
    get: 'category',
    description:
      'What the message is for people who have opted out of some: `essential`, `notification` or `marketing`. Default: that of the account.',
  }),
} as const;

export interface Substitution {
  readonly to: string;
  readonly subst: Readonly<Record<string, string>>;
}

/** The request of a call that sends, through whatever path it came. */
export type SendRequest = Input<typeof sendParameters> & {
  readonly to: readonly string[];
  readonly tosubst: readonly Substitution[];
  /** Recipients from the address book. */
  readonly addressBook?: Selection | undefined;
  /** Where changes of the messages are posted. Only our own path takes it. */
  readonly callbackurl?: string | undefined;
};

const defaults = Object.fromEntries(
  Object.entries(sendParameters).map(([name, { absent }]) => [name, absent]),
) as Input<typeof sendParameters>;

/** A call that omits everything, so that each parameter has its default. */
export const plainRequest: SendRequest = { to: [], tosubst: [], ...defaults };

const subst = (holder: string) =>
  text({ maxLength: maxTextLength, description: `The text that replaces \`${holder}\`.` });
const holder = () => text({ maxLength: maxLabelLength, description: 'A label in the message.' });

/** `holder1` and `subst1` to `holder5` and `subst5`: a label and the text that replaces it. */
export const holderParameters = {
  holder1: holder(),
  subst1: subst('holder1'),
  holder2: holder(),
  subst2: subst('holder2'),
  holder3: holder(),
  subst3: subst('holder3'),
  holder4: holder(),
  subst4: subst('holder4'),
  holder5: holder(),
  subst5: subst('holder5'),
} as const;

type Holders = Readonly<Record<keyof typeof holderParameters, string | undefined>>;

/** The pairs as a substitution; undefined when no label is given. */
export function substitutionOf(holders: Holders): Readonly<Record<string, string>> | undefined {
  const pairs = [
    [holders.holder1, holders.subst1],
    [holders.holder2, holders.subst2],
    [holders.holder3, holders.subst3],
    [holders.holder4, holders.subst4],
    [holders.holder5, holders.subst5],
  ] as const;
  const given = pairs.flatMap(([holder, text]) =>
    holder === undefined ? [] : [[holder, text ?? ''] as const],
  );
  return given.length === 0 ? undefined : firstOfEach(given);
}

/** The limit on numbers and texts together; a URL has no room for more. */
const maxUrlItems = 65_536;
const items = { name: 'TS', kind: 'positional', maxItems: maxUrlItems, maxLength: maxTextLength } as const;
/** A label that is too long is reported by the rule for labels. */
const labels = { name: 'H', kind: 'texts', maxItems: maxLabels, maxLength: standardMaxLength } as const;

function listSchema({ maxItems, maxLength }: UrlList) {
  return Type.Array(Type.String({ maxLength }), { maxItems });
}

/** Recipients with their own texts, as a list of objects in JSON or as the pair `TS` and `H` in a URL (API: /send). */
export const substitutions = objectList({
  description:
    'Recipients with texts of their own. Each label in the message is replaced with its text wherever it occurs, in a single pass.',
  itemName: 'RecipientWithSubstitutions',
  maxItems: maxRecipients,
  fields: {
    to: text({ required: true, description: 'The phone number.' }),
    subst: textMap({
      description: `Texts by label; a label has at most ${maxLabelLength} characters.`,
      default: {},
      maxItems: maxLabels,
      maxLength: maxTextLength,
    }),
  },
  url: {
    names: [
      {
        name: items.name,
        list: true,
        schema: listSchema(items),
        note: 'For each recipient the number and then one text for each label of `H`, separated by commas.',
      },
      {
        name: labels.name,
        list: true,
        schema: listSchema({ ...labels, maxLength: maxLabelLength }),
        note: `The labels, separated by commas, each of at most ${maxLabelLength} characters.`,
      },
    ],
    decode: fromUrl,
  },
});

function fromUrl(values: UrlValues, faults: Faults): readonly Substitution[] | undefined {
  const rawItems = values.get('TS') ?? '';
  if (rawItems === '') return undefined;
  const given = listFromUrl(rawItems, items, faults);
  const holders = listFromUrl(values.get('H') ?? '', labels, faults) ?? [];
  if (given === undefined) return undefined;
  for (const label of holders) {
    const fault = faultOfLabel(label);
    if (fault === undefined) continue;
    faults.addFault('H', fault);
    return undefined;
  }
  const width = holders.length + 1;
  if (given.length % width !== 0) {
    faults.add(
      'TS',
      'invalid_value',
      `must have ${width} items for each recipient (the number and ${holders.length} texts, one for each label of \`H\`), but has ${given.length} in all.`,
    );
    return undefined;
  }
  const entries: Substitution[] = [];
  for (let start = 0; start < given.length; start += width) {
    const subst = holders.map((label, index) => [label, given[start + 1 + index] ?? ''] as const);
    entries.push({ to: given[start] ?? '', subst: firstOfEach(subst) });
  }
  return entries;
}

/** A repeated label has its first text. The object has no prototype, so that `__proto__` is a label like any other. */
function firstOfEach(pairs: readonly (readonly [string, string])[]): Substitution['subst'] {
  const subst: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [label, value] of pairs) subst[label] ??= value;
  return subst;
}
