/** What a server does for the journal of changes: it knows who listens, tells readers when to read, and trims. */

import { keepTrimming, type TrimmingOptions } from '../changes/journal.ts';
import { announcing, Listening, type ListeningOptions } from '../changes/listening.ts';
import type { Observer } from '../messages/observer.ts';
import type { StopStack } from './stop-stack.ts';

interface FollowingOptions extends ListeningOptions, TrimmingOptions {
  readonly observer: Observer;
}

interface Followed {
  /** Tells readers of what it observes. */
  readonly observer: Observer;
  readonly isListenedTo: (companyId: number) => boolean;
}

export async function followListening(options: FollowingOptions, stack: StopStack): Promise<Followed> {
  const listening = new Listening(options);
  await listening.start();
  stack.push(keepTrimming(options));
  return {
    observer: announcing(options.observer, listening, options.store),
    isListenedTo: (companyId) => listening.isListenedTo(companyId),
  };
}
