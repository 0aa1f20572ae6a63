/** Why a message is where it is, what can be done, and what its receipts mean, in English. */
import type { ExplanationWords } from './explanation.ts';

const sendAgain = 'Send it again if it still matters.';
const checkNumber = 'Check the number with whoever gave it, and send to the right one.';
const cancelable = 'It can be cancelled as long as no carrier has it.';
const moreTime = `${sendAgain} A longer validity gives it more time.`;
const askFirst = 'Ask the recipient before it is sent again.';

export const english: ExplanationWords = {
  carrierCode: (code) => `the carrier's code is ${code}`,
  reason: ({ text }) => text,
  messages: {
    scheduled: ({ dueAt }) => ({
      why: `It waits for its time${dueAt === null ? '' : `, ${dueAt}`}.`,
      todo: 'It can be cancelled until then.',
    }),
    waiting: ({ carrier }) => ({
      why: `It waits until the carrier ${carrier} has room for it.`,
      todo: cancelable,
    }),
    inFlight: ({ carrier }) => ({ why: `It is being handed to the carrier ${carrier} just now.` }),
    held: ({ dueAt }) => ({
      why: `It waits for the hours in which its company sends${dueAt === null ? '' : `, until ${dueAt}`}.`,
      todo: cancelable,
    }),
    paused: () => ({
      why: 'Its batch is paused.',
      todo: 'Resume the batch. It can be cancelled as well.',
    }),
    retrying: ({ carrier, because, dueAt }) => ({
      why: `The carrier ${carrier} has not taken it yet${because}; it is tried again${dueAt === null ? '' : ` at ${dueAt}`}.`,
      todo: cancelable,
    }),
    sent: ({ carrier, expiresAt }) => ({
      why: `The carrier ${carrier} has taken it, and no receipt has come yet: the phone may be off or out of reach.`,
      todo: `Wait: the carrier tries until ${expiresAt}.`,
    }),
    accepted: ({ carrier }) => ({
      why: `The carrier ${carrier} says that it was accepted on its way, and not yet that the phone has it.`,
      todo: 'Wait for the last receipt; some networks send none.',
    }),
    delivered: () => ({ why: 'The phone has received it.' }),
    simulated: ({ carrier }) => ({
      why: `The simulator ${carrier} reports it as delivered: no phone has received it.`,
      todo: 'For real SMS, the operator needs a route to a real carrier.',
    }),
    deleted: ({ because }) => ({ why: `It was taken back before it was delivered${because}.` }),
    canceled: ({ because }) => ({ why: `It was cancelled before its time${because}.` }),
    expiredUntaken: ({ because, expiresAt }) => ({
      why: `No carrier took it before its validity ended at ${expiresAt}${because}.`,
      todo: moreTime,
    }),
    expiredUntold: ({ carrier }) => ({
      why: `The carrier ${carrier} took it, but no receipt came until its validity was over: it may have been delivered all the same.`,
      todo: askFirst,
    }),
    expiredUnreached: ({ expiresAt }) => ({
      why: `The phone could not be reached before its validity ended at ${expiresAt}.`,
      todo: moreTime,
    }),
    rejected: ({ carrier, because }) => ({
      why: `The carrier ${carrier} refused it${because}.`,
      todo: 'Check the sender id and the number. If both are right, the operator can ask the carrier by its id for the message.',
    }),
    undeliverable: ({ because }) => ({
      why: `The network could not deliver it${because}.`,
      todo: `${checkNumber} Landlines take no SMS.`,
    }),
    absent: ({ because }) => ({
      why: `The phone was switched off or out of reach for as long as the network tried${because}.`,
      todo: `${sendAgain} A longer validity gives the phone more time.`,
    }),
    unknownSubscriber: ({ because }) => ({
      why: `The network knows no subscriber with this number${because}.`,
      todo: checkNumber,
    }),
    invalidDestination: ({ because }) => ({
      why: `The number leads to no phone that takes SMS${because}.`,
      todo: checkNumber,
    }),
    subscriberError: ({ because }) => ({
      why: `The phone or its subscription did not take it${because}: its memory may be full, or it may take no such SMS.`,
      todo: sendAgain,
    }),
    unknown: () => ({ why: 'The carrier does not know what became of it.', todo: askFirst }),
    inDoubt: () => ({
      why: 'The link to the carrier broke while it was handed over: nobody knows whether the carrier has it.',
      todo: askFirst,
    }),
    error: ({ because }) => ({
      why: `It could not be handed over or delivered${because}.`,
      todo: `${sendAgain} If it fails again, the operator finds the cause in its timeline.`,
    }),
  },
  receipts: {
    fields: {
      id: "The carrier's id for the message.",
      sub: 'How many parts the carrier counted when it took the message.',
      dlvrd: 'How many of them were delivered when it wrote this.',
      'submit date': 'When the carrier took the message.',
      'done date': 'When the message came to its end.',
      text: 'The beginning of the message.',
      receipted_message_id: "The carrier's id for the message.",
    },
    states: {
      ENROUTE: 'It is on its way.',
      DELIVERED: 'The phone has received it.',
      EXPIRED: 'Its validity was over before it could be delivered.',
      DELETED: 'It was deleted at the carrier.',
      UNDELIVERABLE: 'It could not be delivered.',
      ACCEPTED: 'It was accepted: by some carriers on its way, by others for good.',
      UNKNOWN: 'The carrier does not know what became of it.',
      REJECTED: 'It was refused.',
    },
    noError: 'No error.',
    errorMeans: (status) => `The carrier's own code: by its table it means ${status}.`,
    errorUnknown:
      "The carrier's own code, of which no meaning is set for it here: its documentation has one.",
    time: (written) => `${written} on the carrier's clock.`,
    networks: { 1: 'ANSI-136', 2: 'IS-95', 3: 'GSM' },
    networkError: (network, code) => `Code ${code} of the network (${network}).`,
  },
};
