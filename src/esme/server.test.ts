import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putCompany, putSmppLogin, putUser, removeUser } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { clientServer } from '../../test/harness/client-server.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { ServiceError } from '../foundation/errors.ts';
import { enterNode } from '../messages/nodes/store.ts';
import type { Sending } from '../messages/sending/send.ts';
import type { Store } from '../storage/store.ts';
import { encodePdu, type Pdu, type PduInput, PduReader } from '../wire/smpp/pdu.ts';
import { holdDeliveries } from './delivery.ts';
import type { ClientServer } from './server.ts';

const nothing = () => undefined;
const userId = 11;

eachStore('the SMPP server and its store', (engine) => {
  let store: Store;
  let server: ClientServer;
  let port = 0;
  let accountsChanged: () => void | Promise<void>;
  /** Called before each change of the store; rejects what is not to be stored. */
  let gate: (verb: string) => Promise<void>;
  let afterWrite: (verb: string) => Promise<void>;

  beforeEach(async () => {
    gate = async () => undefined;
    afterWrite = async () => undefined;
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Clinic' });
    await store.write(putUser, { id: userId, companyId: 1, username: 'anna' });
    await store.write(putSmppLogin, { username: 'anna', binds: 1, throughput: 1 });
    for (const nodeId of [1, 2]) await store.write(enterNode, { nodeId, now: 0 });
    const gated = new Proxy(store, {
      get(target, key) {
        if (key === 'write')
          return async (...given: Parameters<Store['write']>) => {
            await gate(given[0].name);
            const answer = await target.write(...given);
            await afterWrite(given[0].name);
            return answer;
          };
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    server = clientServer({
      store,
      sending: { store: gated, clock: { now: () => 0 }, security: { record: nothing } } as unknown as Sending,
      onAccounts: (changed) => {
        accountsChanged = changed;
      },
    });
    [port = 0] = await server.listen();
  });
  afterEach(() => server.stop());

  /** A client that asks for one thing at a time, and is answered with a status. */
  function client() {
    const socket = connect(port, '127.0.0.1').on('error', nothing);
    const reader = new PduReader();
    const heard: Pdu[] = [];
    socket.on('data', (octets) => {
      reader.push(octets as Buffer);
      for (let pdu = reader.next(); pdu !== undefined; pdu = reader.next())
        if ('command' in pdu && pdu.command.endsWith('Resp')) heard.push(pdu);
    });
    async function ask(pdu: PduInput): Promise<number | undefined> {
      socket.write(encodePdu(pdu));
      await until(() => heard.length > 0);
      return heard.shift()?.status;
    }
    const bind = (systemId = 'anna') =>
      ask({
        command: 'bindTransceiver',
        sequence: 1,
        interfaceVersion: 0x34,
        systemId,
        password: '',
      });
    return { ask, bind, leave: () => socket.destroy() };
  }

  test('[ESME-1] [ESME-3] A bind that ends while the store is away is stored as ended later, and another node may deliver', async () => {
    const first = client();
    expect([server.binds, await first.bind(), server.binds]).toEqual([0, 0, 1]);
    const hold = () => store.write(holdDeliveries, { userId, nodeId: 2 });
    await until(async () => !(await hold()));
    const refused = new Set<string>();
    gate = async (verb) => {
      refused.add(verb);
      throw new ServiceError('store_unavailable', 'The store is away.');
    };
    first.leave();
    await until(() => refused.has('esme.endBind') && refused.has('esme.release'));
    gate = async () => undefined;
    await until(hold);
    const second = client();
    expect(await second.bind()).toBe(0);
    second.leave();
  });

  test('[ESME-1] A bind replaces one whose end is seen only after it was counted', async () => {
    const first = client();
    expect(await first.bind()).toBe(0);
    let endIsStored = nothing as () => void;
    gate = async (verb) => {
      if (verb === 'esme.endBind') await new Promise<void>((resolve) => (endIsStored = resolve));
    };
    afterWrite = async (verb) => {
      if (verb !== 'esme.keepBind' || server.binds === 0) return;
      first.leave();
      await until(() => server.binds === 0);
      setImmediate(() => endIsStored());
    };
    const second = client();
    expect(await second.bind()).toBe(0);
    gate = async () => undefined;
    second.leave();
  });

  test('[ESME-1] A user who is removed while the bind is stored is not bound', async () => {
    let isStored = false;
    afterWrite = async (verb) => {
      if (verb !== 'esme.keepBind') return;
      isStored = true;
      await store.write(removeUser, userId);
      await accountsChanged();
    };
    expect([await client().bind(), isStored]).toEqual([0x0e, true]);
    await until(() => server.connections === 0);
  });

  test('[ESME-1] A session that was bound with an earlier password ends even if another has bound with the new one meanwhile', async () => {
    await store.write(putSmppLogin, { username: 'anna', binds: 2 });
    const former = client();
    expect(await former.bind()).toBe(0);
    await store.write(putSmppLogin, { username: 'anna', binds: 2, passwordHash: 'another' });
    const next = client();
    expect([await next.bind(), server.binds]).toEqual([0, 2]);
    await accountsChanged();
    await until(() => server.binds === 1);
    expect(await next.ask({ command: 'enquireLink', sequence: 2 })).toBe(0);
    next.leave();
  });

  test('[ESME-1] [ESME-4] A bind whose storing failed midway does not count', async () => {
    afterWrite = async (verb) => {
      if (verb === 'esme.keepBind') throw new ServiceError('store_unavailable', 'The store is away.');
    };
    expect(await client().bind()).toBe(0x08);
    afterWrite = async () => undefined;
    await until(async () => (await client().bind()) === 0);
  });

  test('[ESME-4] However many logins a company has, it leaves half of the connections to others', async () => {
    await store.write(putCompany, { id: 2, name: 'Hospital' });
    const [ofCompany, ofLogin] = [500, 20];
    const logins = Array.from({ length: ofCompany / ofLogin }, (_, index) => `clinic${index}`);
    for (const [index, username] of [...logins, 'one.more', 'hospital'].entries()) {
      const companyId = username === 'hospital' ? 2 : 1;
      await store.write(putUser, { id: 100 + index, companyId, username });
      await store.write(putSmppLogin, { username, binds: ofLogin });
    }
    const clients: ReturnType<typeof client>[] = [];
    const bindAs = (systemId: string) => {
      const one = client();
      clients.push(one);
      return one.bind(systemId);
    };
    const bound = (systemId: string) => Promise.all(Array.from({ length: ofLogin }, () => bindAs(systemId)));
    for (const login of logins) expect(new Set(await bound(login))).toEqual(new Set([0]));
    expect([await bindAs('one.more'), await bindAs('hospital')]).toEqual([5, 0]);
    for (const { leave } of clients.splice(0, ofLogin)) leave();
    await until(async () => server.binds <= ofCompany + 1 - ofLogin);
    expect(await bindAs('one.more')).toBe(0);
    for (const { leave } of clients) leave();
  });

  test('[ESME-4] Binding again gives no further throughput', async () => {
    const first = client();
    expect(await first.bind()).toBe(0);
    const destAddresses = Array.from({ length: 254 }, (_, index) => ({
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: `4673${1_000_000 + index}`,
    }));
    expect(await first.ask({ command: 'submitMulti', sequence: 2, destAddresses })).not.toBe(0x58);
    expect(await first.ask({ command: 'unbind', sequence: 3 })).toBe(0);
    const second = client();
    expect(await second.bind()).toBe(0);
    expect(await second.ask({ command: 'submitSm', sequence: 2, destinationAddr: '46731234567' })).toBe(0x58);
    second.leave();
  });
});
