import { request } from 'node:http';
import { BlockList } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { putCompany } from '../../../test/harness/account-verbs.ts';
import { until } from '../../../test/harness/awake.ts';
import { putBook, stockContacts } from '../../../test/harness/contact-verbs.ts';
import { LentStore } from '../../../test/harness/lent-store.ts';
import { callerOf } from '../../../test/harness/messaging-room.ts';
import { sqliteStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import { systemClock } from '../../foundation/clock.ts';
import { createServer } from '../../http/server/server.ts';
import type { ReadOptions, Store } from '../../storage/store.ts';
import type { ReadVerb } from '../../storage/verb.ts';
import { readMetPage } from '../filter-pages.ts';
import { contactEndpoints } from './contact-endpoints.ts';

/** Nobody belongs to two wards. Finding that out takes this many pages. */
const filter = 'ward:w0|w1|w2|w3;ward:w4|w5|w6|w7|w8|w9';
const pagesInAll = 3;

/** Counts pages of a filter: those that were read, and those that were not, because nobody waited for them. */
class CountedStore extends LentStore {
  pages = 0;
  givenUp = 0;
  readonly #firstPage: () => Promise<void>;

  constructor(store: Store, firstPage: () => Promise<void>) {
    super(store);
    this.#firstPage = firstPage;
  }

  override async read<Input, Output>(
    verb: ReadVerb<Input, Output>,
    input: Input,
    options?: ReadOptions,
  ): Promise<Output> {
    if (verb.name !== readMetPage.name) return super.read(verb, input, options);
    if (this.pages === 0) await this.#firstPage();
    try {
      const page = await super.read(verb, input, options);
      this.pages += 1;
      return page;
    } catch (error) {
      this.givenUp += 1;
      throw error;
    }
  }
}

sqliteStore('whom a filter meets', (engine) => {
  test.each(['count', 'contacts'])(
    '[CONV-12] [ABOOK-2] No more contacts of a filter are read once the client has gone: /%s',
    async (path) => {
      const { store } = await engine.openFreshStore();
      await store.write(putCompany, { id: 1, name: 'Nordic Care' });
      await store.write(putBook, { id: 21, companyId: 1, name: 'Staff' });
      await store.write(stockContacts, { bookId: 21, count: 6_000 });
      const counted = new CountedStore(store, async () => {
        // A client that closes only its own side of the connection may still expect the response.
        client.socket?.resetAndDestroy();
        await until(() => server.connections.size === 0);
      });
      const server = createServer<Caller>({
        config: {
          http: { host: '127.0.0.1', port: 0 },
          tls: undefined,
          trustedProxies: new BlockList(),
          metricsReaders: new BlockList(),
          publicUrl: undefined,
          pathPrefix: '',
          maxBodyBytes: 1_000_000,
          stopGraceSeconds: 0,
        },
        version: '0',
        endpoints: contactEndpoints({ store: counted, clock: systemClock }),
        authenticate: () => ({ ...callerOf(10), roles: new Set(['companyAdmin'] as const) }),
        ownerOf: (caller) => caller,
        log: pino({ level: 'silent' }),
        health: { ready: () => true },
      });
      const url = `http://127.0.0.1:${await server.listen()}/api/v1/addressbooks/21/${path}`;
      const client = request(`${url}?filter=${encodeURIComponent(filter)}`, {
        headers: { 'x-api-key': 'any' },
      });
      client.on('error', () => undefined).end();
      try {
        await until(() => counted.givenUp > 0 || counted.pages === pagesInAll);
        expect([counted.pages, counted.givenUp]).toEqual([0, 1]);
      } finally {
        await server.stop(0);
      }
    },
  );
});
