/**
 * Writes lines to standard error without ever blocking the writer or failing. A full disk, or a reader that is gone or has
 * stopped reading, costs lines but never the service. Lost lines are counted, and the count is reported as soon as output is
 * possible again.
 */
import { constants, openSync, writeSync } from 'node:fs';

/** Bytes that wait for a reader; anything beyond is lost. */
const maxWaitingBytes = 1_048_576;
/** Milliseconds between write attempts while the reader does not read or nothing can be written. */
const retryMs = 250;

interface WaitingLine {
  readonly bytes: Buffer;
  /** One, or for a report of lost lines, the number of lines reported. */
  readonly lines: number;
  readonly reportsLost: boolean;
}

/** Writes as many of the bytes as possible and returns their number; throws like `writeSync`. */
type Write = (bytes: Buffer) => number;

export class NonBlockingOutput {
  readonly #tellLost: (lines: number) => string;
  readonly #write: Write;
  #waiting: WaitingLine[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /**
   * Whether writing fails for a reason other than a reader that does not read; new lines are lost until an attempt succeeds.
   */
  #isFailing = false;
  /** Whether the output ends in the middle of a line. */
  #isBroken = false;
  #totalLost = 0;
  /** Lost lines that the output does not report yet. */
  #unreported = 0;

  /** `tellLost` builds the line that reports how many lines were lost before it. */
  constructor(tellLost: (lines: number) => string, write: Write = standardError()) {
    this.#tellLost = tellLost;
    this.#write = write;
  }

  /** How many lines could not be written so far. */
  get lostLines(): number {
    return this.#totalLost;
  }

  /** Takes a line with its line end. */
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

  /** Writes as much of the waiting output as is possible now. */
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
      // The error cannot be reported except through the count.
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

/** Whether the reader just does not read at the moment. */
function isBusy(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EINTR';
}

function standardError(): Write {
  const descriptor = nonBlockingDescriptor();
  return (bytes) => writeSync(descriptor, bytes);
}

/** A file descriptor of standard error on which no write blocks. */
function nonBlockingDescriptor(): number {
  // Accessing the stream makes Node open it; from then on pipes and sockets do not block.
  if (!process.stderr.isTTY) return 2;
  try {
    // A terminal blocks when a key has stopped it, unless it was opened as non-blocking.
    return openSync('/dev/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // The terminal belongs to another user, or the system has no such path, so the original descriptor is used.
    return 2;
  }
}
