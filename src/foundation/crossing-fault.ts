/** Errors between threads, which otherwise arrive without what makes them ours. */
import { type ErrorCode, type FieldError, ServiceError } from './errors.ts';

/** An error as it crosses threads; without a code it is no fault of the caller. */
export interface CrossingFault {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly errors: readonly FieldError[];
}

export function crossing(error: unknown): CrossingFault {
  if (error instanceof ServiceError) {
    return { code: error.code, message: error.message, stack: undefined, errors: error.errors };
  }
  const { message = String(error), stack } = error as Partial<Error>;
  return { code: undefined, message, stack, errors: [] };
}

export function arrived({ code, message, stack, errors }: CrossingFault): Error {
  if (code !== undefined) return new ServiceError(code, message, { errors });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
