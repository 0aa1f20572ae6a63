/**
 * Tries the SMPP server with sessions that send anything: whatever they do, it goes on serving the client beside them, and
 * keeps nothing of them. `CARILLON_RUNS=230` makes 110,000 sessions, on an idle machine.
 */
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putCompany, putSmppLogin, putUser } from '../../test/harness/account-verbs.ts';
import { pause, until } from '../../test/harness/awake.ts';
import { clientServer } from '../../test/harness/client-server.ts';
import { damagedPdu } from '../../test/harness/damaged-pdus.ts';
import { putSimulator } from '../../test/harness/delivery-verbs.ts';
import { keepIncoming } from '../../test/harness/esme-verbs.ts';
import { memoryInUse } from '../../test/harness/memory-in-use.ts';
import { assertRuns, longRunMs, runsFactor } from '../../test/harness/runs.ts';
import { sendingOn } from '../../test/harness/sending-node.ts';
import { pdus } from '../../test/harness/smpp-pdus.ts';
import { sqliteStore } from '../../test/harness/stores.ts';
import { enterNode } from '../messages/nodes/store.ts';
import type { Store } from '../storage/store.ts';
import { encodePdu, type Pdu, type PduInput, PduReader } from '../wire/smpp/pdu.ts';
import type { ClientServer } from './server.ts';

/** Each may bind twenty times a second. */
const users = 40;
const deliveriesOfUser = 20;
const sessionsAtATime = 8;

const nothing = () => undefined;
const nameOf = (user: number) => `user${user}`;

type Step =
  | { readonly kind: 'octets'; readonly octets: Buffer }
  | { readonly kind: 'bind'; readonly user: number; readonly times: number; readonly role: Role };
type Role = 'bindTransceiver' | 'bindTransmitter' | 'bindReceiver';

interface Script {
  readonly steps: readonly Step[];
  /** Whether the client ever reads what it gets. */
  readonly reads: boolean;
  readonly ending: 'reset' | 'end' | 'stay';
}

const whole = pdus().map((pdu) => encodePdu(pdu));
const lengths = fc.constantFrom(0, 1, 15, 16, 17, 255, 65_535, 70_000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff);
const submission: PduInput = {
  command: 'submitSm',
  sequence: 3,
  destinationAddr: '46731234567',
  shortMessage: Buffer.from('Hi'),
};
const flooding: readonly PduInput[] = [
  submission,
  { ...submission, esmClass: 0x40, shortMessage: Buffer.from([5, 0, 3, 1, 2, 1, 65]) },
  { command: 'enquireLink', sequence: 4 },
  { command: 'replaceSm', sequence: 5, messageId: '1' },
  { command: 'querySm', sequence: 6, messageId: '1' },
  { command: 'deliverSmResp', sequence: 7 },
  { command: 'unbind', sequence: 8 },
];

const octets: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some)),
  whole,
  damagedPdu,
  fc.tuple(whole, fc.nat({ max: 600 })).map(([pdu, at]) => pdu.subarray(0, at % pdu.length)),
  fc.tuple(whole, lengths).map(([pdu, length]) => {
    const wrong = Buffer.from(pdu);
    wrong.writeUInt32BE(length, 0);
    return wrong;
  }),
  fc
    .tuple(fc.constantFrom(...flooding), fc.integer({ min: 1, max: 200 }))
    .map(([pdu, times]) => Buffer.concat(Array.from({ length: times }, () => encodePdu(pdu)))),
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: octets.map((some) => ({ kind: 'octets' as const, octets: some })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bind' as const),
      user: fc.nat({ max: users }),
      times: fc.constantFrom(1, 1, 1, 1, 2, 1_000),
      role: fc.constantFrom<Role>('bindTransceiver', 'bindTransmitter', 'bindReceiver'),
    }),
  },
);

const script: fc.Arbitrary<Script> = fc.record({
  steps: fc.array(steps, { minLength: 1, maxLength: 6 }),
  reads: fc.boolean(),
  ending: fc.constantFrom('reset', 'reset', 'end', 'stay'),
});

function bindAs(user: number, role: Role = 'bindTransceiver'): Buffer {
  return encodePdu({
    command: role,
    sequence: 1,
    interfaceVersion: 0x34,
    systemId: nameOf(user),
    password: '',
  });
}

sqliteStore('whatever SMPP clients send', (engine) => {
  let store: Store;
  let server: ClientServer;
  let port = 0;
  let [binds, ended] = [0, 0];
  const reasons = new Set<string>();
  const staying: Socket[] = [];
  const maxStaying = 100;

  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Clinic' });
    await store.write(putSimulator, { id: 1, name: 'sim' });
    await store.write(enterNode, { nodeId: 1, now: 0 });
    for (let user = 0; user < users; user++) {
      const username = nameOf(user);
      await store.write(putUser, {
        id: 100 + user,
        companyId: 1,
        username,
        roles: ['send'],
        defaultSender: 'A',
      });
      await store.write(putSmppLogin, { username, binds: 5 });
      for (let index = 0; user > 0 && index < deliveriesOfUser; index++)
        await store.write(keepIncoming, {
          id: 1_000 + user * deliveriesOfUser + index,
          userId: 100 + user,
          text: `SMS ${index}`,
        });
    }
    const info = ({ reason, as }: { readonly reason?: string; readonly as?: string }) => {
      if (reason !== undefined) reasons.add(reason);
      if (as !== undefined) binds += 1;
    };
    server = clientServer({ store, sending: sendingOn(store, { now: () => 0 }), info });
    [port = 0] = await server.listen();
  });
  afterEach(() => server.stop());

  async function opened(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', nothing);
    await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
    return socket;
  }

  async function play({ steps: all, reads, ending }: Script): Promise<void> {
    const socket = await opened();
    let [heard, isClosed] = [0, false];
    socket.once('close', () => {
      isClosed = true;
      ended += 1;
    });
    if (reads) socket.on('data', ({ length }) => (heard += length));
    for (const step of all) {
      if (isClosed) return;
      if (step.kind === 'octets') {
        socket.write(step.octets);
        await turn();
        continue;
      }
      // The last number has no login.
      const before = heard;
      socket.write(Buffer.concat(Array.from({ length: step.times }, () => bindAs(step.user, step.role))));
      // Half a PDU before it swallows the bind, so that no response comes.
      for (let pauses = 0; reads && pauses < 20 && heard === before && !isClosed; pauses++) await pause(1);
    }
    if (ending === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    // One that reads nothing never learns that the server has closed it.
    if (ending === 'end') socket.end();
    staying.push(socket);
    if (staying.length > maxStaying) staying.shift()?.resetAndDestroy();
  }

  /** A client that keeps to the rules. */
  async function neighbour() {
    const socket = await opened();
    const reader = new PduReader();
    const answers: Pdu[] = [];
    socket.on('data', (some: Buffer) => {
      reader.push(some);
      for (let pdu = reader.next(); pdu !== undefined; pdu = reader.next())
        if ('command' in pdu) answers.push(pdu);
    });
    async function ask(request: Buffer): Promise<Pdu> {
      socket.write(request);
      await until(() => answers.length > 0);
      return answers.shift() as Pdu;
    }
    expect(await ask(bindAs(0))).toMatchObject({ status: 0 });
    return {
      submit: () => ask(encodePdu(submission)),
      leave: () => socket.destroy(),
    };
  }

  test(
    '[ESME-4] Sessions that send anything at all cost the server nothing that stays, and hold up no client beside them',
    async () => {
      const beside = await neighbour();
      let sessions = 0;
      const rest = async () => {
        for (const socket of staying.splice(0)) socket.resetAndDestroy();
        await until(() => server.connections === 1 && server.binds === 1);
      };
      /** What sockets held is given back only some time after they have closed. */
      const restingMemory = async () => {
        await rest();
        let memory = memoryInUse();
        for (let looks = 0; looks < 20; looks++) {
          await pause(50);
          memory = Math.min(memory, memoryInUse());
        }
        return memory;
      };
      let least: number | undefined;
      let serving: Promise<void> | undefined;
      const serve = async () => {
        expect(await beside.submit()).toMatchObject({ command: 'submitSmResp', status: 0 });
        serving = undefined;
      };
      await assertRuns(
        fc.asyncProperty(
          fc.array(script, { minLength: sessionsAtATime, maxLength: sessionsAtATime }),
          async (scripts) => {
            serving ??= serve();
            await Promise.all(scripts.map(play));
            sessions += scripts.length;
            if (least !== undefined || sessions < 20 * sessionsAtATime) return;
            least = await restingMemory();
          },
        ),
        60,
      );
      await serving;
      expect(least).toBeDefined();
      let grown = Number.POSITIVE_INFINITY;
      await until(async () => {
        grown = (await restingMemory()) - (least as number);
        return grown < 16_000_000;
      });
      if (runsFactor > 1) process.stdout.write(`${JSON.stringify({ sessions, binds, ended, grown })}\n`);
      expect([...reasons].filter((reason) => reason.startsWith('an internal error'))).toEqual([]);
      expect(await beside.submit()).toMatchObject({ status: 0 });
      beside.leave();
      expect(binds).toBeGreaterThan(1);
    },
    longRunMs(60_000),
  );
});
