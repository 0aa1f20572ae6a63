/** Faults that never end: their messages end by expiry or by the policy for messages in doubt. */
import { commandStatus } from '../../src/wire/smpp/command-status.ts';
import type { Misbehaviour } from './faulty-smsc.ts';
import type { SmppFault } from './link-fault.ts';

const forGood = (does: Misbehaviour) => ({ times: Number.POSITIVE_INFINITY, does });

export const lastingFaults: readonly SmppFault[] = [
  {
    name: 'for good: closed at once after the connect',
    happens: forGood({ connected: (_smsc, session) => session.socket.end() }),
    ends: ['EXPIRED'],
  },
  {
    name: 'for good: bind refused',
    happens: forGood({
      bind: (_smsc, session, pdu) => session.answer(pdu, commandStatus.ESME_RINVPASWD),
    }),
    ends: ['EXPIRED'],
  },
  {
    name: 'for good: ESME_RTHROTTLED',
    happens: forGood({
      submit: (smsc, session, pdu) => smsc.refuse(session, pdu, commandStatus.ESME_RTHROTTLED),
    }),
    ends: ['EXPIRED'],
  },
  {
    name: 'for good: ESME_RINVBNDSTS',
    happens: forGood({
      submit: (smsc, session, pdu) => smsc.refuse(session, pdu, commandStatus.ESME_RINVBNDSTS),
    }),
    ends: ['EXPIRED'],
  },
  {
    name: 'for good: submit_sm unanswered',
    settings: { responseTimeoutMs: 300, inDoubtTries: 3 },
    happens: forGood({ submit: () => undefined }),
    ends: ['UNKNOWN'],
  },
];
