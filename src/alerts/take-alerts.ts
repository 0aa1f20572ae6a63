/** Takes what a monitoring program posts: reads it in its form and stores its alerts in sets, before the post is answered. */
import type { Caller } from '../accounts/caller.ts';
import { mayPostTo, scopeMissing } from '../accounts/key-scopes.ts';
import { requireRole } from '../accounts/role.ts';
import { ServiceError } from '../foundation/errors.ts';
import { orThrow, quoted } from '../foundation/result.ts';
import type { Turns } from '../foundation/turns.ts';
import type { Context } from '../storage/context.ts';
import type { ReceivedAlert } from './alert.ts';
import { alertsTopic } from './follow-incidents.ts';
import { type FoundReceiver, findReceiver } from './receiver.ts';
import { readAlertsInTurns } from './sources/read-alerts.ts';
import { maxInSet, takeAlerts } from './take-store.ts';

export interface TakingAlerts extends Context {
  readonly turns: Turns;
}

export interface TakenPost {
  /** Alerts that are stored: new, repeated, or resolved. */
  readonly accepted: number;
  /** What wakes nobody: test posts, alerts about this service itself, and what is resolved without having fired. */
  readonly ignored: number;
  /** More than are kept. */
  readonly leftOut: number;
}

/** Our own rules (`ops/`) carry this label: an alert about this service must not make it call. */
const ownLabel = { name: 'application', value: 'carillon' } as const;

export async function takePost(
  { store, clock, turns }: TakingAlerts,
  caller: Caller,
  name: string,
  body: unknown,
  isWanted: () => boolean,
): Promise<TakenPost> {
  if (!mayPostTo(caller.scopes, name)) throw scopeMissing(`alerts:${name}`);
  const receiver = await store.read(findReceiver, { companyId: caller.companyId, name });
  if (receiver === null) throw noReceiver(name);
  const { source, settings } = receiver;
  requireRole(caller, settings.start === undefined ? 'send' : 'jobs', 'companyAdmin');
  const { pointers } = settings;
  const reading = readAlertsInTurns(source, body, { now: clock.now(), pointers });
  const { alerts, ignored, leftOut } = orThrow(await turns.run(caller, reading, isWanted));
  const wanted = settings.ownAlerts ? alerts : alerts.filter((alert) => !isOwn(alert));
  const kept = await storeInSets({ store, clock }, receiver, wanted, leftOut);
  return {
    accepted: kept.accepted,
    ignored: ignored + alerts.length - wanted.length + kept.ignored,
    leftOut: leftOut + kept.leftOut,
  };
}

function isOwn({ labels }: ReceivedAlert): boolean {
  return Object.hasOwn(labels, ownLabel.name) && labels[ownLabel.name] === ownLabel.value;
}

async function storeInSets(
  { store, clock }: Context,
  { id: receiverId, companyId, name }: FoundReceiver,
  alerts: readonly ReceivedAlert[],
  leftOut: number,
): Promise<TakenPost> {
  const sum = { accepted: 0, ignored: 0, leftOut: 0 };
  for (let place = 0; place < alerts.length; place += maxInSet) {
    const hasMore = place + maxInSet < alerts.length;
    const taken = await store.write(takeAlerts, {
      companyId,
      receiverId,
      now: clock.now(),
      alerts: alerts.slice(place, place + maxInSet),
      place,
      hasMore,
      leftOut: hasMore ? 0 : leftOut,
    });
    if (taken === null) throw noReceiver(name);
    sum.accepted += taken.accepted;
    sum.ignored += taken.ignored;
    sum.leftOut += taken.leftOut;
    if (taken.hasNews) store.announce(alertsTopic);
  }
  return sum;
}

export function noReceiver(name: string): ServiceError {
  return new ServiceError('not_found', {
    sentence: 'none_in_place',
    noun: 'alert receiver',
    id: quoted(name),
    place: 'in the company of the account',
  });
}
