/** Reads the words by which a URL says yes and no (API: Conventions, boolean GET values). */

import { fault, quoted, type Result, success } from '../foundation/result.ts';

export function parseBooleanWord(text: string): Result<boolean> {
  // Lower case rather than upper: upper-casing would turn characters such as "ſ" into ASCII letters.
  switch (text.toLowerCase()) {
    case 't':
    case 'true':
    case 'y':
    case 'yes':
      return success(true);
    case 'f':
    case 'false':
    case 'n':
    case 'no':
      return success(false);
    default:
      return fault(
        'invalid_value',
        `${quoted(text)} is neither true (T, TRUE, Y, YES) nor false (F, FALSE, N, NO).`,
      );
  }
}
