/** A company whose mail is sent, on a store that can fail, for tests of a server that receives mail. */
import { afterEach, beforeAll, beforeEach } from 'vitest';
import type { Role } from '../../src/accounts/role.ts';
import { listMessages } from './delivery-verbs.ts';
import { FaultyStore } from './faulty-store.ts';
import { type MailNodeOptions, startMailNode } from './mail-node.ts';
import { provisioningOf } from './provisioning.ts';
import { clock, plainTo, signingKeys } from './signed-mail.ts';
import type { Engine, FreshStore } from './stores.ts';

const provisioning = `companies:
  - name: Care
    id: 1
    allowedDomainEndings: [care.example]
    defaultSender: Care
    emailSenders:
      - { email: "@care.example", payinguser: alice }
      - { email: blocked@care.example, payinguser: alice, blocked: true }
    users: [{ username: alice, id: 11, roles: [send] }, { username: bob, id: 12, roles: [send] }]
  - name: Taxi
    id: 2
    users: [{ username: tom, id: 21, roles: [send] }]
`;

const sender: ReadonlySet<Role> = new Set(['send']);
export const care = { username: 'alice', userId: 11, companyId: 1, roles: sender };
export const bob = { username: 'bob', userId: 12, companyId: 1, roles: sender };
export const taxi = { username: 'tom', userId: 21, companyId: 2, roles: sender };

/** One room for a whole block of tests. */
export function mailRoom(engine: Engine) {
  let fresh: FreshStore;
  let store: FaultyStore;
  let stop: (() => Promise<void>) | undefined;
  /** A new phone for each test, so that the e-mails can be identical. */
  let phone = 46_701_740_000;
  let sentBefore: number;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    store = new FaultyStore(fresh.store);
    await provisioningOf(() => store).linesOf(provisioning);
  });
  beforeEach(async () => {
    phone += 1;
    sentBefore = (await store.read(listMessages, null)).length;
    store.calls.splice(0);
  });
  afterEach(() => stop?.());

  return {
    get store() {
      return store;
    },
    get phone() {
      return phone;
    },
    get other() {
      return phone + 10_000;
    },
    get to(): readonly string[] {
      return [`${phone}@sms.example`];
    },
    /** An e-mail to both of the test's phones. */
    get plain(): Buffer {
      return plainTo(`${phone}@sms.example`, `+${phone + 10_000}@sms.example`);
    },
    openAnother: () => fresh.openAnother(),
    apply: (change: (file: string) => string) => provisioningOf(() => store).linesOf(change(provisioning)),
    async start(options: Partial<MailNodeOptions> = {}) {
      const node = await startMailNode({ store, clock, zone: signingKeys, ...options });
      const before = stop;
      stop = async () => {
        await before?.();
        await node.server.stop();
        stop = undefined;
      };
      return node;
    },
    /** The recipients of messages stored in this test. */
    async sentTo(): Promise<readonly number[]> {
      const messages = await store.read(listMessages, null);
      return messages.slice(sentBefore).map(({ recipient }) => Number(recipient));
    },
  };
}
