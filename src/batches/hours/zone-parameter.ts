/** The parameter for a time zone, in a file of its own so that code about zones need not import endpoint parameters. */
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { text } from '../../http/parameters/kinds.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { isTimeZone } from './send-window.ts';

/** `get`: its name in a URL, where it has one. */
export const timeZone = (description: string, get?: string) =>
  ruled(
    text({ maxLength: 60, description, ...(get !== undefined && { get }) }),
    (given): Result<string> =>
      isTimeZone(given)
        ? success(given)
        : fault('invalid_value', { sentence: 'unknown_zone', zone: quoted(given) }),
  );
