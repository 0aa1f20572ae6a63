/** The end of a server whose store a newer version has migrated. */
import type { Logger } from 'pino';
import { newerSchema } from '../storage/schema-version.ts';

/**
 * At once, as if it were killed: whatever it still accepted or stored would be what an older version knows of the tables.
 * What it has in flight is in doubt, and the nodes of the newer version see to that.
 */
export function endOutdated(log: Pick<Logger, 'fatal' | 'flush'>): (version: number) => void {
  return (version) => {
    log.fatal({ schema: version }, `${newerSchema(version)} This process ends.`);
    log.flush();
    process.exit(1);
  };
}
