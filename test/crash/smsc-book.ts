/** The file of the trial's SMSC: what it accepted, which receipts it sent and which were answered, across its restarts. */
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';

export interface Submission {
  /** Counts from 1, across restarts. */
  readonly number: number;
  /** Hexadecimal, with a letter, so that its decimal form can't be taken for another such id. */
  readonly id: string;
  readonly to: string;
  readonly part: number;
  readonly reference: number;
  readonly text: string;
  readonly wantsReceipt: boolean;
  readonly systemId: string;
}

const firstId = 0xab00000000n;

export class SmscBook {
  readonly submissions: Submission[] = [];
  /** How often the receipt of each id was sent. */
  readonly receipts = new Map<string, number>();
  readonly answered = new Set<string>();
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    for (const line of text.split('\n')) this.#read(line);
  }

  take(submission: Omit<Submission, 'number' | 'id'>): Submission {
    const number = this.submissions.length + 1;
    const taken = { number, id: (firstId + BigInt(number)).toString(16), ...submission };
    this.#write(`taken ${JSON.stringify(taken)}`);
    this.submissions.push(taken);
    return taken;
  }

  note(what: 'receipt' | 'answered', id: string): void {
    this.#write(`${what} ${id}`);
  }

  /** Based on the contents of the file when it was opened. */
  unanswered(): Submission[] {
    return this.submissions.filter(({ id }) => !this.answered.has(id));
  }

  /** A line begins and ends with a line break, because a kill may have cut off the one before it. */
  #write(line: string): void {
    this.#descriptor ??= openSync(this.#file, 'a');
    writeSync(this.#descriptor, `\n${line} end\n`);
  }

  #read(line: string): void {
    if (!line.endsWith(' end')) return;
    const [what = ''] = line.split(' ', 1);
    const rest = line.slice(what.length + 1, -' end'.length);
    if (what === 'taken') this.submissions.push(JSON.parse(rest) as Submission);
    if (what === 'receipt') this.receipts.set(rest, (this.receipts.get(rest) ?? 0) + 1);
    if (what === 'answered') this.answered.add(rest);
  }
}
