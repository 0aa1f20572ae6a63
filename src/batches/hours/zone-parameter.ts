/** The parameter for a time zone, kept apart from zones themselves, which need no endpoint. */
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { text } from '../../http/parameters/kinds.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { isTimeZone } from './send-window.ts';

export const timeZone = (description: string) =>
  ruled(
    text({ maxLength: 60, description }),
    (given): Result<string> =>
      isTimeZone(given)
        ? success(given)
        : fault('invalid_value', { sentence: 'unknown_zone', zone: quoted(given) }),
  );
