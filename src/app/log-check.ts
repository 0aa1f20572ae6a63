/** Beside a server that has just started, finds what the log of messages misses since an upgrade, and mends it. */
import { Periodic } from '../foundation/periodic.ts';
import { mendMessageLog } from '../messages/upkeep/mend-log.ts';
import type { Store } from '../storage/store.ts';
import type { StopStack } from './stop-stack.ts';

interface LogCheck {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

const againMs = 60_000;
/** A fifth of the time of a reader at most, which a million messages take for some ten seconds. */
const rest = 4;

export function startLogCheck({ store, log }: LogCheck, stack: StopStack): void {
  let isStopped = false;
  const failed = (error: unknown) =>
    log.warn({ error }, 'whether all messages are in the lists could not be looked at; it is tried again');
  const looks = new Periodic({ pauseMs: againMs, firstMs: 0, failed }, async () => {
    const { unlogged } = await mendMessageLog(store, { rest, isStopped: () => isStopped });
    if (unlogged > 0) log.warn({ messages: unlogged }, 'messages that were in no list are in them again');
    // Once through is enough: from now on only this version stores messages.
    void looks.stop();
  });
  stack.push(async () => {
    isStopped = true;
    await looks.stop();
  });
  looks.start();
}
