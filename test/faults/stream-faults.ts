/** Faults of the byte stream and the link below it: data that is not a PDU, and PDUs cut in the middle. */
import { setTimeout as delay } from 'node:timers/promises';
import { maxPduLength } from '../../src/wire/smpp/commands.ts';
import { command, octets, type SmscSession } from '../carriers/raw-smsc.ts';
import { until } from '../harness/awake.ts';
import type { FaultySmsc, Misbehaviour } from './faulty-smsc.ts';
import type { SmppFault } from './link-fault.ts';

const headerLength = 16;
const unknownCommand = 0x0666;

/** Precedes the response with a header that announces this many octets. */
function announced(length: number): Buffer {
  const header = octets(command.enquireLink, 0, 1);
  header.writeUInt32BE(length, 0);
  return header;
}

const inFrontOfAnswer = (send: (session: SmscSession) => void): Misbehaviour => ({
  submit(smsc, session, pdu) {
    send(session);
    smsc.take(session, pdu);
  },
});

/** Waits until some submissions are in flight. */
function underLoad(smsc: FaultySmsc): Promise<void> {
  const enough = smsc.arrived + 5;
  return until(() => smsc.arrived >= enough);
}

const inACourse = (course: (smsc: FaultySmsc) => Promise<void>) => ({ course });

export const streamFaults: readonly SmppFault[] = [
  ...[0, 3, 0xffff_ffff, maxPduLength + 1].map((length) => ({
    name: `a PDU of ${length} octets announced`,
    happens: { times: 3, does: inFrontOfAnswer((session) => session.send(announced(length))) },
  })),
  {
    name: 'the largest PDU, of an unknown command',
    happens: {
      times: 3,
      does: inFrontOfAnswer((session) =>
        session.send(octets(unknownCommand, 0, 1, Buffer.alloc(maxPduLength - headerLength, 'x'))),
      ),
    },
  },
  {
    name: 'requests that no SMSC sends',
    happens: {
      times: 5,
      does: inFrontOfAnswer((session) => {
        for (const id of [unknownCommand, command.bindTransceiver, command.submitSm, command.outbind])
          session.request(id);
      }),
    },
  },
  {
    name: 'a PDU whose end never comes',
    settings: { responseTimeoutMs: 500 },
    happens: { times: 1, does: inFrontOfAnswer((session) => session.send(announced(maxPduLength))) },
  },
  {
    name: 'rubbish between PDUs',
    happens: { times: 3, does: inFrontOfAnswer((session) => session.send(Buffer.alloc(40, 0xa5))) },
  },
  {
    name: 'byte by byte',
    happens: {
      times: 1,
      does: {
        submit(smsc, session, pdu) {
          smsc.drip(session, 3_000, 0);
          smsc.take(session, pdu);
        },
      },
    },
  },
  {
    name: 'a byte every 10 ms',
    happens: {
      times: 1,
      does: {
        submit(smsc, session, pdu) {
          smsc.drip(session, 200, 10);
          smsc.take(session, pdu);
        },
      },
    },
  },
  {
    name: 'cut in the middle of an answer',
    happens: {
      times: 3,
      does: {
        submit(smsc, session, pdu) {
          session.send(octets(command.submitSmResp, 0, pdu.sequence, `${smsc.nextId()}\0`).subarray(0, 18));
          session.socket.end();
        },
      },
    },
  },
  {
    name: 'closed after each answer',
    happens: {
      times: 5,
      does: {
        submit(smsc, session, pdu) {
          smsc.take(session, pdu);
          smsc.answerAll();
          session.socket.end();
        },
      },
    },
  },
  {
    name: 'half-open',
    happens: { times: 1, does: { submit: (smsc, session) => smsc.silence(session) } },
  },
  {
    name: 'cut under load',
    happens: inACourse(async (smsc) => {
      for (let cuts = 0; cuts < 3; cuts++) {
        await underLoad(smsc);
        smsc.cut();
      }
    }),
  },
  {
    name: 'unbind under load',
    happens: inACourse(async (smsc) => {
      await underLoad(smsc);
      for (const session of smsc.bound) session.request(command.unbind);
    }),
  },
  {
    name: 'unbind under load, closed without waiting',
    happens: inACourse(async (smsc) => {
      await underLoad(smsc);
      for (const session of smsc.bound) {
        session.request(command.unbind);
        session.socket.end();
      }
    }),
  },
  {
    name: 'SMSC restarted under load',
    happens: inACourse(async (smsc) => {
      await underLoad(smsc);
      smsc.goAway();
      await delay(400);
      await smsc.comeBack();
    }),
  },
  {
    name: 'answers, receipts and the end of the link in one turn, then away for 4 s',
    // The carrier waits as long before it reconnects as it does by default, so that it gives waiting messages back meanwhile.
    settings: { window: 3, reconnectMinMs: 1_000, reconnectMaxMs: 8_000 },
    happens: inACourse(async (smsc) => {
      // The SMSC is so slow that messages queue in front of the window.
      const slow: Misbehaviour = {
        submit: (_smsc, session, pdu) => smsc.take(session, pdu, undefined, undefined, 300),
      };
      smsc.misbehave(slow, Number.POSITIVE_INFINITY);
      await underLoad(smsc);
      smsc.answerAll();
      await new Promise((resolve) => setImmediate(resolve));
      for (const session of smsc.bound) session.socket.end();
      smsc.goAway();
      smsc.getWell();
      await delay(4_000);
      await smsc.comeBack();
    }),
  },
  {
    name: 'reads nothing for 1 s',
    settings: { window: 100 },
    happens: inACourse(async (smsc) => {
      await underLoad(smsc);
      const { bound } = smsc;
      for (const { socket } of bound) socket.pause();
      await delay(1_000);
      for (const { socket } of bound) socket.resume();
    }),
  },
];
