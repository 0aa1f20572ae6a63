/**
 * Logs an operator command's changes in the server that accepts commands for this data folder. Without such a server there is
 * no log, only the command's own output.
 */

import { command } from '../app/control.ts';
import type { OperatorEvent } from '../app/operator-commands.ts';
import type { Config } from '../config/config.ts';
import { machineAccount } from './machine-account.ts';

export async function tellServer(config: Pick<Config, 'dataFolder'>, event: OperatorEvent): Promise<void> {
  const by = `by ${machineAccount()}`;
  const object = event.object === undefined ? by : `${event.object}, ${by}`;
  await command(config.dataFolder, 'record-event', { ...event, object }).catch(() => {
    // No server listens, or only one of an earlier version; the change has been made anyway.
  });
}
