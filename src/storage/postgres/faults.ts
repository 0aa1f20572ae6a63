/** What an error of PostgreSQL or of its client says: the server cannot serve now, or the statement is at fault. */
import { ServiceError } from '../../foundation/errors.ts';
import { StoreDamaged } from '../damage.ts';
import { storeUnavailable } from '../store.ts';

/** SQLSTATE classes (PostgreSQL, appendix A) of a server that can't serve: connection, resources, operator, system. */
const unavailableClasses = new Set(['08', '53', '57', '58']);
/** A lock not given in time, a database that takes no writes, a transaction that said nothing for too long. */
const unavailableStates = new Set(['55P03', '25006', '25P03']);
/** Data or an index that is corrupted. */
const damagedStates = new Set(['XX001', 'XX002']);
/** A deadlock or a serialization failure ends by trying again. */
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
  // Errors of the socket (ECONNREFUSED, EPIPE, …) have codes of their own, those of the client have none.
  if (/^E[A-Z_]+$/.test(state)) return true;
  if (state.length === 5) return unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state);
  return /Connection terminated|timeout exceeded|not queryable/.test((error as Error).message);
}

/** The error as the callers of the store know it. */
export function told(error: unknown): unknown {
  if (damagedStates.has(sqlState(error))) return new StoreDamaged(error as Error);
  return isUnavailable(error) ? storeUnavailable(error) : error;
}
