import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { systemClock } from '../../foundation/clock.ts';
import type { IncomingSms, Receipt, UnreadableReceipt } from '../carrier.ts';
import type { Exchange, HttpRequest } from './exchange.ts';
import { Polling, type PollingOptions } from './polling.ts';
import type { IncomingSettings, ReceiptSettings } from './settings.ts';

const everyMs = 5;

const receipts: ReceiptSettings = {
  id: '/data/payload/id',
  state: '/data/payload/status',
  states: { queued: 'SENT', accepted: 'ACCEPTED', delivered: 'DELIVERED', failed: 'UNDELIVERABLE' },
  error: '/data/code',
  poll: { url: 'https://sms.example/messages/{carrierId}?own={id}', everyMs, state: '/data/status' },
};

const incoming: IncomingSettings = {
  each: '/messages',
  id: '/id',
  from: '/from',
  to: '/to',
  text: '/text',
  poll: {
    url: '{baseUrl}/inbox',
    everyMs,
    acknowledge: { url: '{baseUrl}/inbox/{incomingId}' },
  },
};

/** Asks a carrier that answers as a function says; `stored` is what it has told. */
class Asking {
  readonly asked: string[] = [];
  readonly stored: (Receipt | UnreadableReceipt | IncomingSms)[] = [];
  readonly polling: Polling;
  isFirst = true;

  constructor(
    declaration: PollingOptions['declaration'],
    answer: (request: string) => readonly [number, object] | Error,
  ) {
    const keep = async (told: Receipt | UnreadableReceipt | IncomingSms) => {
      this.stored.push(told);
      return { id: '1', routed: true };
    };
    this.polling = new Polling({
      declaration,
      fixed: { baseUrl: 'https://sms.example' },
      ask: async ({ method, path }: HttpRequest): Promise<Exchange> => {
        const request = `${method} ${path}`;
        this.asked.push(request);
        const given = answer(request);
        if (given instanceof Error) return { kind: 'unwritten', error: given, wasHeldBack: false };
        const [status, body] = given;
        return {
          kind: 'answered',
          status,
          contentType: 'application/json',
          retryAfter: undefined,
          body: JSON.stringify(body),
        };
      },
      events: {
        receipts: async (all) => void (await Promise.all(all.map(keep))),
        unreadableReceipt: async (receipt) => void (await keep(receipt)),
        incoming: keep,
      },
      asksForIncoming: async () => this.isFirst,
      clock: systemClock,
    });
    started.push(this.polling);
    this.polling.start();
  }
}

const started: Polling[] = [];
afterEach(() => Promise.all(started.splice(0).map((polling) => polling.stop())));

describe('what became of messages', () => {
  test('[HTTPC-3] A carrier is asked about a message until its final state, and each new state is stored once', async () => {
    const states = ['queued', 'accepted', 'accepted', 'odd', 'odd', 'delivered'];
    const asking = new Asking({ receipts }, () => [200, { data: { status: states.shift(), code: 7 } }]);
    asking.polling.awaits({ carrierMessageId: 'c/1', messageId: 12 });
    await until(() => states.length === 0 && asking.stored.length === 3);
    expect(asking.asked).toEqual(Array(6).fill('GET /messages/c%2F1?own=12'));
    expect(asking.stored).toMatchObject([
      { carrierMessageId: 'c/1', status: 7, errorCode: null },
      { carrierMessageId: 'c/1', text: '{"state":"odd","error":"7"}' },
      { carrierMessageId: 'c/1', status: 2, errorCode: null },
    ]);
  });

  test('[HTTPC-3] A message that the carrier always fails at keeps no other from being asked about', async () => {
    const asking = new Asking({ receipts }, (request) => {
      if (request.includes('poison')) return [500, {}];
      const times = asking.asked.filter((one) => one === request).length;
      return [200, { data: { status: times < 4 ? 'accepted' : 'delivered' } }];
    });
    for (const id of ['poison1', 'poison2', 'well']) asking.polling.awaits({ carrierMessageId: id });
    await until(() => asking.stored.length === 2);
    expect(asking.stored).toMatchObject([
      { carrierMessageId: 'well', status: 7 },
      { carrierMessageId: 'well', status: 2 },
    ]);
    await until(() => asking.polling.fault !== undefined);
  });

  test('[HTTPC-3] A carrier that always fails is shown as failing between the questions too', async () => {
    const shown = new Set<string | undefined>();
    const asking = new Asking({ receipts }, () => [500, {}]);
    asking.polling.awaits({ carrierMessageId: 'c1' });
    await until(() => asking.polling.fault !== undefined);
    const asked = asking.asked.length;
    await until(() => {
      shown.add(asking.polling.fault);
      return asking.asked.length >= asked + 3;
    });
    expect([...shown]).toEqual(['the carrier answered 500']);
  });

  test('[HTTPC-3] A carrier that can’t be reached, fails or does not know the message is asked again', async () => {
    const answers = [
      new Error('refused'),
      [500, {}] as const,
      [404, {}] as const,
      [200, {}] as const,
      [200, { data: { payload: { id: 'another' }, status: 'delivered' } }] as const,
      [200, { data: { payload: { id: 'c1' }, status: 'failed', code: 7 } }] as const,
    ];
    const asking = new Asking({ receipts }, () => answers.shift() as (typeof answers)[number]);
    asking.polling.awaits({ carrierMessageId: 'c1' });
    await until(() => asking.asked.length === 2);
    await until(() => asking.polling.fault === 'the carrier answered 500');
    await until(() => asking.stored.length > 0);
    expect(asking.asked).toEqual(Array(6).fill('GET /messages/c1?own={id}'));
    expect(asking.stored).toMatchObject([{ carrierMessageId: 'c1', status: 6, errorCode: '7' }]);
    await until(() => asking.polling.fault === undefined);
  });
});

test.each([400, 403, 422])(
  '[HTTPC-3] A message whose question is answered %i delays no other, and the operator is told',
  async (refusal) => {
    const asking = new Asking({ receipts }, (request) =>
      request.includes('/odd') ? [refusal, {}] : [200, { data: { status: 'delivered' } }],
    );
    for (const carrierMessageId of ['odd', '..', 'c1', 'c2']) asking.polling.awaits({ carrierMessageId });
    await until(() => asking.stored.length === 2);
    expect(asking.stored).toMatchObject([{ carrierMessageId: 'c1' }, { carrierMessageId: 'c2' }]);
    await until(() => asking.polling.fault === `the carrier answered ${refusal}`);
    // Its pauses have grown, and an id that would name another address is not asked about.
    expect(asking.asked.every((request) => /^GET \/messages\/(odd|c1|c2)\?/.test(request))).toBe(true);
  },
);

describe('SMS from phones', () => {
  const sms = (id: string | undefined, text: string) => ({
    id,
    from: '+46701740605',
    to: '+46731230001',
    text,
  });

  test('[HTTPC-3] Each listed SMS is stored once, in order, and then acknowledged until the carrier has understood', async () => {
    let list = [sms('1', 'a'), sms('2', 'b')];
    let refusals = 2;
    const asking = new Asking({ incoming }, (request) => {
      if (request === 'GET /inbox') return [200, { messages: list }];
      if (refusals > 0 && request.endsWith('/2')) {
        refusals -= 1;
        return [500, {}];
      }
      list = list.filter(({ id }) => request !== `DELETE /inbox/${id}`);
      return [200, {}];
    });
    await until(() => list.length === 0);
    expect(asking.stored).toMatchObject([
      { sender: '+46701740605', recipient: '+46731230001', text: 'a' },
      { text: 'b' },
    ]);
    expect(asking.asked.slice(0, 3)).toEqual(['GET /inbox', 'DELETE /inbox/1', 'DELETE /inbox/2']);
  });

  test('[HTTPC-3] An SMS that could not be acknowledged, or has no text, is not stored, and the operator is told', async () => {
    const messages = [sms(undefined, 'a'), { id: '3', from: '+46701740605' }, sms('..', 'b'), sms('.', 'c')];
    const asking = new Asking({ incoming }, () => [200, { messages }]);
    await until(() => asking.polling.fault === '4 of the SMS that it lists cannot be read');
    expect(asking.stored).toEqual([]);
    expect(asking.asked).not.toContainEqual(expect.stringMatching(/^DELETE/));
  });

  test('[HTTPC-3] An SMS whose acknowledgement is refused is stored once and holds up no other', async () => {
    const asking = new Asking({ incoming }, (request) => {
      if (request === 'GET /inbox') return [200, { messages: [sms('1', 'a'), sms('2', 'b')] }];
      return [request.endsWith('/1') ? 400 : 200, {}];
    });
    await until(() => asking.asked.length > 6);
    expect(asking.stored).toMatchObject([{ text: 'a' }, { text: 'b' }]);
    expect(asking.polling.fault).toBe('the carrier answered 400');
  });

  test('[HTTPC-3] Each SMS of a long list is stored', async () => {
    const { acknowledge: _, ...poll } = incoming.poll as NonNullable<IncomingSettings['poll']>;
    const list = Array.from({ length: 1_001 }, (_, index) => sms(String(index), 'a'));
    const asking = new Asking({ incoming: { ...incoming, poll } }, () => [200, { messages: list.splice(0) }]);
    await until(() => asking.stored.length === 1_001);
  });

  test('[HTTPC-3] A list may be the whole answer, and no list means no SMS', async () => {
    const answers = [null, [], 7, [sms('1', 'a')]];
    const asking = new Asking({ incoming: { ...incoming, each: '' } }, (request) => [
      200,
      (request === 'GET /inbox' ? (answers.shift() ?? []) : {}) as object,
    ]);
    await until(() => asking.stored.length > 0);
    expect(asking.stored).toMatchObject([{ text: 'a' }]);
    expect(asking.polling.fault).toBeUndefined();
  });

  test('[HTTPC-3] Only the node whose part it is asks', async () => {
    const asking = new Asking({ incoming }, () => [200, { messages: [] }]);
    asking.isFirst = false;
    await until(() => asking.asked.length === 0);
    asking.isFirst = true;
    await until(() => asking.asked.length > 2);
    await asking.polling.stop();
    const { length } = asking.asked;
    await until(() => true);
    expect(asking.asked).toHaveLength(length);
  });
});
