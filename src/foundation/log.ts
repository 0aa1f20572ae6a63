/** The one log: a line of JSON each, to standard error, never with message texts, bodies or credentials. */
import { type Logger, pino, stdSerializers } from 'pino';

export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.err, err: stdSerializers.err },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
