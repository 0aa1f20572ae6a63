/** Groups the faults of a file by what causes them, since one decision may correct hundreds of rows. */
import type { Sentence } from '../../foundation/sentences.ts';
import { callingCodeOf } from '../../wire/phone-number.ts';
import type { ContactChange } from '../contact.ts';
import type { FaultCause, RowFault } from '../csv.ts';

export interface CauseOfFaults {
  readonly cause: FaultCause;
  /** The number of rows. */
  readonly count: number;
  /** The first of these rows, by line. */
  readonly lines: readonly number[];
  /** The fault of the first row; completes a sentence that starts with the line. */
  readonly said: Sentence;
  /** The code that most of the file's other numbers begin with, if numbers lack one. */
  readonly countryCode?: string | undefined;
}

const maxLines = 5;

export class FaultCauses {
  readonly #causes = new Map<FaultCause, { count: number; lines: number[]; said: Sentence }>();
  readonly #codes = new Map<string, number>();

  addRow(line: number, faults: readonly RowFault[]): void {
    const ofRow = new Set<FaultCause>();
    for (const { cause, said } of faults) {
      if (ofRow.has(cause)) continue;
      ofRow.add(cause);
      const known = this.#causes.get(cause) ?? { count: 0, lines: [], said };
      this.#causes.set(cause, known);
      known.count += 1;
      if (known.lines.length < maxLines) known.lines.push(line);
    }
  }

  addNumber({ phone }: ContactChange): void {
    if (phone === undefined || phone === '') return;
    const code = callingCodeOf(phone);
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
  }

  /** The commonest causes come first. */
  result(): readonly CauseOfFaults[] {
    const [usual] = [...this.#codes].sort(([, one], [, other]) => other - one)[0] ?? [];
    return [...this.#causes]
      .map(([cause, found]) => ({
        cause,
        ...found,
        ...(cause === 'countryCode' && { countryCode: usual }),
      }))
      .sort((one, other) => other.count - one.count);
  }
}
