/**
 * Keeps lines of the log that say the same again few: the first is written, the others of a minute are counted, and told
 * at its end by one line. Of each kind so many different ones are written a minute, and the rest told as a count.
 */

const windowMs = 60_000;
/** Of one kind in a window; those beyond are counted together. */
const maxDifferent = 30;

interface Repeated {
  readonly fields: object;
  repeats: number;
}

/** Of one kind of line. */
interface Window<Line> {
  readonly first: Line;
  readonly seen: Map<string, Repeated>;
  /** Which were different from those that have a line. */
  others: number;
  readonly timer: NodeJS.Timeout;
}

export class RepeatedLines<Line> {
  readonly #write: (line: Line, fields: object) => void;
  readonly #windows = new Map<string, Window<Line>>();

  /** `write` gets what is told at the end of a window: the first line of its kind, and the fields to tell. */
  constructor(write: (line: Line, fields: object) => void) {
    this.#write = write;
  }

  /** Whether a line is to be written. Lines of a kind with the same fields say the same. */
  isNew(kind: string, fields: object, line: Line): boolean {
    const window = this.#windows.get(kind) ?? this.#begin(kind, line);
    const key = keyOf(fields);
    const seen = window.seen.get(key);
    if (seen !== undefined) seen.repeats += 1;
    else if (window.seen.size >= maxDifferent) window.others += 1;
    else window.seen.set(key, { fields, repeats: 0 });
    return seen === undefined && window.seen.has(key);
  }

  /** Tells what was only counted so far. */
  flush(): void {
    for (const kind of [...this.#windows.keys()]) this.#end(kind);
  }

  #begin(kind: string, first: Line): Window<Line> {
    const timer = setTimeout(() => this.#end(kind), windowMs).unref();
    const window: Window<Line> = { first, seen: new Map(), others: 0, timer };
    this.#windows.set(kind, window);
    return window;
  }

  #end(kind: string): void {
    const window = this.#windows.get(kind);
    if (window === undefined) return;
    this.#windows.delete(kind);
    clearTimeout(window.timer);
    for (const { fields, repeats } of window.seen.values()) {
      if (repeats > 0) this.#write(window.first, { ...fields, repeats });
    }
    if (window.others > 0) this.#write(window.first, { others: window.others });
  }
}

/** Fields that JSON cannot tell (they lead back to themselves, or hold a BigInt) are all the same: a line of the log never throws. */
function keyOf(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    return '';
  }
}
