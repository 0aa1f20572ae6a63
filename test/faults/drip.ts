/** Sends a peer's bytes one at a time, in order, even if several responses are due at once. */
import type { SmscSession } from '../carriers/raw-smsc.ts';

/** Sends this many bytes one by one with a pause after each (0 is one turn of the event loop); the rest goes out at once. */
export function drip(session: SmscSession, bytes: number, everyMs: number): void {
  const write = session.send.bind(session);
  let left = bytes;
  let waiting: Buffer = Buffer.alloc(0);
  let isDripping = false;
  const next = () => {
    isDripping = waiting.length > 0 && !session.isClosed;
    if (!isDripping) return;
    const count = left > 0 ? 1 : waiting.length;
    write(waiting.subarray(0, count));
    waiting = waiting.subarray(count);
    left -= count;
    if (everyMs === 0) setImmediate(next);
    else setTimeout(next, everyMs);
  };
  session.send = (more) => {
    waiting = Buffer.concat([waiting, more]);
    if (!isDripping) next();
  };
}
