import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyOf, messages } from '../../../../test/carriers/carrier-recorder.ts';
import {
  command,
  octets,
  type RawPdu,
  RawSmsc,
  type SmscSession,
} from '../../../../test/carriers/raw-smsc.ts';
import { linkUp, smppSettingsFor, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import { endlessLease } from '../../../../test/harness/endless-lease.ts';
import { holdTime, letTimeGo, passDuring, passUntil } from '../../../../test/harness/held-time.ts';
import { readReason } from '../../../foundation/sentences.ts';
import type { OutgoingPart } from '../../carrier.ts';
import { newLinkCounters } from '../link/counters.ts';
import { LinkSession } from '../link/session.ts';
import { Composer } from './composer.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(unlinkAll());
  letTimeGo();
});

const ok = (session: SmscSession, pdu: RawPdu) => session.answer(pdu, 0, `id${pdu.sequence}\0`);

describe('each part has one outcome', () => {
  test('[DLV-3] A second response to the same submission is counted and ignored', async () => {
    const { carrier, heard } = await linkUp({}, [
      [
        command.submitSm,
        (session, pdu) => {
          ok(session, pdu);
          session.answer(pdu, 0x45);
        },
      ],
    ]);
    carrier.submit(messages(30));
    await until(() => carrier.status().figures.unexpectedAnswers === 30);
    expect(heard.ofKind('accepted')).toHaveLength(30);
    expect(heard.outcomes).toHaveLength(30);
  });

  test('[DLV-3] A late response counts, and its place in the window is free for others meanwhile', async () => {
    const { smsc, carrier, heard } = await linkUp({ responseTimeoutMs: 500, window: 2 }, [
      [command.submitSm, () => undefined],
    ]);
    const alive = setInterval(() => smsc.session.request(command.enquireLink), 50);
    const parts = messages(4).map((part) => ({ ...part, doubts: 3 }));
    carrier.submit(parts);
    // The other two messages are sent once the first two are late.
    await passUntil(() => smsc.submissions.length === 4);
    expect(heard.outcomes).toEqual([]);
    expect(carrier.status().figures).toMatchObject({ timeouts: 2, windowUsed: 2 });
    const [first, second] = smsc.submissions as [RawPdu, RawPdu];
    ok(smsc.session, first);
    smsc.session.answer(second, 0x0b);
    await until(() => heard.outcomes.length === 2);
    clearInterval(alive);
    expect(heard.outcomes.map(({ part, outcome: { kind } }) => [keyOf(part), kind])).toEqual([
      [keyOf(parts[0] as OutgoingPart), 'accepted'],
      [keyOf(parts[1] as OutgoingPart), 'rejected'],
    ]);
    expect(carrier.status().figures).toMatchObject({ lateAnswers: 2, unexpectedAnswers: 0 });
  });

  test('[DLV-3] A part is in doubt after twice the response time-out, and a response after that is ignored', async () => {
    const { smsc, carrier, heard } = await linkUp({ responseTimeoutMs: 300, window: 4 }, [
      [command.submitSm, () => undefined],
    ]);
    // The SMSC is alive, but slow.
    const alive = setInterval(() => smsc.session.request(command.enquireLink), 50);
    carrier.submit(messages(8));
    await passUntil(() => heard.outcomes.length === 8);
    clearInterval(alive);
    expect(heard.ofKind('inDoubt')).toHaveLength(8);
    expect(heard.outcomes[0]?.outcome).toEqual({
      kind: 'inDoubt',
      reason: 'the SMSC did not answer submit_sm within 600 ms',
    });
    for (const pdu of smsc.submissions) ok(smsc.session, pdu);
    await until(() => carrier.status().figures.unexpectedAnswers === 8);
    expect(smsc.sessions).toHaveLength(1);
    expect(heard.outcomes).toHaveLength(8);
    expect(carrier.status().figures.timeouts).toBe(8);
  });

  test('[DLV-3] A part is in doubt when the connection is lost before its response; unwritten parts go out later', async () => {
    let taken = 0;
    const { smsc, carrier, heard } = await linkUp({ window: 10 }, [
      [
        command.submitSm,
        (session, pdu) => {
          taken += 1;
          if (taken <= 3) ok(session, pdu);
          else if (taken === 10) session.destroy();
          else if (taken > 10) ok(session, pdu);
        },
      ],
    ]);
    const parts = messages(40);
    carrier.submit(parts);
    await passUntil(() => heard.outcomes.length === 40);
    expect(heard.ofKind('accepted').length + heard.ofKind('inDoubt').length).toBe(40);
    expect(heard.ofKind('inDoubt').length).toBeGreaterThanOrEqual(7);
    expect(heard.ofKind('inDoubt').length).toBeLessThanOrEqual(10);
    const { reason = '' } = heard.ofKind('inDoubt')[0]?.outcome ?? {};
    expect(readReason(reason).text).toContain('the connection was lost before the SMSC answered');
    expect(new Set(heard.outcomes.map(({ part }) => keyOf(part))).size).toBe(40);
    expect(smsc.sessions.length).toBeGreaterThanOrEqual(2);
  });

  test('[DLV-3] Parts handed over but not written when the connection ends go out on the next bind', async () => {
    const { smsc, carrier, heard } = await linkUp({ responseTimeoutMs: 100, window: 10 });
    const later = messages(5);
    const tell = heard.outcome.bind(heard);
    heard.outcome = (part, outcome) => {
      tell(part, outcome);
      // In the same turn the connection is given up as silent.
      if (outcome.kind === 'inDoubt') carrier.submit(later);
    };
    smsc.session.socket.pause();
    carrier.submit(messages(1));
    await passUntil(() => heard.outcomes.length === 6);
    expect(heard.ofKind('inDoubt')).toHaveLength(1);
    expect(heard.ofKind('accepted').map(({ part }) => keyOf(part))).toEqual(later.map(keyOf));
  });

  test('[DLV-3] [RUN-4] A stop does not wait for unwritten parts once the link breaks', async () => {
    const { smsc, carrier, heard } = await linkUp({ responseTimeoutMs: 100, window: 10 });
    const later = messages(5);
    let stopped: Promise<void> | undefined;
    const tell = heard.outcome.bind(heard);
    heard.outcome = (part, outcome) => {
      tell(part, outcome);
      if (outcome.kind !== 'inDoubt') return;
      // In the same turn the connection is given up as silent.
      carrier.submit(later);
      stopped = carrier.stop(3_600_000);
    };
    smsc.session.socket.pause();
    carrier.submit(messages(1));
    await passUntil(() => stopped !== undefined);
    // The stop does not take the hour that it is allowed.
    await passDuring(stopped as unknown as Promise<void>);
    expect(heard.ofKind('retryAt').map(({ part }) => keyOf(part))).toEqual(later.map(keyOf));
    expect(heard.outcomes).toHaveLength(6);
  });

  test('[DLV-3] Parts that come after the connection is lost wait for the next bind and are not in doubt', async () => {
    const { smsc, carrier, heard } = await linkUp({ window: 10 });
    smsc.session.send(Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    await until(() => carrier.status().figures.bindsUp === 0 || smsc.session.isClosed);
    carrier.submit(messages(5));
    await passUntil(() => heard.outcomes.length === 5);
    expect(heard.ofKind('accepted')).toHaveLength(5);
  });

  test('[DLV-3] A part is in doubt when its response is not a command of SMPP', async () => {
    const { smsc, carrier, heard } = await linkUp({}, [
      [command.submitSm, (session, pdu) => session.send(octets(0x8000_0666, 0, pdu.sequence))],
    ]);
    carrier.submit(messages(1));
    await until(() => heard.outcomes.length === 1);
    expect(heard.outcomes[0]?.outcome.kind).toBe('inDoubt');
    expect(smsc.sessions).toHaveLength(1);
  });

  test('[DLV-3] A part is accepted, and not sent again, when its response says so and only its id cannot be read', async () => {
    const ids = ['x'.repeat(200), 'without its end', `${'9'.repeat(100)}\0`];
    const { smsc, carrier, heard } = await linkUp({}, [
      [command.submitSm, (session, pdu) => session.answer(pdu, 0, ids[smsc.submissions.length - 1])],
    ]);
    carrier.submit(messages(ids.length));
    await until(() => heard.outcomes.length === ids.length);
    expect(heard.ofKind('accepted').map(({ outcome }) => outcome.carrierMessageId)).toEqual([
      expect.stringMatching(/^none-/),
      'without its end',
      '9'.repeat(100),
    ]);
    expect(smsc.sessions).toHaveLength(1);
  });

  test('[DLV-3] When a connection is given up, a part submitted in that turn is either in doubt or never goes out', async () => {
    const smsc = await RawSmsc.listen();
    const settings = smppSettingsFor(smsc.port);
    const composer = new Composer(settings);
    const doubtful: number[] = [];
    const unwritten: number[] = [];
    const session = await new Promise<LinkSession>((resolve) => {
      const made = new LinkSession(
        { settings, role: 'transceiver', counters: newLinkCounters(), lease: endlessLease() },
        {
          delivered: () => undefined,
          turn: () => undefined,
          closed: () => undefined,
          answered: () => undefined,
          bound: () => resolve(made),
          inDoubt: ({ messageId }) => doubtful.push(messageId),
          unwritten: (parts) => unwritten.push(...parts.map(({ messageId }) => messageId)),
        },
      );
    });
    const [written, ...queued] = messages(4);
    smsc.rules.set(command.submitSm, () => undefined);
    const submit = (part: OutgoingPart) =>
      session.submit(part, (sequence) => composer.compose(part, sequence, 0));
    submit(written as OutgoingPart);
    await until(() => smsc.submissions.length === 1);
    for (const part of queued) submit(part);
    session.giveUp('the carrier was stopped');
    await passUntil(() => smsc.session.isClosed);
    expect(doubtful).toEqual([written?.messageId]);
    expect(unwritten).toEqual(queued.map(({ messageId }) => messageId));
    expect(smsc.submissions).toHaveLength(1);
    expect(smsc.session.of(command.unbind)).toHaveLength(1);
    await smsc.close();
  });

  test('[DLV-5] A part accepted without an id gets one that no receipt will have', async () => {
    const { carrier, heard } = await linkUp({}, [
      [command.submitSm, (session, pdu) => session.answer(pdu, 0, '\0')],
    ]);
    carrier.submit(messages(2));
    await until(() => heard.outcomes.length === 2);
    const ids = heard.ofKind('accepted').map(({ outcome }) => outcome.carrierMessageId);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^none-/);
  });
});

describe('while no bind is up', () => {
  test('[DLV-3] While no bind is up, waiting parts are given back after a while, so that another carrier may take them', async () => {
    const { smsc, carrier, heard } = await linkUp();
    await smsc.close();
    await until(() => carrier.status().state === 'down');
    carrier.submit(messages(3));
    const before = Date.now();
    await passUntil(() => heard.outcomes.length === 3, 20);
    const [first] = heard.ofKind('retryAt');
    expect(first?.outcome.reason).toContain('no bind is up: ');
    expect(first?.outcome.time).toBeGreaterThanOrEqual(before + 1_000);
  });
});
