/** Faults in the responses to submissions: none, late, duplicate or wrong, and refusals of every kind. */
import { commandStatus } from '../../src/wire/smpp/command-status.ts';
import { command, octets } from '../carriers/raw-smsc.ts';
import type { Misbehaviour } from './faulty-smsc.ts';
import type { SmppFault } from './link-fault.ts';
import { submissionOf } from './submission.ts';

const refused = (status: number): Misbehaviour => ({
  submit: (smsc, session, pdu) => smsc.refuse(session, pdu, status),
});

const vendorStatus = 0x401;
/** Shortens the response timeout so that unanswered submissions are due soon. */
const impatient = { responseTimeoutMs: 1_500 };

export const answerFaults: readonly SmppFault[] = [
  {
    name: 'submit_sm unanswered',
    settings: impatient,
    happens: { times: 5, does: { submit: () => undefined } },
  },
  {
    name: 'submit_sm unanswered, not to be sent again',
    settings: { ...impatient, inDoubt: 'fail' },
    happens: { times: 5, does: { submit: () => undefined } },
    ends: ['UNKNOWN'],
  },
  {
    name: 'answered after the time-out',
    settings: impatient,
    happens: {
      times: 5,
      does: { submit: (smsc, session, pdu) => smsc.take(session, pdu, undefined, undefined, 2_500) },
    },
  },
  {
    name: 'answered after the time-out, always',
    settings: { ...impatient, window: 50 },
    happens: {
      times: 15,
      does: { submit: (smsc, session, pdu) => smsc.take(session, pdu, undefined, undefined, 2_500) },
    },
  },
  {
    name: 'answered twice',
    happens: {
      times: 10,
      does: {
        submit(smsc, session, pdu) {
          const id = smsc.nextId();
          session.answer(pdu, 0, `${id}\0`);
          session.answer(pdu, 0, `${id}\0`);
          smsc.bring({ id, recipient: submissionOf(pdu).recipient, session });
        },
      },
    },
  },
  {
    name: 'answered out of order',
    happens: {
      times: 20,
      does: {
        submit: (smsc, session, pdu) =>
          smsc.take(session, pdu, undefined, undefined, 10 * (10 - (pdu.sequence % 10))),
      },
    },
  },
  {
    name: 'answered under an unknown sequence number',
    settings: impatient,
    happens: {
      times: 3,
      does: {
        submit: (smsc, session, pdu) =>
          session.answer({ ...pdu, sequence: pdu.sequence + 5_000 }, 0, `${smsc.nextId()}\0`),
      },
    },
  },
  {
    name: 'answered by another command',
    settings: impatient,
    happens: {
      times: 3,
      does: {
        submit: (_smsc, session, pdu) => session.send(octets(command.deliverSmResp, 0, pdu.sequence, '\0')),
      },
    },
  },
  {
    name: 'answered slowly, at a window of one',
    settings: { window: 1 },
    happens: {
      times: 8,
      does: { submit: (smsc, session, pdu) => smsc.take(session, pdu, undefined, undefined, 200) },
    },
  },
  { name: 'ESME_RTHROTTLED', happens: { times: 30, does: refused(commandStatus.ESME_RTHROTTLED) } },
  { name: 'ESME_RMSGQFUL', happens: { times: 30, does: refused(commandStatus.ESME_RMSGQFUL) } },
  { name: 'ESME_RSYSERR', happens: { times: 20, does: refused(commandStatus.ESME_RSYSERR) } },
  { name: 'ESME_RX_T_APPN', happens: { times: 20, does: refused(commandStatus.ESME_RX_T_APPN) } },
  { name: 'ESME_RINVBNDSTS', happens: { times: 5, does: refused(commandStatus.ESME_RINVBNDSTS) } },
  {
    name: 'ESME_RINVBNDSTS, then no answer to unbind',
    happens: { times: 4, does: { ...refused(commandStatus.ESME_RINVBNDSTS), unbind: () => undefined } },
  },
  {
    name: "refused by a vendor's code",
    happens: { times: 5, does: refused(vendorStatus) },
    ends: ['REJECTED'],
  },
  {
    name: "refused by a vendor's code, to be tried again",
    settings: { errors: { [vendorStatus]: 'retry' } },
    happens: { times: 10, does: refused(vendorStatus) },
  },
  {
    name: 'refused for good: ESME_RINVDSTADR',
    happens: { times: 5, does: refused(commandStatus.ESME_RINVDSTADR) },
    ends: ['INVALIDDESTINATION'],
  },
  {
    name: 'generic_nack with an error',
    happens: {
      times: 5,
      does: {
        submit: (smsc, session, pdu) =>
          smsc.refuse(session, pdu, commandStatus.ESME_RINVCMDID, 'generic_nack'),
      },
    },
    ends: ['ERROR'],
  },
  {
    name: 'generic_nack without an error',
    happens: {
      times: 5,
      does: { submit: (_smsc, session, pdu) => session.send(octets(command.genericNack, 0, pdu.sequence)) },
    },
  },
  // Often enough that some faults affect messages that were not resent for another reason.
  {
    name: 'an empty message_id',
    happens: { times: 20, does: { submit: (_smsc, session, pdu) => session.answer(pdu, 0, '\0') } },
    ends: ['EXPIRED'],
  },
  {
    name: 'no message_id at all',
    happens: { times: 20, does: { submit: (_smsc, session, pdu) => session.answer(pdu) } },
    ends: ['EXPIRED'],
  },
  {
    name: 'a message_id of 200 characters',
    happens: {
      times: 20,
      does: { submit: (_smsc, session, pdu) => session.answer(pdu, 0, `${'9'.repeat(200)}\0`) },
    },
    ends: ['EXPIRED'],
  },
  {
    name: 'a message_id without its end',
    happens: {
      times: 5,
      does: {
        submit(smsc, session, pdu) {
          const id = smsc.nextId();
          session.answer(pdu, 0, id);
          smsc.bring({ id, recipient: submissionOf(pdu).recipient, session });
        },
      },
    },
  },
  {
    name: 'one message_id for all',
    happens: {
      times: 10,
      does: { submit: (smsc, session, pdu) => smsc.take(session, pdu, 'the same') },
    },
  },
];
