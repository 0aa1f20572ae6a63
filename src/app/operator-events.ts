/** What commands of the operator tell a running server, to stand in its log. */
import { ServiceError } from '../foundation/errors.ts';
import type { SecurityEvent, SecurityEvents } from '../foundation/security-log.ts';

const names = [
  ...['operator_command', 'password_set', 'link_made', 'key_revoked', 'key_enabled', 'key_expiry_set'],
] as const;

export interface OperatorEvent extends Pick<SecurityEvent, 'username' | 'object'> {
  readonly event: (typeof names)[number];
}

export function recordOperatorEvent(security: SecurityEvents, input: unknown): object {
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
