import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import {
  command,
  octets,
  type RawPdu,
  recipientOf,
  type SmscSession,
} from '../../../../test/carriers/raw-smsc.ts';
import { linkUp, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../../../test/harness/held-time.ts';
import { storedReason } from '../../../foundation/sentences.ts';
import type { SmppSettings } from '../settings.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(unlinkAll());
  letTimeGo();
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const ok = (session: SmscSession, pdu: RawPdu) => session.answer(pdu, 0, `id${pdu.sequence}\0`);

/** The outcome of one part that the SMSC refuses with this status. */
async function refused(status: number, settings: Partial<SmppSettings> = {}) {
  const { carrier, heard } = await linkUp(settings, [
    [command.submitSm, (session, pdu) => session.answer(pdu, status)],
  ]);
  carrier.submit(messages(1));
  await until(() => heard.outcomes.length === 1);
  return heard.outcomes[0]?.outcome;
}

describe('a refusal', () => {
  test.each([
    [0x01, 13, 'ESME_RINVMSGLEN (0x01)'],
    [0x0a, 5, 'ESME_RINVSRCADR (0x0A)'],
    [0x0b, 10, 'ESME_RINVDSTADR (0x0B)'],
    [0x33, 10, 'ESME_RINVNUMDESTS (0x33)'],
    [0x45, 5, 'ESME_RSUBMITFAIL (0x45)'],
    [0x61, 13, 'ESME_RINVSCHED (0x61)'],
    [0xfe, 6, 'ESME_RDELIVERYFAILURE (0xFE)'],
    [0xff, 5, 'ESME_RUNKNOWNERR (0xFF)'],
    [0x401, 5, 'command_status 0x401'],
    [0xffffffff, 5, 'command_status 0xFFFFFFFF'],
  ])('[DLV-3] A submission refused for good with error %i ends in status %i', async (status, code, name) => {
    expect(await refused(status)).toEqual({
      kind: 'rejected',
      status: code,
      reason: storedReason({ sentence: 'smsc_refused', status: name }),
    });
  });

  test.each([[0x58], [0x14], [0x08], [0x64]])(
    '[DLV-3] A submission refused for now with error %i is retried',
    async (status) => {
      const before = Date.now();
      const outcome = await refused(status, { throttlePauseMs: 500 });
      expect(outcome?.kind).toBe('retryAt');
      if (outcome?.kind === 'retryAt') expect(outcome.time - before).toBeGreaterThanOrEqual(500);
    },
  );

  test('[DLV-3] The carrier’s error table overrides the defaults, by name and by number', async () => {
    const errors = {
      ESME_RSUBMITFAIL: 'retry',
      ESME_RTHROTTLED: 'fail:UNDELIVERABLE',
      '1025': 'passOn:SUBSCRIBERERROR',
      '0x402': 'fail:UNKNOWNSUBSCRIBER',
    };
    expect(await refused(0x45, { errors })).toMatchObject({ kind: 'retryAt' });
    expect(await refused(0x58, { errors })).toMatchObject({ kind: 'rejected', status: 6 });
    expect(await refused(0x401, { errors })).toMatchObject({ kind: 'passOn', status: 11 });
    expect(await refused(0x402, { errors })).toMatchObject({ kind: 'rejected', status: 9 });
    expect(await refused(0x14, { errors })).toMatchObject({ kind: 'retryAt' });
  });

  test('[DLV-3] A refusal by generic_nack counts like any other', async () => {
    const { carrier, heard } = await linkUp({}, [
      [command.submitSm, (session, pdu) => session.send(octets(command.genericNack, 2, pdu.sequence))],
    ]);
    carrier.submit(messages(1));
    await until(() => heard.outcomes.length === 1);
    expect(heard.outcomes[0]?.outcome).toMatchObject({ kind: 'rejected', status: 13 });
  });
});

describe('an overloaded SMSC', () => {
  test('[DLV-3] An SMSC that throttles is left alone for a moment, longer if it throttles again, and nothing is lost', async () => {
    let refusals = 0;
    const { smsc, carrier, heard } = await linkUp({ throttlePauseMs: 100, window: 5 }, [
      [
        command.submitSm,
        (session, pdu) => {
          if (refusals >= 10) return ok(session, pdu);
          refusals += 1;
          session.answer(pdu, 0x58);
        },
      ],
    ]);
    const parts = messages(15);
    carrier.submit(parts);
    // Five are sent at once, then a pause, five more, and a longer pause.
    await until(() => heard.outcomes.length === 5);
    for (const [round, restMs] of [100, 150].entries()) {
      const before = 5 * (round + 1);
      pass(restMs - 1);
      await nextTurn();
      expect(smsc.submissions).toHaveLength(before);
      pass(1);
      await until(() => heard.outcomes.length === before + 5);
    }
    expect(heard.ofKind('retryAt')).toHaveLength(10);
    expect(heard.ofKind('accepted')).toHaveLength(5);
    expect(carrier.status().figures).toMatchObject({ throttled: 10, accepted: 5 });
  });

  test('[DLV-3] Throttling on one bind leaves the other bind alone', async () => {
    const { smsc, carrier, heard } = await linkUp({ binds: 2, throttlePauseMs: 5_000, window: 5 });
    const [first] = smsc.sessions;
    smsc.rules.set(command.submitSm, (session, pdu) =>
      session === first ? session.answer(pdu, 0x14) : ok(session, pdu),
    );
    carrier.submit(messages(100));
    await until(() => heard.outcomes.length === 100);
    expect(heard.ofKind('retryAt').length).toBeLessThanOrEqual(5);
  });

  test('[DLV-3] One message that is refused again and again neither stops the others nor is retried without pause', async () => {
    const { smsc, carrier, heard } = await linkUp({ throttlePauseMs: 200, window: 1 }, [
      [
        command.submitSm,
        (session, pdu) => (recipientOf(pdu) === '46701740699' ? session.answer(pdu, 0x08) : ok(session, pdu)),
      ],
    ]);
    const [stuck] = messages(1, { recipient: '46701740699' });
    const others = () => smsc.submissions.filter((pdu) => recipientOf(pdu) !== '46701740699').length;
    const pauses: number[] = [];
    for (let round = 0; round < 6; round++) {
      const before = Date.now();
      carrier.submit([stuck as never, ...messages(20)]);
      await until(() => heard.ofKind('retryAt').length === round + 1);
      // Only the first time could the SMSC have been the cause.
      if (round === 0) pass(200);
      await until(() => others() === (round + 1) * 20);
      pauses.push((heard.ofKind('retryAt').at(-1)?.outcome.time as number) - before);
    }
    pass(300);
    expect(carrier.status().figures.throttledSeconds).toBeLessThan(0.6);
    await until(() => heard.ofKind('accepted').length === 120);
    for (const [round, pauseMs] of pauses.entries()) expect(pauseMs).toBeGreaterThanOrEqual(200 * 2 ** round);
  });

  test('[DLV-3] An SMSC that throttles for long is tried now and then, and its carrier stays up', async () => {
    const { smsc, carrier, heard } = await linkUp({ throttlePauseMs: 100, window: 2 }, [
      [command.submitSm, (session, pdu) => session.answer(pdu, 0x58)],
    ]);
    // Like dispatch, this never has more than two windows of parts handed over.
    let handedOver = 0;
    for (let turn = 0; turn < 75; turn++) {
      const missing = 4 - (handedOver - heard.outcomes.length);
      carrier.submit(messages(missing));
      handedOver += missing;
      pass(20);
      for (let turns = 0; turns < 5; turns++) await nextTurn();
    }
    expect(smsc.submissions.length).toBeLessThan(30);
    expect(heard.outcomes.length).toBe(heard.ofKind('retryAt').length);
    expect(carrier.status().state).toBe('up');
    expect(carrier.status().figures.throttledSeconds).toBeGreaterThan(1);
  });
});

describe('ESME_RINVBNDSTS', () => {
  test('[DLV-3] ESME_RINVBNDSTS counts as a fault of the link: a new bind is made, and the message is retried', async () => {
    const { smsc, carrier, heard } = await linkUp({ window: 3 });
    const [first] = smsc.sessions;
    smsc.rules.set(command.submitSm, (session, pdu) => {
      if (session !== first) ok(session, pdu);
      else if (recipientOf(pdu) === '46701740699') session.answer(pdu, 0x04);
      // Other submissions in progress get their response on the old bind.
      else setTimeout(() => ok(session, pdu), 50);
    });
    carrier.submit([...messages(2), ...messages(1, { recipient: '46701740699' }), ...messages(4)]);
    await passUntil(() => heard.outcomes.length === 7);
    expect(heard.ofKind('retryAt')).toHaveLength(1);
    expect(heard.ofKind('accepted')).toHaveLength(6);
    await until(() => first?.isClosed === true);
    expect(smsc.sessions).toHaveLength(2);
    expect(first?.received.at(-1)?.command).toBe(command.unbind);
  });

  test('[DLV-3] Pauses grow when ESME_RINVBNDSTS follows each new bind', async () => {
    const { smsc, carrier, heard } = await linkUp({ reconnectMinMs: 40, reconnectMaxMs: 1_000 }, [
      [command.submitSm, (session, pdu) => session.answer(pdu, 0x04)],
    ]);
    for (let round = 0; round < 4; round++) {
      carrier.submit(messages(1));
      await passUntil(() => heard.ofKind('retryAt').length === round + 1);
    }
    const at = smsc.sessions.map(({ openedAt }) => openedAt);
    expect((at[3] as number) - (at[2] as number)).toBeGreaterThanOrEqual(120);
  });
});
