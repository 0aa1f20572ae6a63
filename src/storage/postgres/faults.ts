/** Classifies errors of PostgreSQL or its client: either the server cannot serve now, or the statement is at fault. */
import { ServiceError } from '../../foundation/errors.ts';
import { StoreDamaged, storeUnavailable } from '../store.ts';

/** SQLSTATE classes (PostgreSQL, appendix A) for a server that can't serve: connection, resources, operator, system. */
const unavailableClasses = new Set(['08', '53', '57', '58']);
/** A lock not granted in time, a read-only database, a transaction that was idle for too long. */
const unavailableStates = new Set(['55P03', '25006', '25P03']);
/** Corrupted data or a corrupted index. */
const damagedStates = new Set(['XX001', 'XX002']);
/** A deadlock or serialization failure, which goes away when the transaction is repeated. */
const repeatableStates = new Set(['40P01', '40001']);

function sqlState(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

export function isRepeatable(error: unknown): boolean {
  return repeatableStates.has(sqlState(error));
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'store_unavailable';
  const state = sqlState(error);
  // Socket errors (ECONNREFUSED, EPIPE, …) have system error codes. Client errors have none.
  if (/^E[A-Z_]+$/.test(state)) return true;
  if (state.length === 5) return unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state);
  return /Connection terminated|timeout exceeded|read timeout|not queryable/.test((error as Error).message);
}

/** Converts the error to the form that callers of the store know. */
export function asStoreError(error: unknown): unknown {
  if (damagedStates.has(sqlState(error))) return new StoreDamaged(error as Error);
  return isUnavailable(error) ? storeUnavailable(error) : error;
}
