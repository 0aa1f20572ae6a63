/** Explains, in English, why a message is where it is, what can be done, and what its receipts mean. */
import type { ExplanationWords } from './explanation.ts';

const sendAgain = 'Send it again if it still matters.';
const checkNumber = 'Check the number with the person who gave it to you, and send to the correct one.';
const cancelable = 'It can be cancelled until a carrier has it.';
const moreTime = `${sendAgain} A longer validity gives it more time.`;
const askFirst = 'Ask the recipient before you send it again.';

export const english: ExplanationWords = {
  carrierCode: (code) => `the carrier's code is ${code}`,
  reason: ({ text }) => text,
  messages: {
    scheduled: ({ dueAt }) => ({
      why: `It is waiting for its send time${dueAt === null ? '' : `, ${dueAt}`}.`,
      todo: 'It can be cancelled until then.',
    }),
    waiting: ({ carrier }) => ({
      why: `It is waiting until the carrier ${carrier} has room for it.`,
      todo: cancelable,
    }),
    inFlight: ({ carrier }) => ({ why: `It is being handed to the carrier ${carrier} right now.` }),
    held: ({ dueAt }) => ({
      why: `It is waiting for the send hours of its company${dueAt === null ? '' : `, until ${dueAt}`}.`,
      todo: cancelable,
    }),
    paused: () => ({
      why: 'Its batch is paused.',
      todo: 'Resume the batch. The message can also be cancelled.',
    }),
    retrying: ({ carrier, because, dueAt }) => ({
      why: `The carrier ${carrier} has not taken it yet${because}; it will be tried again${dueAt === null ? '' : ` at ${dueAt}`}.`,
      todo: cancelable,
    }),
    sent: ({ carrier, expiresAt }) => ({
      why: `The carrier ${carrier} has taken it, but no receipt has come yet: the phone may be off or out of reach.`,
      todo: `Wait. The carrier keeps trying until ${expiresAt}.`,
    }),
    accepted: ({ carrier }) => ({
      why: `The carrier ${carrier} reports that it was accepted on its way, but not yet that the phone has received it.`,
      todo: 'Wait for the final receipt; some networks do not send one.',
    }),
    delivered: () => ({ why: 'The phone has received it.' }),
    simulated: ({ carrier }) => ({
      why: `The simulator ${carrier} reports it as delivered, but no phone has received it.`,
      todo: 'To send real SMS, the operator must add a route to a real carrier.',
    }),
    deleted: ({ because }) => ({ why: `It was taken back before it was delivered${because}.` }),
    canceled: ({ because }) => ({ why: `It was cancelled before its send time${because}.` }),
    expiredUntaken: ({ because, expiresAt }) => ({
      why: `No carrier took it before its validity ended at ${expiresAt}${because}.`,
      todo: moreTime,
    }),
    expiredUnreported: ({ carrier }) => ({
      why: `The carrier ${carrier} took it, but no receipt came before its validity ended: it may still have been delivered.`,
      todo: askFirst,
    }),
    expiredUnreached: ({ expiresAt }) => ({
      why: `The phone could not be reached before the validity of the SMS ended at ${expiresAt}.`,
      todo: moreTime,
    }),
    rejected: ({ carrier, because }) => ({
      why: `The carrier ${carrier} refused it${because}.`,
      todo: 'Check the sender id and the number. If both are right, the operator can ask the carrier about the message, giving the carrier’s id for it.',
    }),
    undeliverable: ({ because }) => ({
      why: `The network could not deliver it${because}.`,
      todo: `${checkNumber} Landlines do not receive SMS.`,
    }),
    absent: ({ because }) => ({
      why: `The phone was switched off or out of reach for as long as the network tried${because}.`,
      todo: `${sendAgain} A longer validity gives the phone more time.`,
    }),
    unknownSubscriber: ({ because }) => ({
      why: `The network has no subscriber with this number${because}.`,
      todo: checkNumber,
    }),
    invalidDestination: ({ because }) => ({
      why: `The number does not belong to a phone that can receive SMS${because}.`,
      todo: checkNumber,
    }),
    subscriberError: ({ because }) => ({
      why: `The phone or its subscription did not accept it${because}: its memory may be full, or it may not accept this kind of SMS.`,
      todo: sendAgain,
    }),
    unknown: () => ({ why: 'The carrier does not know what happened to it.', todo: askFirst }),
    inDoubt: () => ({
      why: 'The connection to the carrier broke while it was being handed over. It is not known whether the carrier has it.',
      todo: askFirst,
    }),
    error: ({ because }) => ({
      why: `It could not be handed over or delivered${because}.`,
      todo: `${sendAgain} If it fails again, the operator can find the cause in its timeline.`,
    }),
  },
  receipts: {
    fields: {
      id: "The carrier's id for the message.",
      sub: 'How many parts the carrier counted when it took the message.',
      dlvrd: 'How many of them had been delivered when it wrote this.',
      'submit date': 'When the carrier took the message.',
      'done date': 'When the message reached its final status.',
      text: 'The beginning of the message.',
      receipted_message_id: "The carrier's id for the message.",
    },
    states: {
      ENROUTE: 'It is on its way.',
      DELIVERED: 'The phone has received it.',
      EXPIRED: 'Its validity ended before it could be delivered.',
      DELETED: 'It was deleted at the carrier.',
      UNDELIVERABLE: 'It could not be delivered.',
      ACCEPTED:
        'It was accepted. Some carriers mean that it is on its way, others that this status is final.',
      UNKNOWN: 'The carrier does not know what happened to it.',
      REJECTED: 'It was refused.',
    },
    noError: 'No error.',
    errorMeans: (status) => `The carrier's own code, which means ${status} in its table.`,
    errorUnknown:
      "The carrier's own code. Its meaning is not configured here; see the documentation of the carrier.",
    time: (written) => `${written} on the carrier's clock.`,
    networks: { 1: 'ANSI-136', 2: 'IS-95', 3: 'GSM' },
    networkError: (network, code) => `Code ${code} of the network (${network}).`,
  },
};
