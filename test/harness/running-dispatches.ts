/** Dispatches that a test began, and that end with it. */
import { afterEach } from 'vitest';
import type { Dispatch } from '../../src/messages/dispatch.ts';

/** To be called where the tests are declared; what is put into the list is ended after each of them. */
export function runningDispatches(): Dispatch[] {
  const running: Dispatch[] = [];
  afterEach(async () => {
    for (const dispatch of running.splice(0)) {
      dispatch.giveUp();
      await dispatch.stopClaiming();
    }
  });
  return running;
}
