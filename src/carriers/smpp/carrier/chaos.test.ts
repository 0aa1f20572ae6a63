import { afterEach, beforeEach, expect, test } from 'vitest';
import { keyOf, messages } from '../../../../test/carriers/carrier-recorder.ts';
import {
  command,
  octets,
  type RawPdu,
  receiptBody,
  type SmscSession,
} from '../../../../test/carriers/raw-smsc.ts';
import { linkUp, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../../../test/harness/held-time.ts';
import type { OutgoingPart } from '../../carrier.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(unlinkAll());
  letTimeGo();
});

/** Returns numbers from 0 to 1 that are the same in each run with the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Whim = (session: SmscSession, pdu: RawPdu) => void;

/** The faults of an SMSC in trouble; each is as likely as the others, and as likely as accepting. */
const whims: readonly Whim[] = [
  () => undefined,
  (session, pdu) => session.answer(pdu, 0x58),
  (session, pdu) => session.answer(pdu, 0x08),
  (session, pdu) => session.answer(pdu, 0x04),
  (session) => session.destroy(),
  (session, pdu) => {
    session.answer(pdu, 0, 'twice\0');
    session.answer(pdu, 0, 'twice\0');
  },
  (session, pdu) => void setTimeout(() => session.answer(pdu, 0, 'late\0'), 400),
  (session, pdu) => session.answer({ ...pdu, sequence: pdu.sequence + 1 }, 0, 'other\0'),
  (session, pdu) => {
    session.request(command.unbind);
    session.answer(pdu, 0, 'last\0');
  },
  (session, pdu) => session.send(octets(command.submitSmResp, 0, pdu.sequence, 'x'.repeat(80))),
  (session) => session.send(Buffer.from('0000ffff', 'hex')),
  (session, pdu) => {
    session.request(command.deliverSm, receiptBody('early', '46701740600'));
    session.answer(pdu, 0, 'early\0');
    session.socket.end();
  },
];

test.each([1, 2, 3])(
  '[DLV-3] With an SMSC in all kinds of trouble (%i), each part handed over has one outcome, and all get through',
  async (seed) => {
    const random = randomOf(seed);
    const settings = {
      binds: 3,
      window: 7,
      responseTimeoutMs: 200,
      enquireLinkMs: 1_000,
      throttlePauseMs: 20,
    };
    const { carrier, heard } = await linkUp(settings, [
      [
        command.submitSm,
        (session, pdu) => {
          const whim = whims[Math.floor(random() * whims.length)] as Whim;
          if (random() < 0.85) session.answer(pdu, 0, `${session.openedAt}-${pdu.sequence}\0`);
          else whim(session, pdu);
        },
      ],
    ]);
    const handedOver = new Map<string, number>();
    const done = new Set<string>();
    const submit = (parts: readonly OutgoingPart[]) => {
      for (const part of parts) handedOver.set(keyOf(part), (handedOver.get(keyOf(part)) ?? 0) + 1);
      carrier.submit(parts);
    };
    submit(messages(300, { parts: 2 }));
    let read = 0;
    await passUntil(() => {
      const news = heard.outcomes.slice(read);
      read += news.length;
      for (const { part, outcome } of news) if (outcome.kind === 'accepted') done.add(keyOf(part));
      // Resubmits the rest as dispatch does, but sooner.
      const again = news.flatMap(({ part, outcome }) => (outcome.kind === 'accepted' ? [] : [part]));
      if (again.length > 0) submit(again);
      return done.size === 600;
    }, 5);
    pass(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    const outcomes = new Map<string, number>();
    for (const { part } of heard.outcomes) outcomes.set(keyOf(part), (outcomes.get(keyOf(part)) ?? 0) + 1);
    expect(outcomes).toEqual(handedOver);
    expect(heard.ofKind('rejected')).toEqual([]);
    expect(carrier.status().figures).toMatchObject({ windowUsed: 0, waitingParts: 0 });
  },
  300_000,
);
