/** Phone numbers in groups that can be read and read out. */
import { groupedNumber } from '../words/numbers.ts';

export function PhoneNumber({ number }: { readonly number: string }) {
  return <span data-number={number}>{groupedNumber(number)}</span>;
}
