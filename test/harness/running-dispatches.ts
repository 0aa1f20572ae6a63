/** Dispatches that a test began, and that end with it. */
import { afterEach } from 'vitest';
import type { Dispatch } from '../../src/messages/dispatch/dispatch.ts';
import { pause } from './awake.ts';

/** To be called where the tests are declared; what is put into the list is ended after each of them. */
export function runningDispatches(): Dispatch[] {
  const running: Dispatch[] = [];
  afterEach(async () => {
    for (const dispatch of running.splice(0)) {
      // A claim that comes through later takes the messages of the next test; some stores never answer.
      await Promise.race([dispatch.stopClaiming(), pause(1_000)]);
      dispatch.giveUp();
    }
  });
  return running;
}
