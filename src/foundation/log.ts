/** The only log: one JSON object per line, on standard error, never with message texts, bodies or credentials. */
import { type LogFn, type Logger, levels, pino } from 'pino';
import { NonBlockingOutput } from './non-blocking-output.ts';
import { printable } from './terminal.ts';

export interface OpenLog {
  /** `flush` also logs repeated lines that were only counted so far. */
  readonly log: Logger;
  /** How many lines could not be written so far. */
  readonly lostLines: () => number;
}

const serializers = { error: serializeError, err: serializeError };
const unchanged = (value: unknown) => value;
const alreadySerialized = { error: unchanged, err: unchanged };

export function openLog(level: string, output: NonBlockingOutput = new NonBlockingOutput(tellLost)): OpenLog {
  const repeated = new RepeatedLines<Line>(({ log, write, message }, fields) =>
    write.apply(log.child({}, { serializers: alreadySerialized }), [fields, message]),
  );
  const destination = {
    write: (written: string) => output.write(written),
    flush(done: () => void) {
      repeated.flush();
      output.flush();
      done();
    },
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers,
      hooks: {
        logMethod(parameters, write, number) {
          const line = lineOf(this, write, parameters);
          const kind = `${number} ${line.message}`;
          if (!isCounted(number, line) || repeated.isNew(kind, sameFields(line.fields), line))
            write.apply(this, parameters);
        },
        // On a terminal a person reads the log.
        streamWrite: (written) => `${printable(written.slice(0, -1))}\n`,
      },
    },
    destination,
  );
  return { log, lostLines: () => output.lostLines };
}

function tellLost(lostLines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lostLines, msg: 'lines of the log could not be written' })}\n`;
}

interface Line {
  readonly log: Logger;
  readonly write: LogFn;
  readonly fields: object;
  readonly message: string;
}

function lineOf(log: Logger, write: LogFn, [first, second]: readonly unknown[]): Line {
  return typeof first === 'string'
    ? { log, write, fields: {}, message: first }
    : { log, write, fields: Object(first), message: String(second) };
}

/** Successes are logged each time, and security events are counted before they get here. */
function isCounted(number: number, { fields }: Line): boolean {
  return number >= (levels.values.warn as number) && !('event' in fields);
}

/** The fields by which lines count as repeated, with errors as logged but without their stacks. */
function sameFields(fields: object): object {
  const same = Object.entries(fields).filter(([name]) => name !== 'requestId');
  return Object.fromEntries(
    same.map(([name, value]) => [
      name,
      value instanceof Error || name in serializers ? withoutStack(serializeError(value)) : value,
    ]),
  );
}

function withoutStack(error: SerializedError | string | undefined): SerializedError | string | undefined {
  if (typeof error !== 'object') return error;
  const { stack, cause, ...short } = error;
  return { ...short, cause: withoutStack(cause) };
}

const maxCauses = 3;

interface SerializedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  /** The stack without the message. */
  readonly stack?: string;
  readonly cause?: SerializedError | string | undefined;
}

/**
 * Logs only what is known not to be data: other fields of an error may hold rows of the store (PostgreSQL's `detail`), and so
 * may messages that quote unreadable input.
 */
export function serializeError(thrown: unknown, depth = 0): SerializedError | string | undefined {
  if (thrown === undefined || depth > maxCauses) return undefined;
  // A string is a sentence of our own.
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error))
    return { type: typeof thrown, message: 'something that is not an error was thrown' };
  const { code } = thrown as { code?: unknown };
  return {
    type: thrown.name,
    message: withoutData(thrown),
    ...(code === undefined ? {} : { code }),
    stack: (thrown.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
    cause: serializeError(thrown.cause, depth + 1),
  };
}

/** SQLSTATE class 22 means data errors. */
const dataFault = /^22[0-9A-Z]{3}$/;

function withoutData({ name, message, ...rest }: Error & { readonly code?: unknown }): string {
  if (name === 'SyntaxError') return withoutQuoted(message, ['"', "'", '“'], ['"', "'", '”']);
  return dataFault.test(String(rest.code)) ? withoutQuoted(message, ['"'], ['"']) : message;
}

/** Removes everything from the first opening to the last closing character. */
function withoutQuoted(message: string, opening: readonly string[], closing: readonly string[]): string {
  const starts = opening.map((sign) => message.indexOf(sign)).filter((start) => start !== -1);
  const start = Math.min(...starts);
  const end = Math.max(...closing.map((sign) => message.lastIndexOf(sign)));
  return end <= start ? message : `${message.slice(0, start)}(left out)${message.slice(end + 1)}`;
}

const windowMs = 60_000;
/** At most this many different lines of one kind are logged in a window; the rest are counted together. */
const maxDifferent = 30;

interface Repeated {
  readonly fields: object;
  repeats: number;
}

/** The lines of one kind within a minute. */
interface Window<Line> {
  readonly first: Line;
  readonly seen: Map<string, Repeated>;
  /** The number of different lines beyond those logged. */
  others: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keeps repeated log lines few: the first is written, its repetitions within a minute are counted, and one line at the end
 * reports the count. Only a limited number of different lines of each kind is written per minute, and the rest are reported
 * as a count.
 */
export class RepeatedLines<Line> {
  readonly #write: (line: Line, fields: object) => void;
  readonly #windows = new Map<string, Window<Line>>();

  /** `write` receives what is logged at the end of a window: the first line of its kind, and the fields to log. */
  constructor(write: (line: Line, fields: object) => void) {
    this.#write = write;
  }

  /** Whether a line is to be written. Lines of one kind with the same fields are repetitions. */
  isNew(kind: string, fields: object, line: Line): boolean {
    const window = this.#windows.get(kind) ?? this.#begin(kind, line);
    const key = keyOf(fields);
    const seen = window.seen.get(key);
    if (seen !== undefined) seen.repeats += 1;
    else if (window.seen.size >= maxDifferent) window.others += 1;
    else window.seen.set(key, { fields, repeats: 0 });
    return seen === undefined && window.seen.has(key);
  }

  /** Logs what was only counted so far. */
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

/** Fields that JSON cannot represent (cyclic, or with a BigInt) all count as the same: writing the log never throws. */
function keyOf(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    return '';
  }
}
