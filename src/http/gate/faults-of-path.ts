/** What is answered where a path leads nowhere, or not by this method. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../foundation/errors.ts';

export function pathNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is nothing under this path. /docs shows every call of this service.',
  );
}

export function methodNotAllowed(
  { method }: Pick<IncomingMessage, 'method'>,
  methods: Iterable<string>,
): ServiceError {
  const allow = [...methods].join(', ');
  return new ServiceError('method_not_allowed', `This path does not take ${method}. It takes ${allow}.`, {
    headers: { allow },
  });
}
