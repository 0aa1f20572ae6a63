/** What a node needs to send, on a store with the carrier `sim`. */
import type { Clock } from '../../src/foundation/clock.ts';
import { Turns } from '../../src/foundation/turns.ts';
import type { Sending } from '../../src/messages/sending/send.ts';
import { RoutingTable } from '../../src/routing/routing-table.ts';
import { Ids } from '../../src/storage/ids.ts';
import { News } from '../../src/storage/news.ts';
import type { Store } from '../../src/storage/store.ts';
import { SavedTemplates } from '../../src/templates/saved-templates.ts';

/** Nothing is handed to carriers. */
export function sendingOn(store: Store, clock: Clock, changes: Partial<Sending> = {}): Sending {
  const carrier = { id: 1, name: 'sim', type: 'simulator' as const, settings: {} };
  const routes = new RoutingTable([{ name: 'all', prefix: '', carriers: ['sim'] }], [carrier]);
  return {
    store,
    clock,
    routes: () => routes,
    ids: new Ids(store, 'message', 100),
    templates: new SavedTemplates(store, new News(store)),
    dispatching: { expect: () => undefined, wake: () => undefined },
    observer: { accepted: () => undefined },
    security: { record: () => undefined },
    turns: new Turns(),
    personSecret: '00',
    ...changes,
  };
}
