/**
 * What an operator's command has changed stands in the log of the server that takes commands on this data folder. Where
 * none does there is no log, and the command has its own output only.
 */

import { command } from '../app/control.ts';
import type { OperatorEvent } from '../app/operator-commands.ts';
import type { Config } from '../config/config.ts';
import { machineAccount } from './machine-account.ts';

export async function tellServer(config: Pick<Config, 'dataFolder'>, event: OperatorEvent): Promise<void> {
  const by = `by ${machineAccount()}`;
  const object = event.object === undefined ? by : `${event.object}, ${by}`;
  await command(config.dataFolder, 'record-event', { ...event, object }).catch(() => {
    // Nobody listens, or one of an earlier version: what was changed is changed.
  });
}
