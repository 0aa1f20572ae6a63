/** Faults while binding and during heartbeats. */
import { setTimeout as delay } from 'node:timers/promises';
import { commandStatus } from '../../src/wire/smpp/command-status.ts';
import { command, octets } from '../carriers/raw-smsc.ts';
import type { Misbehaviour } from './faulty-smsc.ts';
import type { SmppFault } from './link-fault.ts';

const refused = (status: number): Misbehaviour => ({
  bind: (_smsc, session, pdu) => session.answer(pdu, status),
});

const noSmpp = Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n<html>No SMPP here</html>');
const vendorStatus = 0x401;

export const bindFaults: readonly SmppFault[] = [
  {
    name: 'connection refused',
    happens: {
      async course(smsc) {
        smsc.goAway();
        await delay(1_500);
        await smsc.comeBack();
      },
    },
  },
  {
    name: 'closed at once after the connect',
    happens: { times: 3, does: { connected: (_smsc, session) => session.socket.end() } },
  },
  {
    name: 'reset at once after the connect',
    happens: { times: 3, does: { connected: (_smsc, session) => session.socket.resetAndDestroy() } },
  },
  { name: 'bind unanswered', happens: { times: 2, does: { bind: () => undefined } } },
  {
    name: 'bind refused: ESME_RBINDFAIL',
    happens: { times: 3, does: refused(commandStatus.ESME_RBINDFAIL) },
  },
  {
    name: 'bind refused: ESME_RINVPASWD',
    happens: { times: 3, does: refused(commandStatus.ESME_RINVPASWD) },
  },
  {
    name: 'bind refused: ESME_RALYBND',
    happens: { times: 3, does: refused(commandStatus.ESME_RALYBND) },
  },
  { name: "bind refused by a vendor's code", happens: { times: 3, does: refused(vendorStatus) } },
  {
    name: 'bind of a receiver refused, of a transmitter accepted',
    settings: { bind: 'pair' },
    happens: {
      times: 6,
      does: {
        bind(smsc, session, pdu) {
          if (pdu.command === command.bindReceiver) session.answer(pdu, commandStatus.ESME_RBINDFAIL);
          else smsc.acceptBind(session, pdu);
        },
      },
    },
  },
  {
    name: 'bind answered by HTTP',
    happens: { times: 3, does: { bind: (_smsc, session) => session.send(noSmpp) } },
  },
  {
    name: 'bind answered by generic_nack',
    happens: {
      times: 3,
      does: {
        bind: (_smsc, session, pdu) =>
          session.send(octets(command.genericNack, commandStatus.ESME_RINVCMDID, pdu.sequence)),
      },
    },
  },
  {
    name: 'bind answered under another sequence number',
    happens: {
      times: 2,
      does: { bind: (_smsc, session, pdu) => session.answer({ ...pdu, sequence: pdu.sequence + 7 }) },
    },
  },
  {
    name: 'bind answered byte by byte',
    happens: {
      times: 1,
      does: {
        bind(smsc, session, pdu) {
          smsc.drip(session, 16, 10);
          smsc.acceptBind(session, pdu);
        },
      },
    },
  },
  {
    name: 'bind answered by a system_id of 40 octets without end',
    happens: {
      times: 1,
      does: { bind: (smsc, session, pdu) => smsc.acceptBind(session, pdu, 'x'.repeat(40)) },
    },
  },
  {
    name: 'closed at once after the bind',
    happens: {
      times: 3,
      does: {
        bind(_smsc, session, pdu) {
          session.answer(pdu, 0, 'smsc\0');
          session.socket.end();
        },
      },
    },
  },
  { name: 'enquire_link unanswered', happens: { times: 2, does: { enquire: () => undefined } } },
  {
    name: 'enquire_link answered by generic_nack',
    happens: {
      times: 2,
      does: {
        enquire: (_smsc, session, pdu) =>
          session.send(octets(command.genericNack, commandStatus.ESME_RINVCMDID, pdu.sequence)),
      },
    },
  },
  {
    name: 'a thousand enquire_link at once',
    happens: {
      times: 3,
      does: {
        submit(smsc, session, pdu) {
          for (let count = 0; count < 1_000; count++) session.request(command.enquireLink);
          smsc.take(session, pdu);
        },
      },
    },
  },
];
