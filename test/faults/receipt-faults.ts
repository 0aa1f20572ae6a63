/** Receipt faults: too early, too late, duplicate, for an unknown message, in another wording, and missing. */
import { command, deliverBody, octets, receiptBody } from '../carriers/raw-smsc.ts';
import type { SmppFault } from './link-fault.ts';
import { submissionOf } from './submission.ts';

const receiptBit = 0x04;
const firstHexId = 0xab_0000;
const firstDecimalId = 7_000_001;

export const receiptFaults: readonly SmppFault[] = [
  {
    name: 'receipts before the answers',
    happens: {
      times: 20,
      does: {
        submit(smsc, session, pdu) {
          const id = smsc.nextId();
          smsc.bring({ id, recipient: submissionOf(pdu).recipient, session });
          setTimeout(() => session.answer(pdu, 0, `${id}\0`), 300);
        },
      },
    },
  },
  {
    name: 'receipts before the answers, and the link cut between',
    happens: {
      times: 3,
      does: {
        submit(smsc, session, pdu) {
          smsc.bring({ id: smsc.nextId(), recipient: submissionOf(pdu).recipient, session });
          setTimeout(() => session.destroy(), 50);
        },
      },
    },
  },
  {
    name: 'receipts doubled',
    happens: {
      times: 20,
      does: {
        receipt(smsc, session, receipt) {
          smsc.deliver(session, receipt);
          smsc.deliver(session, receipt);
        },
      },
    },
  },
  {
    name: 'receipts for ids that nobody has',
    happens: {
      times: 10,
      does: {
        receipt(smsc, session, receipt) {
          for (let count = 0; count < 20; count++)
            session.request(command.deliverSm, receiptBody(`nobody${count}`, receipt.recipient));
          smsc.deliver(session, receipt);
        },
      },
    },
  },
  {
    name: 'receipts on another bind',
    settings: { binds: 2 },
    happens: {
      times: 20,
      does: {
        receipt(smsc, session, receipt) {
          smsc.deliver(smsc.bound.find((one) => one !== receipt.session) ?? session, receipt);
        },
      },
    },
  },
  {
    name: 'ids hexadecimal in answers, decimal in receipts',
    happens: {
      times: 20,
      does: {
        submit(smsc, session, pdu) {
          const number = firstHexId + smsc.arrived;
          smsc.take(session, pdu, number.toString(16), String(number));
        },
      },
    },
  },
  {
    name: 'ids padded with zeros in receipts',
    happens: {
      times: 20,
      does: {
        submit(smsc, session, pdu) {
          const id = String(firstDecimalId + smsc.arrived);
          smsc.take(session, pdu, id, id.padStart(12, '0'));
        },
      },
    },
  },
  {
    name: 'receipts held back for 2 s, then all at once',
    happens: {
      times: 20,
      does: {
        receipt: (smsc, session, receipt) =>
          void setTimeout(() => smsc.deliver(smsc.bound.at(-1) ?? session, receipt), 2_000),
      },
    },
  },
  {
    name: 'receipts that never come',
    // Often enough that some faults affect messages that were not resent for another reason.
    happens: { times: 20, does: { receipt: () => undefined } },
    ends: ['EXPIRED'],
  },
  {
    name: 'receipts that cannot be read',
    happens: {
      times: 20,
      does: {
        receipt(_smsc, session, { recipient }) {
          const body = deliverBody(recipient, '46731230001', 'All is well', { esmClass: receiptBit });
          session.request(command.deliverSm, body);
        },
      },
    },
    ends: ['EXPIRED'],
  },
  {
    name: 'cut in the middle of a receipt',
    happens: {
      times: 3,
      does: {
        receipt(smsc, session, receipt) {
          const body = receiptBody(receipt.id, receipt.recipient);
          session.send(octets(command.deliverSm, 0, 9_000, body).subarray(0, 40));
          session.socket.end();
          session.socket.once('close', () => smsc.bring(receipt));
        },
      },
    },
  },
  {
    name: 'receipts that contradict each other',
    happens: {
      times: 10,
      does: {
        receipt(smsc, session, receipt) {
          smsc.deliver(session, receipt);
          const contrary = receiptBody(receipt.id, receipt.recipient, 'UNDELIV', '001');
          setTimeout(() => session.request(command.deliverSm, contrary), 500);
        },
      },
    },
  },
  {
    name: 'receipts of each step on the way',
    happens: {
      times: 10,
      does: {
        receipt(smsc, session, receipt) {
          for (const state of ['ENROUTE', 'ACCEPTD', 'DELIVRD'])
            smsc.deliver(session, receipt, receiptBody(receipt.id, receipt.recipient, state));
        },
      },
    },
  },
];
