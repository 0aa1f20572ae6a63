/** In which language a call is told of messages in sentences. */
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { text } from '../../http/parameters/kinds.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { type Language, languages } from './explanation.ts';

export const languageParameter = ruled(
  text({
    get: 'language',
    maxLength: 10,
    description: '`en` or `sv`: of what is told in sentences; English unless told.',
  }),
  (given): Result<Language> => {
    const known = languages.find((one) => one === given);
    return known === undefined
      ? fault('invalid_value', `${quoted(given)} is none of the languages ${languages.join(', ')}.`)
      : success(known);
  },
);
