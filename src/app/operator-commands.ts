/**
 * The operator's commands that a running server carries out, because only the server can, or because its log must
 * record them.
 */

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

/** Serves these commands and API calls until the server stops. */
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
          'There is no simulator carrier. Add one to the provisioning file (type: simulator).',
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

/** The events that are written to the server's log. */
const names = [
  ...[
    'operator_command',
    'password_set',
    'link_made',
    'factor_removed',
    'key_revoked',
    'key_enabled',
    'key_expiry_set',
    'key_limits_set',
  ],
] as const;

export interface OperatorEvent extends Pick<SecurityEvent, 'username' | 'object'> {
  readonly event: (typeof names)[number];
}

function recordOperatorEvent(security: SecurityEvents, input: unknown): object {
  const { event, username, object } = Object(input) as Record<string, unknown>;
  const name = names.find((known) => known === event);
  const areTexts = [username, object].every((text) => text === undefined || typeof text === 'string');
  if (name === undefined || !areTexts)
    throw new ServiceError('bad_request', 'This is not an operator event.');
  security.record({
    event: name,
    username: username as string | undefined,
    object: object as string | undefined,
  });
  return {};
}
