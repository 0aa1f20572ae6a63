import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import { command, octets, receiptBody, recipientOf } from '../../../../test/carriers/raw-smsc.ts';
import { link, linkUp, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { pause, until } from '../../../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../../../test/harness/held-time.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(unlinkAll());
  letTimeGo();
});

const ignore = () => undefined;

describe('a bind', () => {
  test('[DLV-3] A bind identifies the server as the settings say', async () => {
    const { smsc } = await linkUp({
      systemId: 'me',
      password: 'pw',
      systemType: 'type',
      addressRange: '^46',
      interfaceVersion: '33',
    });
    const [bind] = smsc.session.received;
    expect(bind?.command).toBe(command.bindTransceiver);
    expect(bind?.body.toString('latin1')).toBe('me\0pw\0type\0\x33\0\0^46\0');
  });

  test('[DLV-3] A carrier opens several binds of one connection each, or pairs of a transmitter and a receiver', async () => {
    const several = await linkUp({ binds: 3 });
    expect(several.smsc.sessions.map(({ received }) => received[0]?.command)).toEqual([9, 9, 9]);
    const pairs = await linkUp({ binds: 2, bind: 'pair' });
    const kinds = pairs.smsc.sessions.map(({ received }) => received[0]?.command);
    expect(kinds.sort()).toEqual([1, 1, 2, 2]);
    pairs.carrier.submit(messages(20));
    await until(() => pairs.heard.ofKind('accepted').length === 20);
    for (const session of pairs.smsc.sessions) {
      const isTransmitter = session.received[0]?.command === command.bindTransmitter;
      expect(session.of(command.submitSm)).toHaveLength(isTransmitter ? 10 : 0);
    }
  });

  test('[DLV-3] A refused bind is tried again, and its reason names the code and what to check', async () => {
    const { smsc, carrier } = await link({}, [
      [command.bindTransceiver, (session, pdu) => session.answer(pdu, 0x0d)],
    ]);
    await passUntil(() => smsc.sessions.length >= 3);
    await until(() => carrier.status().state === 'down');
    const { state, reason } = carrier.status();
    expect(state).toBe('down');
    expect(reason).toContain(
      'the SMSC refused the bind: ESME_RBINDFAIL (0x0D); a wrong systemId or password',
    );
    smsc.rules.clear();
    await passUntil(() => carrier.status().state === 'up');
    expect(carrier.status().reason).toBeNull();
  });

  test('[DLV-3] A bind refused by a generic_nack counts as refused', async () => {
    const { carrier } = await link({}, [
      [command.bindTransceiver, (session, pdu) => session.send(octets(command.genericNack, 3, pdu.sequence))],
    ]);
    await until(() => carrier.status().state === 'down');
    expect(carrier.status().reason).toContain(
      'ESME_RINVCMDID (0x03); does the operator offer this kind of bind',
    );
  });

  test('[DLV-3] A bind without a response is given up after the time-out', async () => {
    const { smsc, carrier } = await link({ responseTimeoutMs: 100 }, [[command.bindTransceiver, ignore]]);
    expect(carrier.status().state).toBe('starting');
    await passUntil(() => carrier.status().state === 'down');
    expect(carrier.status().reason).toBe('the SMSC did not answer the bind within 100 ms');
    await passUntil(() => smsc.sessions.length >= 2);
  });

  test('[DLV-3] A carrier that cannot reach the SMSC goes down and names the address and the error', async () => {
    const { smsc, carrier } = await link();
    const { port } = smsc;
    await smsc.close();
    await until(() => carrier.status().state === 'down');
    await passUntil(() => carrier.status().reason?.includes("can't be reached") ?? false);
    expect(carrier.status().reason).toContain(`127.0.0.1:${port} can't be reached: connect ECONNREFUSED`);
  });

  test('[DLV-3] A lost bind is made again, with pauses that grow up to the longest', async () => {
    const { smsc } = await link({ reconnectMinMs: 40, reconnectMaxMs: 160 }, [
      [command.bindTransceiver, (session) => session.destroy()],
    ]);
    await passUntil(() => smsc.sessions.length >= 6);
    const at = smsc.sessions.map(({ openedAt }) => openedAt);
    const pauses = at.slice(1).map((time, index) => time - (at[index] as number));
    for (const [index, pauseMs] of pauses.entries()) {
      // The fake clock advances in whole milliseconds.
      expect(pauseMs).toBeGreaterThanOrEqual(([40, 64][index] ?? 128) - 1);
    }
  });
});

test('[DLV-3] A lost bind that carried something is made again soon, however often it is lost', async () => {
  const { smsc, carrier, heard } = await linkUp({ reconnectMinMs: 40, reconnectMaxMs: 3_600_000 }, [
    [
      command.submitSm,
      (session, pdu) => {
        session.answer(pdu, 0, 'id\0');
        session.socket.end();
      },
    ],
  ]);
  for (let round = 1; round <= 6; round++) {
    carrier.submit(messages(1));
    await until(() => heard.ofKind('accepted').length === round);
    await until(() => carrier.status().state === 'down');
    // The shortest pause plus its jitter; the sixth pause in a row would be 32 times as long.
    pass(40 * 1.2);
    await until(() => smsc.sessions.length === round + 1 && carrier.status().state === 'up');
  }
});

describe('whether the other side is there', () => {
  test('[DLV-3] A carrier checks a bind by enquire_link, which the SMSC answers', async () => {
    const { smsc, carrier } = await linkUp({ enquireLinkMs: 1_000 });
    await passUntil(() => smsc.session.of(command.enquireLink).length >= 2, 10);
    expect(carrier.status()).toMatchObject({ state: 'up', reason: null });
    expect(smsc.sessions).toHaveLength(1);
  });

  test('[DLV-3] A carrier answers enquire_link with the sequence number of the SMSC', async () => {
    const { smsc } = await linkUp();
    smsc.session.send(octets(command.enquireLink, 0, 77));
    await until(() => smsc.session.of(command.enquireLinkResp).length === 1);
    expect(smsc.session.of(command.enquireLinkResp)[0]).toMatchObject({ status: 0, sequence: 77 });
  });

  test('[DLV-3] An enquire_link without a response ends a half-open connection', async () => {
    const { smsc, carrier } = await linkUp({ enquireLinkMs: 1_000, responseTimeoutMs: 200 });
    // The socket stays open, but nothing reads from it.
    smsc.session.socket.pause();
    await passUntil(() => smsc.sessions.length === 2, 10);
    expect(carrier.status().figures).toMatchObject({ timeouts: 1, disconnects: 1 });
    await passUntil(() => carrier.status().state === 'up');
  });

  test('[DLV-3] An SMSC that does not know enquire_link still counts as alive', async () => {
    const { smsc } = await linkUp({ enquireLinkMs: 1_000, responseTimeoutMs: 200 }, [
      [command.enquireLink, (session, pdu) => session.send(octets(command.genericNack, 3, pdu.sequence))],
    ]);
    await passUntil(() => smsc.session.of(command.enquireLink).length >= 2, 10);
    expect(smsc.sessions).toHaveLength(1);
  });

  test('[DLV-3] Silence after a submission ends the SMPP connection too, long before the next enquire_link', async () => {
    const { smsc, carrier, heard } = await linkUp({ responseTimeoutMs: 100 });
    smsc.session.socket.pause();
    pass(150);
    carrier.submit(messages(1));
    await passUntil(() => heard.ofKind('inDoubt').length === 1);
    await passUntil(() => smsc.sessions.length === 2);
    expect(heard.outcomes[0]?.outcome).toMatchObject({
      reason: 'the SMSC did not answer submit_sm within 100 ms',
    });
  });
});

describe('what an SMSC has no business to send', () => {
  test('[DLV-3] Unknown commands from the SMSC are answered by generic_nack, with their sequence number', async () => {
    const { smsc, carrier } = await linkUp();
    smsc.session.send(octets(0x1234, 0, 5, 'nonsense'));
    smsc.session.send(octets(command.querySm, 0, 6, 'id\0\x01\x0146701740600\0'));
    await until(() => smsc.session.of(command.genericNack).length === 2);
    expect(smsc.session.of(command.genericNack)).toMatchObject([
      { status: 3, sequence: 5 },
      { status: 3, sequence: 6 },
    ]);
    carrier.submit(messages(1));
    await until(() => smsc.submissions.length === 1);
    expect(carrier.status().state).toBe('up');
  });

  test('[DLV-3] An outbind from the SMSC is refused and leads to no new connection', async () => {
    const { smsc } = await linkUp();
    smsc.session.request(command.outbind, 'smsc\0pw\0');
    await until(() => smsc.session.of(command.genericNack).length === 1);
    expect(smsc.sessions).toHaveLength(1);
  });

  test('[DLV-3] An alert_notification from the SMSC gets no response', async () => {
    const { smsc } = await linkUp();
    smsc.session.request(command.alertNotification, '\x01\x0146701740600\0\x01\x011234\0');
    smsc.session.request(command.enquireLink);
    await until(() => smsc.session.of(command.enquireLinkResp).length === 1);
    expect(smsc.session.of(command.genericNack)).toEqual([]);
  });

  test('[DLV-3] Unexpected responses from the SMSC are counted and not answered', async () => {
    const { smsc, carrier } = await linkUp();
    smsc.session.send(octets(command.submitSmResp, 0, 4_000, 'id\0'));
    smsc.session.send(octets(command.genericNack, 3, 0));
    smsc.session.send(octets(0x8000_1234, 0, 9));
    smsc.session.request(command.enquireLink);
    await until(() => smsc.session.of(command.enquireLinkResp).length === 1);
    expect(smsc.session.received.map((pdu) => pdu.command)).toEqual([
      command.bindTransceiver,
      command.enquireLinkResp,
    ]);
    await until(() => (carrier.status().figures.unexpectedAnswers ?? 0) >= 2);
  });
});

describe('the end of a bind', () => {
  test('[DLV-3] [RUN-4] A stop sends unbind only after the last response, and then closes the socket', async () => {
    const { smsc, carrier, heard } = await linkUp({}, [
      [command.submitSm, (session, pdu) => void setTimeout(() => session.answer(pdu, 0, 'id\0'), 100)],
    ]);
    carrier.submit(messages(3));
    await until(() => smsc.submissions.length === 3);
    await passDuring(carrier.stop(30_000));
    expect(heard.ofKind('accepted')).toHaveLength(3);
    expect(smsc.session.received.at(-1)?.command).toBe(command.unbind);
    await until(() => smsc.session.isClosed);
  });

  test('[RUN-4] An SMSC that does not answer unbind does not hold up a stop', async () => {
    const { smsc, carrier } = await linkUp({}, [[command.unbind, ignore]]);
    let isOver = false;
    void carrier.stop(0).then(() => {
      isOver = true;
    });
    await until(() => smsc.session.of(command.unbind).length === 1);
    expect(isOver).toBe(false);
    pass(200);
    await until(() => isOver);
    await until(() => smsc.session.isClosed);
  });

  test('[DLV-3] When the SMSC unbinds, parts under way may finish before it is answered and bound again', async () => {
    const { smsc, carrier, heard } = await linkUp();
    const [first] = smsc.sessions;
    smsc.rules.set(command.submitSm, (session, pdu) => {
      if (session !== first) return session.answer(pdu, 0, 'later\0');
      session.request(command.unbind);
      setTimeout(() => session.answer(pdu, 0, 'id\0'), 50);
    });
    carrier.submit(messages(1));
    await passUntil(() => heard.ofKind('accepted').length === 1);
    await until(() => first?.of(command.unbindResp).length === 1);
    await passUntil(() => smsc.sessions.length === 2 && carrier.status().state === 'up');
    carrier.submit(messages(1));
    await until(() => heard.ofKind('accepted').length === 2);
  });

  test('[DLV-3] [DLV-5] When the SMSC unbinds, a delivery that is being stored is waited for, but only for a limited time', async () => {
    const { smsc, heard } = await linkUp();
    const [first] = smsc.sessions;
    heard.storing = new Promise(ignore);
    first?.request(command.deliverSm, receiptBody('raw1', '46701740600'));
    first?.request(command.unbind);
    first?.request(command.enquireLink);
    await until(() => heard.receiptCalls === 1 && first?.of(command.enquireLinkResp).length === 1);
    expect(first?.of(command.unbindResp)).toEqual([]);
    await passUntil(() => first?.of(command.unbindResp).length === 1, 100);
    expect(first?.of(command.deliverSmResp)).toEqual([]);
  });
});

describe('writing', () => {
  test('[DLV-3] No bind has more unanswered parts than its window, and all binds fill theirs', async () => {
    const { smsc, carrier } = await linkUp({ binds: 3, window: 4 }, [[command.submitSm, ignore]]);
    carrier.submit(messages(10, { parts: 3 }));
    await until(() => smsc.submissions.length === 12);
    await pause(50);
    expect(smsc.sessions.map((session) => session.of(command.submitSm).length)).toEqual([4, 4, 4]);
    const [first] = smsc.sessions;
    const [oldest] = first?.of(command.submitSm) ?? [];
    if (oldest !== undefined) first?.answer(oldest, 0, 'id\0');
    await until(() => smsc.submissions.length === 13);
    expect(first?.of(command.submitSm)).toHaveLength(5);
  });

  test('[DLV-3] Waiting parts are shared evenly among the binds', async () => {
    const { smsc, carrier } = await linkUp({ binds: 3, window: 100 }, [[command.submitSm, ignore]]);
    carrier.submit(messages(30));
    await until(() => smsc.submissions.length === 30);
    const counts = smsc.sessions.map((session) => session.of(command.submitSm).length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
  });

  test('[DLV-3] Many submissions of one turn go out in a few writes', async () => {
    const { smsc, carrier, heard } = await linkUp({ window: 100 });
    const before = smsc.session.chunks.length;
    carrier.submit(messages(100));
    await until(() => heard.outcomes.length === 100);
    expect(smsc.session.chunks.length - before).toBeLessThanOrEqual(3);
    expect(smsc.submissions.map(recipientOf)).toHaveLength(100);
  });

  test('[DLV-3] An SMSC that sends requests without end and reads no responses is read no further', async () => {
    const { smsc } = await linkUp({ responseTimeoutMs: 60_000 });
    const { socket } = smsc.session;
    const enquiry = octets(command.enquireLink, 0, 1);
    const enquiries = Buffer.concat(Array.from({ length: 40_000 }, () => enquiry));
    socket.pause();
    let sent = 0;
    // The network buffers of both sides fill up, but this side does not buffer any further itself.
    await until(() => {
      if (socket.writableLength > 10 * enquiries.length) return true;
      smsc.session.send(enquiries);
      sent += enquiries.length;
      return false;
    }, 300_000);
    // Makes sure that it has stopped for good and is not merely slow.
    let before: number;
    do {
      before = socket.writableLength;
      await pause(400);
    } while (socket.writableLength !== before);
    expect(before).toBeGreaterThan(0);
    expect(sent).toBeLessThan(64 * 1_048_576);
    socket.resume();
    await until(() => socket.writableLength === 0);
  });
});
