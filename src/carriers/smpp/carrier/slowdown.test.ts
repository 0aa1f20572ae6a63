/** Tests an SMSC that suddenly becomes slow after it was fast, so that many parts were handed over in advance. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyOf, messages } from '../../../../test/carriers/carrier-recorder.ts';
import { command, type RawPdu, recipientOf, type SmscSession } from '../../../../test/carriers/raw-smsc.ts';
import { linkUp, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../../../test/harness/held-time.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(unlinkAll());
  letTimeGo();
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const ok = (session: SmscSession, pdu: RawPdu) => session.answer(pdu, 0, `id${pdu.sequence}\0`);

describe('an SMSC that becomes slow', () => {
  test.each([
    ['answers late', (session: SmscSession, pdu: RawPdu) => void setTimeout(() => ok(session, pdu), 400)],
    ['asks for less', (session: SmscSession, pdu: RawPdu) => session.answer(pdu, 0x58)],
    ['answers nothing', () => undefined],
  ])(
    '[DLV-3] [BATCH-9] An SMSC that becomes slow and %s keeps twice its window, and all other parts are given back, once',
    async (does, slow) => {
      // The pause outlasts all the checks that follow.
      const { smsc, carrier, heard } = await linkUp({ window: 5, throttlePauseMs: 1_900 }, [
        [command.submitSm, slow],
      ]);
      const bulk = messages(300);
      const submittedAt = performance.now();
      carrier.submit(bulk);
      await passUntil(() => heard.ofKind('givenBack').length > 0);
      const back = heard.ofKind('givenBack');
      expect((back[0]?.at ?? 0) - submittedAt).toBeGreaterThanOrEqual(1_000);
      const ended = heard.outcomes.findIndex(({ outcome }) => outcome.kind === 'givenBack');
      // Apart from parts with a response, the carrier keeps those in progress and those queued behind them, in order.
      expect(300 - ended - back.length).toBe(10);
      expect(back.map(({ part }) => part)).toEqual(bulk.slice(300 - back.length));
      pass(350);
      await nextTurn();
      expect(heard.ofKind('givenBack')).toHaveLength(back.length);
      // A new part is sent after the ten that remain.
      smsc.rules.set(command.submitSm, ok);
      const [urgent] = messages(1, { recipient: '46701740699' });
      carrier.submit([urgent as never]);
      if (does === 'answers nothing') for (const pdu of smsc.submissions) ok(smsc.session, pdu);
      await passUntil(() => heard.outcomes.length === 301);
      const place = smsc.submissions.findIndex((pdu) => recipientOf(pdu) === '46701740699');
      expect(place).toBe(smsc.submissions.length - 1);
      expect(new Set(heard.outcomes.map(({ part }) => keyOf(part))).size).toBe(301);
    },
  );

  test('[DLV-3] [DLV-4] When the SMSC becomes slow, no message with a part already under way is given back', async () => {
    const { smsc, carrier, heard } = await linkUp({ window: 4 }, [[command.submitSm, () => undefined]]);
    const parts = [...messages(1), ...messages(1, { parts: 12 }), ...messages(2, { parts: 2 })];
    carrier.submit(parts);
    await passUntil(() => heard.ofKind('givenBack').length > 0);
    expect(heard.ofKind('givenBack').map(({ part }) => part)).toEqual(parts.slice(13));
    expect(smsc.submissions).toHaveLength(4);
  });

  test('[DLV-2] [DLV-3] A carrier limited by its throughput gives nothing back, and neither does one with many parts ahead and quick responses', async () => {
    const limited = await linkUp({ window: 10, throughput: 20 });
    const quick = await linkUp({ window: 1 });
    // These parts are more than twice the carrier's window, and take less than a second and a half.
    limited.carrier.submit(messages(26));
    for (let turn = 1; turn <= 30; turn++) {
      quick.carrier.submit(messages(10));
      pass(50);
      await until(() => quick.heard.outcomes.length === 10 * turn);
      await until(() => limited.heard.outcomes.length >= Math.min(26, turn - 1));
    }
    await passUntil(() => limited.heard.outcomes.length === 26);
    expect(quick.heard.ofKind('accepted')).toHaveLength(300);
    expect(limited.heard.ofKind('accepted')).toHaveLength(26);
  });

  test('[RUN-4] A stop while the SMSC is slow gives each part one outcome, and no outcome follows later', async () => {
    const { carrier, heard } = await linkUp({ window: 5 }, [[command.submitSm, () => undefined]]);
    carrier.submit(messages(100));
    await passDuring(carrier.stop(300));
    expect(heard.outcomes).toHaveLength(100);
    pass(1_300);
    await nextTurn();
    expect(heard.outcomes).toHaveLength(100);
    expect(heard.ofKind('givenBack')).toEqual([]);
  });
});

test('[DLV-3] No parts are given back after the process itself was held up', async () => {
  letTimeGo();
  const { carrier, heard } = await linkUp({ window: 10 });
  carrier.submit(messages(30));
  const heldUpUntil = performance.now() + 1_300;
  while (performance.now() < heldUpUntil);
  await until(() => heard.outcomes.length === 30);
  expect(heard.ofKind('accepted')).toHaveLength(30);
  await unlinkAll();
  holdTime();
});
