/**
 * The actions applied to both the product's messages and their model: sending, carrier responses, receipts, the passing of
 * time, and the ends of processes.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Act, type Model, users } from './message-agreement.ts';
import { finals, type ModelReceipt, nameOf, type Outcome, statusCode } from './message-rules.ts';
import { sending } from './sending-acts.ts';

export const user = fc.constantFrom(...users);
/** An index that mostly picks the latest items. */
export const place = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(30) });

/** Picks an item; `at` may exceed the length of the list. */
export function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[at % Math.max(1, items.length)];
}

const cancelling = place.map(
  (at): Act => ({
    name: `cancel ${at}`,
    can: ({ sent }) => sent.messages.length > 0,
    async run({ sent }, room) {
      const message = pick([...sent.messages].reverse(), at);
      if (message === undefined) return;
      const to = sent.cancel(message);
      expect(await room.cancel(message.id)).toBe(to === undefined ? 'too_late' : nameOf(to));
    },
  }),
);

const outcome: fc.Arbitrary<Outcome | { readonly kind: 'retryIn'; readonly ms: number }> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'accepted' as const }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(5, 6, 9, 10, 11, 13).map((status) => ({ kind: 'rejected', status }) as const),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(-1, 500, 90_000, 7_200_000).map((ms) => ({ kind: 'retryIn', ms }) as const),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'inDoubt' as const }, { kind: 'givenBack' as const }) },
);

/** The carrier responds to some of what it has, in any order. */
const answering = fc.array(fc.tuple(place, outcome), { minLength: 1, maxLength: 6 }).map(
  (answers): Act => ({
    name: `answer ${JSON.stringify(answers)}`,
    can: ({ sent }) => sent.open.size > 0,
    async run({ sent }, room) {
      for (const [at, wanted] of answers) {
        const name = pick([...sent.open.keys()], at);
        if (name === undefined) break;
        const given =
          wanted.kind === 'retryIn' ? { kind: 'retryAt' as const, time: sent.now + wanted.ms } : wanted;
        sent.answer(name, given);
        room.answer(name, given);
      }
      // Messages given back are claimed again at once.
      sent.handOver();
    },
  }),
);

/** The carrier accepts everything that it has, which is the usual case. */
const takingAll: Act = {
  name: 'take all',
  can: ({ sent }) => sent.open.size > 0,
  async run({ sent }, room) {
    for (const name of [...sent.open.keys()]) {
      sent.answer(name, { kind: 'accepted' });
      room.answer(name, { kind: 'accepted' });
    }
    // Another part of one of the messages may have been given back before.
    sent.handOver();
  },
};

/** A node that was declared dead gets a response from its carrier after all, but too late. */
const answeringGhosts = fc.tuple(place, fc.constantFrom('accepted' as const, 'inDoubt' as const)).map(
  ([at, kind]): Act => ({
    name: `answer ghost ${at} ${kind}`,
    can: ({ sent }) => sent.ghosts.length > 0,
    async run({ sent }, room) {
      room.answer(pick([...sent.ghosts].reverse(), at) as string, { kind });
    },
  }),
);

const receiptCode = fc.constantFrom(2, 2, 2, 2, 6, 6, 5, 7, 7, 12, 12, 1, 3, 4, 8, 9, 10, 11, 13);
const receiptOf = fc.constantFrom<ReceiptPlace[0][]>(
  'taken',
  'taken',
  'taken',
  'taken',
  'open',
  'ghosts',
  'nobody',
);
export const receiptPlaces = fc.array(fc.tuple(receiptOf, place, receiptCode), {
  minLength: 1,
  maxLength: 5,
});
type ReceiptPlace = readonly ['taken' | 'open' | 'ghosts' | 'nobody', number, number];

/**
 * Receipts for parts that the carrier has accepted, parts in flight, parts that were in flight when a node ended, and parts
 * that nobody knows. Each message gets at most one kind of failure, because two final statuses in the same millisecond have no
 * order.
 */
export function receiptsAt({ sent }: Model, places: readonly ReceiptPlace[]): readonly ModelReceipt[] {
  const known = {
    taken: [...sent.takenParts.keys()].reverse(),
    open: [...sent.open.keys()].reverse(),
    ghosts: [...sent.ghosts].reverse(),
    nobody: [],
  };
  const failures = new Map<string, number>();
  const once = new Map<string, ModelReceipt>();
  for (const [of, at, code] of places) {
    const id = pick(known[of], at) ?? 'nobody';
    const [message = ''] = id.split('/');
    const isFailure = code !== statusCode.DELIVERED && finals.includes(code);
    const status = isFailure ? (failures.get(message) ?? code) : code;
    if (isFailure) failures.set(message, status);
    if (!once.has(id)) once.set(id, { id, status });
  }
  // Carriers repeat receipts whose storage was not confirmed to them.
  return [...once.values(), ...once.values()];
}

const telling = receiptPlaces.map(
  (places): Act => ({
    name: `tell ${JSON.stringify(places)}`,
    async run(model, room) {
      const receipts = receiptsAt(model, places);
      model.sent.tell(receipts);
      await room.tell(receipts);
    },
  }),
);

const hourMs = 3_600_000;
const waiting = fc
  .constantFrom(
    1_000,
    4_000,
    61_000,
    700_000,
    2 * hourMs,
    2 * hourMs,
    26 * hourMs,
    26 * hourMs,
    -hourMs,
    -26 * hourMs,
  )
  .map(
    (ms): Act => ({
      name: `let ${ms} ms pass`,
      async run({ sent }, room) {
        sent.now += ms;
        room.clock.time = sent.now;
        sent.sweep();
        await room.sweep();
      },
    }),
  );

function opening(isOpen: boolean): Act {
  return {
    name: isOpen ? 'open the carrier' : 'close the carrier',
    can: ({ sent }) => sent.carrierIsOpen !== isOpen,
    async run({ sent }, room) {
      sent.carrierIsOpen = isOpen;
      room.openCarrier(isOpen);
      sent.handOver();
    },
  };
}

const crashing: Act = {
  name: 'crash',
  async run({ sent }, room) {
    sent.endLife();
    await room.crash();
  },
};

const replacing: Act = {
  name: 'take over',
  async run({ sent }, room) {
    sent.endLife();
    await room.replace();
  },
};

export const deliveryActs: fc.Arbitrary<Act> = fc.oneof(
  { weight: 10, arbitrary: sending },
  { weight: 2, arbitrary: cancelling },
  { weight: 6, arbitrary: answering },
  { weight: 8, arbitrary: fc.constant(takingAll) },
  { weight: 10, arbitrary: telling },
  { weight: 6, arbitrary: waiting },
  { weight: 1, arbitrary: fc.constant(opening(false)) },
  { weight: 4, arbitrary: fc.constant(opening(true)) },
  // Rare, since opening a store takes as long as many other actions.
  { weight: 1, arbitrary: fc.constantFrom(crashing, ...Array.from({ length: 5 }, () => replacing)) },
  { weight: 1, arbitrary: answeringGhosts },
);
