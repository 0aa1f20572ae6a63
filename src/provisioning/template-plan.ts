/** The templates of a company in a provisioning file. */
import { longestText } from '../wire/sms/segments.ts';
import { faultOfLabel, maxLabelLength } from '../wire/sms/substitution.ts';
import { parseTemplate } from '../wire/sms/template-text.ts';
import {
  type Fields,
  flag,
  needed,
  object,
  optional,
  plainText,
  type Read,
  text,
  wholeNumber,
} from '../yaml/fields.ts';
import type { Planned } from './planned.ts';

export interface TemplatePlan extends Planned {
  /** The key, within the company. */
  readonly id: number;
  /** For people. */
  readonly name: string;
  readonly text: string;
}

const longestName = 100;

/** Line feeds and tabs are part of a text, which is made safe for phones when it is sent. */
const templateText = text((written) => {
  if (written === '') return { wrong: 'must not be empty' };
  if (written.length > longestText) return { wrong: `must have at most ${longestText} characters` };
  if (/[\0\p{Cs}]/u.test(written)) return { wrong: 'must not hold NUL or half a surrogate pair' };
  // No call could fill it.
  if (parseTemplate(written).placeholders.some((label) => faultOfLabel(label) !== undefined))
    return { wrong: `must not hold a label of more than ${maxLabelLength} characters` };
  return { value: written };
});

const fields = {
  id: needed(wholeNumber(1, 999_999_999_999_999), 0),
  name: optional(text(plainText(longestName)), undefined),
  text: optional(templateText, undefined),
  remove: optional(flag, false),
} satisfies Fields;

const templateFields = object(fields);

/** One that is to go needs its id only. */
export const template: Read<TemplatePlan> = (tree, faults) => {
  const read = templateFields(tree, faults);
  if (read === undefined) return undefined;
  for (const key of ['name', 'text'] as const) {
    if (!(read.remove || key in read.fieldPlaces)) {
      faults.push({ place: read.place, sentence: `needs a key "${key}"` });
    }
  }
  return { ...read, name: read.name ?? '', text: read.text ?? '' };
};
