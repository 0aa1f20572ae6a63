/** The texts of single recipients: a list of objects in JSON, the pair `TS` and `H` in a URL (API: /send). */
import Type from 'typebox';
import type { Faults } from '../http/faults.ts';
import { objectList, textMap } from '../http/list-parameters.ts';
import type { UrlValues } from '../http/parameter.ts';
import { text } from '../http/parameter-kinds.ts';
import { listFromUrl } from '../http/url-values.ts';
import { faultOfLabel, maxLabelLength } from '../wire/substitution.ts';
import type { Substitution } from './prepare.ts';

const texts = Type.Array(Type.String());

export const substitutions = objectList({
  description:
    'Recipients with texts of their own. Each label in the message is replaced by its text, wherever its exact characters stand, in one pass over the message.',
  fields: {
    to: text({ required: true, description: 'The phone number.' }),
    subst: textMap({
      description: `Text by label. A label has at most ${maxLabelLength} characters.`,
      default: {},
    }),
  },
  url: {
    names: [
      {
        name: 'TS',
        list: true,
        schema: texts,
        note: 'For each recipient the number and then one text for each label of `H`, separated by commas.',
      },
      {
        name: 'H',
        list: true,
        schema: texts,
        note: `The labels, separated by commas, each of at most ${maxLabelLength} characters.`,
      },
    ],
    decode: fromUrl,
  },
});

function fromUrl(values: UrlValues, faults: Faults): readonly Substitution[] | undefined {
  const rawItems = values.get('TS') ?? '';
  if (rawItems === '') return undefined;
  const items = listFromUrl(rawItems, 'TS', 'positional', faults);
  const labels = listFromUrl(values.get('H') ?? '', 'H', 'texts', faults) ?? [];
  if (items === undefined) return undefined;
  for (const label of labels) {
    const fault = faultOfLabel(label);
    if (fault === undefined) continue;
    faults.addFault('H', fault);
    return undefined;
  }
  const width = labels.length + 1;
  if (items.length % width !== 0) {
    faults.add(
      'TS',
      'invalid_value',
      `must have ${width} items for each recipient (the number and ${labels.length} texts, one for each label of \`H\`), but has ${items.length} in all.`,
    );
    return undefined;
  }
  const entries: Substitution[] = [];
  for (let start = 0; start < items.length; start += width) {
    const subst = labels.map((label, index) => [label, items[start + 1 + index] ?? ''] as const);
    entries.push({ to: items[start] ?? '', subst: firstOfEach(subst) });
  }
  return entries;
}

/** A label that stands twice has its first text. Without a prototype, so that `__proto__` is a label like any other. */
function firstOfEach(pairs: readonly (readonly [string, string])[]): Substitution['subst'] {
  const subst: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [label, value] of pairs) subst[label] ??= value;
  return subst;
}
