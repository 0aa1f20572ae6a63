/** The parameter by which a link chooses the language of its answer, since a link cannot set `Accept-Language`. */
import { type Language, languages } from '../../foundation/language.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { text } from './kinds.ts';
import { ruled } from './parameter.ts';

export const languageParameter = ruled(
  text({
    get: 'language',
    maxLength: 10,
    description: 'Language of sentences: `en` or `sv`; default: that of `Accept-Language`.',
  }),
  (given): Result<Language> => {
    const known = languages.find((one) => one === given);
    return known === undefined
      ? fault('invalid_value', { sentence: 'not_one_of', given: quoted(given), words: languages.join(', ') })
      : success(known);
  },
);
