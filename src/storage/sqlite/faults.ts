/** Classifies SQLite errors by their meaning for the calls they end, and passes them between threads. */

export interface CrossingError {
  readonly message: string;
  readonly stack: string | undefined;
  readonly fault: FaultKind;
}

/**
 * `own`: the statement or verb is at fault. `unavailable`: the disk or a lock is at fault, and nothing was kept.
 * `outcomeUnknown`: the disk failed during the commit. `damaged`: the file has corrupted pages.
 */
export type FaultKind = 'own' | 'unavailable' | 'outcomeUnknown' | 'damaged';

/** Primary result codes of SQLite (sqlite.org/rescode) that mean the store, not the statement, is at fault. */
const unavailableCodes = new Map([
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
]);

/** CORRUPT and NOTADB. */
const damagedCodes = new Set([11, 26]);

const busy = 5;
const ioError = 10;

/** Codes that leave the connection intact. BUSY, LOCKED and FULL end as soon as the lock is free or there is room. */
const harmlessCodes = new Set([5, 6, 13]);

/**
 * The disk failed while making a transaction durable. The whole transaction may be in the write-ahead log. SQLite
 * forgets the transaction, but the next start after a crash would find it there, unless it has been overwritten
 * meanwhile. Other codes leave no doubt: without room (FULL), the last frame, which holds the commit mark, is
 * incomplete.
 */
export class CommitInDoubt extends Error {
  override readonly name = 'CommitInDoubt';
}

function primaryCode(error: unknown): number {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : -1;
}

function isUnavailable(error: unknown, message: string): boolean {
  return (
    unavailableCodes.has(primaryCode(error)) ||
    /disk I\/O error|database or disk is full|readonly database|unable to open|database is locked/.test(
      message,
    )
  );
}

/** Recognises even an error that lost its code on the way from another thread. */
export function isDamaged(error: unknown): boolean {
  const { message } = error as Error;
  return (
    damagedCodes.has(primaryCode(error)) || /disk image is malformed|file is not a database/.test(message)
  );
}

export function crossing(error: unknown): CrossingError {
  const cause = error as { message?: string; stack?: string };
  const message = String(cause.message ?? error);
  const inDoubt = error instanceof CommitInDoubt;
  const fault = inDoubt ? 'outcomeUnknown' : faultOf(error, message);
  return { message, stack: cause.stack, fault };
}

function faultOf(error: unknown, message: string): FaultKind {
  if (isDamaged(error)) return 'damaged';
  return isUnavailable(error, message) ? 'unavailable' : 'own';
}

export function isHarmless(error: unknown): boolean {
  return harmlessCodes.has(primaryCode(error));
}

/** Another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busy || (error as Error).message.includes('database is locked');
}

export function isIoError(error: unknown): boolean {
  return primaryCode(error) === ioError || (error as Error).message.includes('disk I/O error');
}
