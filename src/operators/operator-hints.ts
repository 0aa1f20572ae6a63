/**
 * Notifies the open pages of operators which of their lists have changed. No hint says which company it is about. What no node
 * announces, such as how much waits, the pages read every few seconds.
 */
import type { EventStream } from '../http/answers/event-stream.ts';
import type { Observer } from '../messages/observer.ts';
import { OpenPages } from '../portal/open-pages.ts';
import { announceToOperators, ofOperators, readHint } from '../storage/hints.ts';
import type { News, Topic } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import type { Operator } from './operator.ts';
import { admitOperator } from './session-store.ts';
import { lacksFactor, type OperatorSignIn, sessionOf } from './sign-in.ts';

/** Maximum number of streams in total, and per operator. All operators share one place among owners. */
const limits = { inAll: 60, ofOwner: 60, ofMember: 12 };
const owner = 'operators';

/** The lists that each topic of news concerns. */
const listsOfNews: readonly (readonly [Topic, readonly string[]])[] = [
  ['accounts', ['companies', 'numbers']],
  ['carriers', ['carriers', 'routes']],
  ['tests', ['tests']],
];

/** The lists of operators that the lists of companies concern. */
const listsOfCompanies: Readonly<Record<string, string>> = {
  company: 'companies',
  users: 'companies',
  numbers: 'numbers',
};

interface OperatorHintsParts extends Pick<OperatorSignIn, 'store' | 'clock' | 'requiresFactor' | 'log'> {
  readonly news: News;
}

export class OperatorHints {
  readonly #pages: OpenPages<typeof owner>;

  constructor({ store, clock, news, log, ...services }: OperatorHintsParts) {
    this.#pages = new OpenPages({
      limits,
      async goesOn(digest) {
        const admitted = await store.read(admitOperator, { digest, now: clock.now() });
        return admitted !== undefined && !lacksFactor(services, admitted.operator);
      },
      log,
    });
    store.onAnnouncement((announced) => {
      const hint = readHint(announced);
      if (hint === undefined) return;
      const list = hint.companyId === ofOperators ? hint.list : listsOfCompanies[hint.list];
      if (list !== undefined) this.#pages.tell(list);
    });
    this.#pages.follow(news, listsOfNews);
  }

  start(): this {
    this.#pages.start();
    return this;
  }

  stop(): Promise<void> {
    return this.#pages.stop();
  }

  open(operator: Operator): EventStream {
    return this.#pages.open({ owner, member: operator.username, digest: sessionOf(operator) });
  }
}

/** Announces what belongs to nobody. */
export function announcingUnclaimed(observer: Observer, store: Pick<Store, 'announce'>): Observer {
  return {
    ...observer,
    incoming(carrier, routed) {
      observer.incoming(carrier, routed);
      if (!routed) announceToOperators(store, 'unrouted');
    },
    unmatchedReceipts(carrier, count) {
      observer.unmatchedReceipts(carrier, count);
      announceToOperators(store, 'receipts');
    },
    unreadableReceipt(carrier) {
      observer.unreadableReceipt(carrier);
      announceToOperators(store, 'receipts');
    },
  };
}
