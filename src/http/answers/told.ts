/** The schema of what is told of a fault: in the body of an error, in each of its `errors`, and where answers list faults. */
import Type from 'typebox';
import type { Sentence } from '../../foundation/sentences.ts';

const values = Type.Unsafe<Sentence>({
  title: 'Sentence',
  type: 'object',
  required: ['sentence'],
  properties: { sentence: { type: 'string', description: 'Its name, as `docs/errors.md` lists them.' } },
  additionalProperties: { type: ['string', 'number'] },
  description:
    'The sentence in `error` for programs that say it in another language: its name and what varies in it. Absent where only its code tells what is wrong.',
});

export const told = {
  code: Type.String({ description: 'For programs: one of the codes of `docs/errors.md`.' }),
  error: Type.String({ description: 'A sentence for people, who can act on it.' }),
  values: Type.Optional(values),
};
