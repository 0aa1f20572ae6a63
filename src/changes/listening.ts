/** Whether anybody listens to a company, known to each node without asking the store: it is asked for every message. */
import type { Clock } from '../foundation/clock.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { readListened } from './listening-store.ts';

export interface ListeningOptions {
  readonly store: Store;
  readonly news: News;
  readonly clock: Clock;
}

export class Listening {
  readonly #options: ListeningOptions;
  #until: ReadonlyMap<number, number> = new Map();

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Follows the news from here on, which must be read already. */
  async start(): Promise<void> {
    this.#options.news.on('listening', () => this.#read());
    await this.#read();
  }

  isListenedTo(companyId: number): boolean {
    const until = this.#until.get(companyId);
    return until !== undefined && until > this.#options.clock.now();
  }

  isAnyListenedTo(): boolean {
    return [...this.#until.keys()].some((companyId) => this.isListenedTo(companyId));
  }

  async #read(): Promise<void> {
    const rows = await this.#options.store.read(readListened, null);
    this.#until = new Map(rows.map(({ companyId, until }) => [companyId, until]));
  }
}
