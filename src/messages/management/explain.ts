/** Says in plain sentences why a message is where it is, and what can be done about it. */

import { type StatusName, stage, statusNames } from '../message.ts';
import type { InspectedMessage } from '../operator/inspect-store.ts';
import { errorCodeOf } from '../receipts/store.ts';
import type { Explanation, ExplanationWords, Language, MessageCase } from './explanation.ts';
import { english } from './explanation-en.ts';
import { swedish } from './explanation-sv.ts';

type Told = Pick<
  InspectedMessage,
  | 'status'
  | 'stage'
  | 'dueAt'
  | 'expiresAt'
  | 'expiredByTimer'
  | 'reason'
  | 'carrier'
  | 'simulated'
  | 'inDoubt'
> & { readonly taken: { readonly length: number } };

export const explanationWords: Readonly<Record<Language, ExplanationWords>> = { en: english, sv: swedish };

const iso = (time: number) => new Date(time).toISOString();

export function explain(message: Told, language: Language = 'en'): Explanation {
  const { carrier, reason, dueAt, expiresAt } = message;
  const words = explanationWords[language];
  const code = errorCodeOf(reason);
  const told = code === null ? reason && words.reason(reason) : words.carrierCode(code);
  const because = told === null ? '' : ` (${told})`;
  const facts = {
    carrier,
    because,
    dueAt: dueAt === null ? null : iso(dueAt),
    expiresAt: iso(expiresAt),
  };
  return words.messages[caseOf(message)](facts);
}

function caseOf(message: Told): MessageCase {
  const name = statusNames[message.status] as StatusName;
  if (name === 'QUEUED') return queuedCases.get(message.stage) ?? 'waiting';
  if (name === 'EXPIRED') return expiredCase(message);
  if (name === 'DELIVERED' && message.simulated === 1) return 'simulated';
  if (name === 'UNKNOWN') return message.inDoubt > 0 ? 'inDoubt' : 'unknown';
  return plainCases[name];
}

const queuedCases: ReadonlyMap<number | null, MessageCase> = new Map([
  [stage.inFlight, 'inFlight'],
  [stage.scheduled, 'held'],
  [stage.paused, 'paused'],
  [stage.retrying, 'retrying'],
]);

const plainCases: Readonly<Record<Exclude<StatusName, 'QUEUED' | 'EXPIRED' | 'UNKNOWN'>, MessageCase>> = {
  SCHEDULED: 'scheduled',
  SENT: 'sent',
  ACCEPTED: 'accepted',
  DELIVERED: 'delivered',
  DELETED: 'deleted',
  CANCELED: 'canceled',
  REJECTED: 'rejected',
  UNDELIVERABLE: 'undeliverable',
  ABSENTSUBSCRIBER: 'absent',
  UNKNOWNSUBSCRIBER: 'unknownSubscriber',
  INVALIDDESTINATION: 'invalidDestination',
  SUBSCRIBERERROR: 'subscriberError',
  ERROR: 'error',
};

function expiredCase({ taken, expiredByTimer }: Told): MessageCase {
  if (taken.length === 0) return 'expiredUntaken';
  return expiredByTimer === 1 ? 'expiredUntold' : 'expiredUnreached';
}
