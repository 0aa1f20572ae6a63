/** The schema of what is told of a fault: in the body of an error, in each of its `errors`, and where answers list faults. */
import Type from 'typebox';
import type { Sentence } from '../../foundation/sentences.ts';

const values = Type.Unsafe<Sentence>({
  title: 'Sentence',
  type: 'object',
  required: ['sentence'],
  properties: {
    sentence: {
      type: 'string',
      description: 'Its name in `docs/errors.md`. Other fields are what varies in it.',
    },
  },
  additionalProperties: { type: ['string', 'number'] },
});

export const told = {
  code: Type.String({ description: 'For programs: one of the codes of `docs/errors.md`.' }),
  error: Type.String({ description: 'A sentence for people, who can act on it.' }),
  values: Type.Optional(values),
};
