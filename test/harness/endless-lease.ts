/** A lease for a holder that shares with no one. */
import { SharedLease } from '../../src/foundation/shared-lease.ts';

export function endlessLease(): SharedLease {
  const lease = new SharedLease();
  lease.hold({ elapsed: 0, time: 0 }, Number.POSITIVE_INFINITY);
  return lease;
}
