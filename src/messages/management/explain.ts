/** Says in plain sentences why a message is where it is, and what can be done about it. */

import { type StatusName, stage, statusNames } from '../message.ts';
import type { InspectedMessage } from '../operator/inspect-store.ts';

export interface Explanation {
  readonly why: string;
  /** Absent: nothing need be done. */
  readonly todo?: string;
}

type Told = Pick<
  InspectedMessage,
  'status' | 'stage' | 'dueAt' | 'expiresAt' | 'expiredByTimer' | 'reason' | 'carrier' | 'taken' | 'inDoubt'
>;

const iso = (time: number) => new Date(time).toISOString();

export function explain(message: Told): Explanation {
  const name = statusNames[message.status] as StatusName;
  return explanations[name](message);
}

const sendAgain = 'Send it again if it still matters.';
const checkNumber = 'Check the number with whoever gave it, and send to the right one.';

/** What a carrier told, where it did. */
const because = ({ reason }: Told) => (reason === null ? '' : ` (${reason})`);

const explanations: Readonly<Record<StatusName, (message: Told) => Explanation>> = {
  SCHEDULED: ({ dueAt }) => ({
    why: `It waits for its time${dueAt === null ? '' : `, ${iso(dueAt)}`}.`,
    todo: 'It can be cancelled until then.',
  }),
  QUEUED: (message) => queued(message),
  SENT: ({ carrier, expiresAt }) => ({
    why: `The carrier ${carrier} has taken it, and no receipt has come yet: the phone may be off or out of reach.`,
    todo: `Wait: the carrier tries until ${iso(expiresAt)}.`,
  }),
  ACCEPTED: ({ carrier }) => ({
    why: `The carrier ${carrier} says that it was accepted on its way, and not yet that the phone has it.`,
    todo: 'Wait for the last receipt; some networks send none.',
  }),
  DELIVERED: () => ({ why: 'The phone has received it.' }),
  DELETED: (message) => ({ why: `It was taken back before it was delivered${because(message)}.` }),
  CANCELED: (message) => ({ why: `It was cancelled before its time${because(message)}.` }),
  EXPIRED: (message) => expired(message),
  REJECTED: (message) => ({
    why: `The carrier ${message.carrier} refused it${because(message)}.`,
    todo: 'Check the sender id and the number. If both are right, the operator can ask the carrier by its id for the message.',
  }),
  UNDELIVERABLE: (message) => ({
    why: `The network could not deliver it${because(message)}.`,
    todo: `${checkNumber} Landlines take no SMS.`,
  }),
  ABSENTSUBSCRIBER: (message) => ({
    why: `The phone was switched off or out of reach for as long as the network tried${because(message)}.`,
    todo: `${sendAgain} A longer validity gives the phone more time.`,
  }),
  UNKNOWNSUBSCRIBER: (message) => ({
    why: `The network knows no subscriber with this number${because(message)}.`,
    todo: checkNumber,
  }),
  INVALIDDESTINATION: (message) => ({
    why: `The number leads to no phone that takes SMS${because(message)}.`,
    todo: checkNumber,
  }),
  SUBSCRIBERERROR: (message) => ({
    why: `The phone or its subscription did not take it${because(message)}: its memory may be full, or it may take no such SMS.`,
    todo: sendAgain,
  }),
  UNKNOWN: ({ inDoubt }) =>
    inDoubt > 0
      ? {
          why: 'The link to the carrier broke while it was handed over: nobody knows whether the carrier has it.',
          todo: 'Ask the recipient before it is sent again.',
        }
      : {
          why: 'The carrier does not know what became of it.',
          todo: 'Ask the recipient before it is sent again.',
        },
  ERROR: (message) => ({
    why: `It could not be handed over or delivered${because(message)}.`,
    todo: `${sendAgain} If it fails again, the operator finds the cause in its timeline.`,
  }),
};

function queued(message: Told): Explanation {
  const { carrier, stage: at, dueAt } = message;
  const todo = 'It can be cancelled as long as no carrier has it.';
  switch (at) {
    case stage.inFlight:
      return { why: `It is being handed to the carrier ${carrier} just now.` };
    case stage.scheduled:
      return { why: `It waits for the hours in which its company sends${until(dueAt)}.`, todo };
    case stage.retrying:
      return {
        why: `The carrier ${carrier} has not taken it yet${because(message)}; it is tried again${atTime(dueAt)}.`,
        todo,
      };
    default:
      return { why: `It waits until the carrier ${carrier} has room for it.`, todo };
  }
}

const until = (time: number | null) => (time === null ? '' : `, until ${iso(time)}`);
const atTime = (time: number | null) => (time === null ? '' : ` at ${iso(time)}`);

function expired(message: Told): Explanation {
  const { taken, expiredByTimer, carrier, expiresAt } = message;
  const todo = `${sendAgain} A longer validity gives it more time.`;
  if (taken.length === 0)
    return {
      why: `No carrier took it before its validity ended at ${iso(expiresAt)}${because(message)}.`,
      todo,
    };
  if (expiredByTimer === 1)
    return {
      why: `The carrier ${carrier} took it, but no receipt came until its validity was over: it may have been delivered all the same.`,
      todo: 'Ask the recipient before it is sent again.',
    };
  return { why: `The phone could not be reached before its validity ended at ${iso(expiresAt)}.`, todo };
}
