/** What commands of the operator have the running server do: what it alone can, or what is to stand in its log. */

import type { IncomingSms } from '../carriers/carrier.ts';
import { Simulator } from '../carriers/simulator.ts';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { SecurityEvent, SecurityEvents } from '../foundation/security-log.ts';
import type { Delivery } from '../messages/delivery/delivery.ts';
import { type Commands, openControl } from './control.ts';
import { type OperatorApiNeeds, operatorApi } from './operator-api.ts';
import type { StopStack } from './stop-stack.ts';

interface SimulatedIncoming extends Pick<IncomingSms, 'text' | 'concatenation'> {
  readonly to: string;
  readonly from: string;
}

interface OperatorNeeds extends OperatorApiNeeds {
  readonly delivery: Delivery;
}

/** Takes these commands, and calls of the API, until the server stops. */
export async function openOperatorSocket(
  config: Config,
  { delivery, ...needs }: OperatorNeeds,
  stack: StopStack,
): Promise<void> {
  const { security, log } = needs;
  const commands: Commands = {
    'record-event': async (input) => recordOperatorEvent(security, input),
    async 'simulate-incoming'(input) {
      const { to, from, ...sms } = input as SimulatedIncoming;
      const simulator = delivery.carriers.find((carrier) => carrier instanceof Simulator);
      if (simulator === undefined) {
        throw new ServiceError(
          'not_found',
          'There is no simulator carrier: add one to the provisioning file (type: simulator).',
        );
      }
      return simulator.originate({ recipient: to, sender: from, ...sms });
    },
  };
  const { api, stop } = operatorApi(config, needs);
  const control = await openControl(config.dataFolder, { commands, api }, log);
  stack.push(() => control.close());
  stack.push(stop);
}

/** What stands in the log of the server. */
const names = [
  ...['operator_command', 'password_set', 'link_made', 'key_revoked', 'key_enabled', 'key_expiry_set'],
] as const;

export interface OperatorEvent extends Pick<SecurityEvent, 'username' | 'object'> {
  readonly event: (typeof names)[number];
}

function recordOperatorEvent(security: SecurityEvents, input: unknown): object {
  const { event, username, object } = Object(input) as Record<string, unknown>;
  const name = names.find((known) => known === event);
  const areTexts = [username, object].every((text) => text === undefined || typeof text === 'string');
  if (name === undefined || !areTexts)
    throw new ServiceError('bad_request', 'It is no event of an operator.');
  security.record({
    event: name,
    username: username as string | undefined,
    object: object as string | undefined,
  });
  return {};
}
