/** The texts of single recipients: a list of objects in JSON, the pair `TS` and `H` in a URL (API: /send). */
import Type from 'typebox';
import { standardMaxLength } from '../../http/parameters/bounds.ts';
import type { Faults } from '../../http/parameters/faults.ts';
import { text } from '../../http/parameters/kinds.ts';
import { objectList, textMap } from '../../http/parameters/lists.ts';
import type { UrlValues } from '../../http/parameters/parameter.ts';
import { listFromUrl, type UrlList } from '../../http/parameters/url-values.ts';
import { faultOfLabel, maxLabelLength, maxLabels, maxTextLength } from '../../wire/sms/substitution.ts';
import { maxRecipients, type Substitution } from './prepare.ts';

/** Numbers and texts together; a URL has no room for more. */
const maxUrlItems = 65_536;
const items = { name: 'TS', kind: 'positional', maxItems: maxUrlItems, maxLength: maxTextLength } as const;
/** A longer label is told by the rule of labels. */
const labels = { name: 'H', kind: 'texts', maxItems: maxLabels, maxLength: standardMaxLength } as const;

function listSchema({ maxItems, maxLength }: UrlList) {
  return Type.Array(Type.String({ maxLength }), { maxItems });
}

export const substitutions = objectList({
  description:
    'Recipients with texts of their own. Each label in the message is replaced by its text, wherever its exact characters stand, in one pass over the message.',
  itemName: 'RecipientWithSubstitutions',
  maxItems: maxRecipients,
  fields: {
    to: text({ required: true, description: 'The phone number.' }),
    subst: textMap({
      description: `Text by label. A label has at most ${maxLabelLength} characters.`,
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

/** A label that stands twice has its first text. Without a prototype, so that `__proto__` is a label like any other. */
function firstOfEach(pairs: readonly (readonly [string, string])[]): Substitution['subst'] {
  const subst: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [label, value] of pairs) subst[label] ??= value;
  return subst;
}
