/** Phone numbers in groups that can be read and read out. */
import { groupedNumber } from '../words/numbers.ts';
import styles from './phone-number.module.css';

export function PhoneNumber({ number }: { readonly number: string }) {
  return (
    <span className={styles.number} data-number={number}>
      {groupedNumber(number)}
    </span>
  );
}
