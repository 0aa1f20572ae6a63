/** The one log: a line of JSON each, to standard error, never with message texts, bodies or credentials. */
import { type Logger, pino } from 'pino';
import { printable } from './printable.ts';

export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: toldError, err: toldError },
      // Whoever looks at the log does so on a terminal.
      hooks: { streamWrite: (line) => `${printable(line.slice(0, -1))}\n` },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

const mostCauses = 3;

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
  if (thrown === undefined || depth > mostCauses) return undefined;
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
