/** The rule for names of groups and saved filters, the same as in a provisioning file. */
import { fault, type Result, success } from '../../foundation/result.ts';

const maxNameLength = 100;

export function bookName(written: string): Result<string> {
  const name = written.trim();
  if (name === '') return fault('invalid_value', 'must have a character that is no space.');
  if (name.length > maxNameLength)
    return fault('invalid_value', `must have at most ${maxNameLength} characters, but has ${name.length}.`);
  return /[\p{Cc}\p{Cs}]/u.test(name)
    ? fault('invalid_value', 'must not hold control characters.')
    : success(name);
}
