/** Tells the readers of changes, here and at other nodes, when there may be something to read: they need not ask so often. */
import type { Observer } from '../messages/observer.ts';
import type { Store } from '../storage/store.ts';
import { changesTopic } from './change-reader.ts';
import type { Listening } from './listening.ts';

/** So long after the first event, by which it is stored, and whatever comes meanwhile is told with it. */
const gatherMs = 100;

/** An observer that announces what it hears of messages, where anybody listens. */
export function announcing(
  observer: Observer,
  listening: Pick<Listening, 'isAnyListenedTo'>,
  store: Pick<Store, 'announce'>,
): Observer {
  let isGathering = false;
  const notice = () => {
    if (isGathering || !listening.isAnyListenedTo()) return;
    isGathering = true;
    setTimeout(() => {
      isGathering = false;
      store.announce(changesTopic);
    }, gatherMs).unref();
  };
  return {
    ...observer,
    accepted(messages, parts) {
      observer.accepted(messages, parts);
      notice();
    },
    outcome(carrier, kind) {
      observer.outcome(carrier, kind);
      notice();
    },
    receipts(carrier, status, count) {
      observer.receipts(carrier, status, count);
      notice();
    },
    incoming(carrier, routed) {
      observer.incoming(carrier, routed);
      notice();
    },
  };
}
