/**
 * Writes lines to standard error without ever blocking or failing the writer. A full disk, or a reader that is gone or has
 * stopped reading, costs lines, never the service. Lost lines are counted, and the count is reported as soon as output
 * is possible again.
 */
import { constants, openSync, writeSync } from 'node:fs';

/** That wait for a reader; what comes beyond is lost. */
const maxWaitingBytes = 1_048_576;
/** Between two tries to write, while a reader does not read, or nothing can be written. */
const retryMs = 250;

interface WaitingLine {
  readonly bytes: Buffer;
  /** One, or as many lost ones as it tells of. */
  readonly lines: number;
  readonly reportsLost: boolean;
}

/** Writes what it can of the bytes, and answers how many those were; throws as `writeSync` does. */
type Write = (bytes: Buffer) => number;

export class NonBlockingOutput {
  readonly #tellLost: (lines: number) => string;
  readonly #write: Write;
  #waiting: WaitingLine[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Not for want of a reader who reads: what comes is lost until the next try succeeds. */
  #isFailing = false;
  /** The output ends in the middle of a line. */
  #isBroken = false;
  #totalLost = 0;
  /** Of which the output does not tell yet. */
  #unreported = 0;

  /** `tellLost` makes the line that tells how many were lost before it. */
  constructor(tellLost: (lines: number) => string, write: Write = standardError()) {
    this.#tellLost = tellLost;
    this.#write = write;
  }

  /** How many lines could not be written so far. */
  get lostLines(): number {
    return this.#totalLost;
  }

  /** A line with its end. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#isFailing || this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#totalLost += 1;
      this.#unreported += 1;
      return;
    }
    this.#wait({ bytes, lines: 1, reportsLost: false });
    if (this.#timer === undefined) this.flush();
  }

  /** Writes what waits, as far as that can be done now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#writeWaiting();
      if (this.#unreported > 0) {
        const line = `${this.#isBroken ? '\n' : ''}${this.#tellLost(this.#unreported)}`;
        this.#wait({ bytes: Buffer.from(line), lines: this.#unreported, reportsLost: true });
        this.#unreported = 0;
        this.#writeWaiting();
      }
      this.#isFailing = false;
    } catch (error) {
      // There is nobody to tell but those who read the count.
      if (!isBusy(error)) this.#lose();
      this.#timer = setTimeout(() => this.flush(), retryMs).unref();
    }
  }

  #wait(entry: WaitingLine): void {
    this.#waiting.push(entry);
    this.#waitingBytes += entry.bytes.length;
  }

  #writeWaiting(): void {
    for (let entry = this.#waiting[0]; entry !== undefined; entry = this.#waiting[0]) {
      const written = this.#write(entry.bytes);
      this.#waitingBytes -= written;
      this.#isBroken = written < entry.bytes.length;
      if (this.#isBroken) this.#waiting[0] = { ...entry, bytes: entry.bytes.subarray(written) };
      else this.#waiting.shift();
    }
  }

  #lose(): void {
    this.#isFailing = true;
    for (const { lines, reportsLost } of this.#waiting) {
      this.#unreported += lines;
      if (!reportsLost) this.#totalLost += lines;
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

/** The reader does not read just now. */
function isBusy(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EINTR';
}

function standardError(): Write {
  const descriptor = nonBlockingDescriptor();
  return (bytes) => writeSync(descriptor, bytes);
}

/** A descriptor of standard error on which no write waits. */
function nonBlockingDescriptor(): number {
  // To ask for the stream has Node open it, and from then on pipes and sockets let nobody wait.
  if (!process.stderr.isTTY) return 2;
  try {
    // A terminal does when a key has stopped it, unless it was opened otherwise.
    return openSync('/dev/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // It belongs to another user, or the system knows no such path: then it is written to as it is.
    return 2;
  }
}
