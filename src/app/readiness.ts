/** Whether a server can do what users depend on. */
import { beatNode } from '../messages/nodes/store.ts';
import { acceptMessages } from '../messages/sending/accept.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';

/**
 * What users depend on: that their messages are taken, and that this node counts as alive, without which it delivers
 * none. A store that is out of reach, or full, shows in these too. Any other write may fail for a reason of its own,
 * such as a lock that only a sweep meets, and it would help nobody to send users away for that.
 */
const vitalVerbs = [acceptMessages, beatNode];

export function readiness(store: Store, news: News): true | string {
  if (store.damage.first !== undefined) return 'the store is damaged';
  if (!news.trusted) return 'the store cannot be read';
  return vitalVerbs.every((verb) => store.worksFor(verb)) || 'the store cannot be written';
}
