/** Dispatches started by a test, which end with it. */
import { afterEach } from 'vitest';
import type { Dispatch } from '../../src/messages/dispatch/dispatch.ts';
import { pause } from './awake.ts';

/** Call this where the tests are declared; dispatches added to the list are stopped after each test. */
export function runningDispatches(): Dispatch[] {
  const running: Dispatch[] = [];
  afterEach(async () => {
    for (const dispatch of running.splice(0)) {
      // A claim that completes later would take the next test's messages, and some stores never respond.
      await Promise.race([dispatch.stopClaiming(), pause(1_000)]);
      dispatch.giveUp();
    }
  });
  return running;
}
