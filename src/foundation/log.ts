/** The one log: a line of JSON each, to standard error, never with message texts, bodies or credentials. */
import { type LogFn, type Logger, levels, pino } from 'pino';
import { NonBlockingOutput } from './non-blocking-output.ts';
import { printable } from './printable.ts';
import { RepeatedLines } from './repeated-lines.ts';

export interface OpenLog {
  /** `flush` also tells the repeated lines that were only counted so far. */
  readonly log: Logger;
  /** How many lines could not be written so far. */
  readonly lostLines: () => number;
}

const serializers = { error: toldError, err: toldError };
const unchanged = (told: unknown) => told;
const alreadyTold = { error: unchanged, err: unchanged };

export function openLog(level: string, output: NonBlockingOutput = new NonBlockingOutput(tellLost)): OpenLog {
  const repeated = new RepeatedLines<Line>(({ log, write, message }, fields) =>
    write.apply(log.child({}, { serializers: alreadyTold }), [fields, message]),
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
        // Whoever looks at the log does so on a terminal.
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

/** What went well is told each time, and security events are counted before they come here. */
function isCounted(number: number, { fields }: Line): boolean {
  return number >= (levels.values.warn as number) && !('event' in fields);
}

/** What lines that say the same have in common, with errors as they are told, but for their stacks. */
function sameFields(fields: object): object {
  const same = Object.entries(fields).filter(([name]) => name !== 'requestId');
  return Object.fromEntries(
    same.map(([name, value]) => [
      name,
      value instanceof Error || name in serializers ? withoutStack(toldError(value)) : value,
    ]),
  );
}

function withoutStack(told: ToldError | string | undefined): ToldError | string | undefined {
  if (typeof told !== 'object') return told;
  const { stack, cause, ...short } = told;
  return { ...short, cause: withoutStack(cause) };
}

const maxCauses = 3;

interface ToldError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  /** Where it came from, without the message. */
  readonly stack?: string;
  readonly cause?: ToldError | string | undefined;
}

/**
 * What is known to be no data: further fields of an error may hold rows of the store (`detail` of PostgreSQL's), and so
 * do messages that quote what could not be read.
 */
export function toldError(thrown: unknown, depth = 0): ToldError | string | undefined {
  if (thrown === undefined || depth > maxCauses) return undefined;
  // A sentence of our own.
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error))
    return { type: typeof thrown, message: 'something that is no error was thrown' };
  const { code } = thrown as { code?: unknown };
  return {
    type: thrown.name,
    message: withoutData(thrown),
    ...(code === undefined ? {} : { code }),
    stack: (thrown.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
    cause: toldError(thrown.cause, depth + 1),
  };
}

/** SQLSTATE class 22 is about data. */
const dataFault = /^22[0-9A-Z]{3}$/;

function withoutData({ name, message, ...rest }: Error & { readonly code?: unknown }): string {
  if (name === 'SyntaxError') return withoutQuoted(message, ['"', "'", '“'], ['"', "'", '”']);
  return dataFault.test(String(rest.code)) ? withoutQuoted(message, ['"'], ['"']) : message;
}

/** From the first sign that opens to the last that closes. */
function withoutQuoted(message: string, opening: readonly string[], closing: readonly string[]): string {
  const starts = opening.map((sign) => message.indexOf(sign)).filter((start) => start !== -1);
  const start = Math.min(...starts);
  const end = Math.max(...closing.map((sign) => message.lastIndexOf(sign)));
  return end <= start ? message : `${message.slice(0, start)}(left out)${message.slice(end + 1)}`;
}
