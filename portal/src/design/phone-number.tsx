/** Phone numbers in groups that are easy to read, even aloud. */
import { groupedNumber } from '../words/numbers.ts';

export function PhoneNumber({ number }: { readonly number: string }) {
  return <span data-number={number}>{groupedNumber(number)}</span>;
}
