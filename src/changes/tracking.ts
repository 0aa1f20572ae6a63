/**
 * Which listeners follow which companies: changes of these companies' messages are recorded, and readers are notified when
 * there may be something to read.
 */
import type { Observer } from '../messages/observer.ts';
import type { Context } from '../storage/context.ts';
import { type News, raiseNews } from '../storage/news.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { changesTopic } from './change-reader.ts';

export interface ListeningOptions extends Context {
  readonly news: News;
}

/** Each node knows this without asking the store, because it is needed for every message. */
export class Listening {
  readonly #options: ListeningOptions;
  #until: ReadonlyMap<number, number> = new Map();

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Follows change notices from now on; the node must already be reading them. */
  async start(): Promise<void> {
    this.#options.news.on('listening', () => this.#read());
    await this.#read();
  }

  isTracked(companyId: number): boolean {
    const until = this.#until.get(companyId);
    return until !== undefined && until > this.#options.clock.now();
  }

  isAnyTracked(): boolean {
    return [...this.#until.keys()].some((companyId) => this.isTracked(companyId));
  }

  async #read(): Promise<void> {
    const rows = await this.#options.store.read(readTracked, null);
    this.#until = new Map(rows.map(({ companyId, until }) => [companyId, until]));
  }
}

interface Listener {
  readonly companyId: number;
  readonly listener: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export const listen = singleWriteVerb(
  'changes.listen',
  async (transaction, { companyId, listener, until }: Listener) => {
    await transaction.run(
      sql`INSERT INTO change_listeners (company_id, listener, until) VALUES (${companyId}, ${listener}, ${until})
          ON CONFLICT (company_id, listener) DO UPDATE SET until = excluded.until`,
    );
    await raiseNews(transaction, 'listening');
    return null;
  },
);

/** Each company with a listener, and the time until which it is listened to. */
export const readTracked = readVerb('changes.readTracked', (reading, _: null) =>
  Promise.resolve(
    reading.all<{ companyId: number; until: number }>(
      sql`SELECT company_id AS "companyId", MAX(until) AS until FROM change_listeners GROUP BY company_id`,
    ),
  ),
);

/** An event is announced this many milliseconds later, when it is stored, together with all events in between. */
const gatherMs = 100;

/**
 * An observer that announces message events while there is a listener, so that readers on this node and others need not poll
 * as often.
 */
export function announcing(
  observer: Observer,
  listening: Pick<Listening, 'isAnyTracked'>,
  store: Pick<Store, 'announce'>,
): Observer {
  let isGathering = false;
  const notice = () => {
    if (isGathering || !listening.isAnyTracked()) return;
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

interface PermanentListener {
  readonly listener: string;
  /** All companies that the listener may have listened to, or is to listen to. */
  readonly companyIds: readonly number[];
  /** Those of the companies that the listener follows from now on. */
  readonly tracked: readonly number[];
}

const columns = { company_id: 'bigint', listener: 'text', until: 'bigint' } as const;

/**
 * Sets which companies a listener follows, without a time limit. Returns the companies that it did not listen to
 * before.
 */
export async function setTracked(
  transaction: Transaction,
  { listener, companyIds, tracked }: PermanentListener,
): Promise<readonly number[]> {
  if (companyIds.length === 0) return [];
  const before = await transaction.all<{ company_id: number }>(
    sql`SELECT company_id FROM change_listeners
        WHERE listener = ${listener} AND company_id ${oneOf('bigint', tracked)}`,
  );
  const known = new Set(before.map(({ company_id }) => company_id));
  const ended = companyIds.filter((id) => !tracked.includes(id));
  await transaction.run(
    sql`DELETE FROM change_listeners WHERE listener = ${listener} AND company_id ${oneOf('bigint', ended)}`,
  );
  await transaction.insert(
    'change_listeners',
    columns,
    tracked.map((companyId) => [companyId, listener, Number.MAX_SAFE_INTEGER]),
    'ON CONFLICT (company_id, listener) DO NOTHING',
  );
  await raiseNews(transaction, 'listening');
  return tracked.filter((id) => !known.has(id));
}
