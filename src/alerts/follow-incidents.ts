/**
 * Turns stored alerts into incidents, on any number of nodes: gives alerts that wait to incidents, wakes people, tells them how
 * it goes on, and sees in the runs whether anybody has taken care.
 *
 *   wake, poll ──▶ look at runs ──▶ assign alerts that wait ──▶ a step of each incident that is due ──▶ wake
 */
import { storedReason } from '../foundation/sentences.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { jobsTopic } from '../jobs/follow-runs.ts';
import { findHolder } from '../jobs/followed-run.ts';
import type { Starting } from '../jobs/start-job.ts';
import { announceHint } from '../storage/hints.ts';
import { purgeInSets } from '../storage/retention.ts';
import { acknowledgementsOf } from './acknowledgement.ts';
import { type Assigned, assignWaiting } from './assign-store.ts';
import { type Incident, retryAfterMs, tellAt } from './incident.ts';
import {
  acknowledgeMore,
  type ChangedRun,
  type ClaimedIncident,
  claimIncidents,
  dropSilentAlerts,
  type IncidentChange,
  keepIncident,
  listChangedRuns,
  noteRun,
  type QueuedAcknowledgements,
  readFiringOf,
  resolveAlertsOf,
} from './incident-store.ts';
import type { FoundReceiver } from './receiver.ts';
import { maxInSet } from './take-store.ts';
import { callOff, tellMore, tellResolved, type Woken, wakePeople } from './wake-people.ts';

/** Announced when alerts have come, or an incident has something to do. */
export const alertsTopic = 'alerts';

export interface FollowIncidentsOptions {
  readonly starting: Starting;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
  /** How an incident went on: opened, ended, or failed. */
  readonly went: (how: 'opened' | 'ended' | 'failed') => void;
}

const pollMs = 1_000;
const leastPauseMs = 50;
const sweepMs = 10 * 60_000;
/** What passes, such as a limit or a quota, is waited for through so many tries: about an hour. */
const maxTries = 20;
/** Alerts that are read at a time to tell their source of them. A receiver has at most `maxFiring` that fire. */
const maxRead = 500;

function isTriedAgain({ attempts }: Incident, woken: Woken): woken is Woken & { readonly kind: 'later' } {
  return woken.kind === 'later' && attempts < maxTries;
}

export class FollowIncidents {
  readonly #options: FollowIncidentsOptions;
  readonly #loop: WokenLoop;
  readonly #sweep: WokenLoop;
  /** After which incident to look for runs that have gone on. */
  #after = 0;

  constructor(options: FollowIncidentsOptions) {
    this.#options = options;
    const { store, clock } = options.starting.sending;
    const failed = (error: unknown) => options.log.warn({ error }, 'alerts wait for the store');
    this.#loop = new WokenLoop({ pauseMs: pollMs, firstMs: 0, leastPauseMs, failed }, (signal) =>
      this.#pass(signal),
    );
    this.#sweep = new WokenLoop({ pauseMs: sweepMs, failed }, async (signal) => {
      await purgeInSets(signal, () => store.write(dropSilentAlerts, clock.now()));
    });
    store.onAnnouncement((topic) => {
      if (topic === alertsTopic || topic === jobsTopic) this.#loop.wake();
    });
  }

  start(): void {
    this.#loop.start();
    this.#sweep.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#sweep.stop()]);
  }

  async #pass(signal: AbortSignal): Promise<void> {
    await this.#apart('the runs of incidents could not be looked at', () => this.#lookAtRuns());
    const { starting, log } = this.#options;
    const failed = (error: unknown) => log.warn({ error }, 'alerts could not be given to an incident');
    await assignWaiting(starting.sending, signal, (assigned) => this.#assigned(assigned), failed);
    const { store, clock } = starting.sending;
    const claimed = signal.aborted ? [] : await store.write(claimIncidents, clock.now());
    await Promise.all(claimed.map((one) => this.#step(one)));
    // There may be more than were claimed.
    if (claimed.length > 0) this.#loop.wake();
  }

  /** What goes wrong here delays nothing else. */
  async #apart(message: string, act: () => Promise<void>, details: object = {}): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.log.warn({ ...details, error }, message);
    }
  }

  #assigned(assigned: Assigned): void {
    const { log, starting } = this.#options;
    if (assigned.kind === 'waits')
      log.warn(
        { receiver: assigned.receiver, until: new Date(assigned.until).toISOString() },
        'alerts wait: their receiver has had too many incidents within an hour',
      );
    if (assigned.kind === 'assigned') announceHint(starting.sending.store, assigned.companyId, 'incidents');
  }

  async #lookAtRuns(): Promise<void> {
    const { store } = this.#options.starting.sending;
    const { changed, next } = await store.read(listChangedRuns, this.#after);
    this.#after = next;
    for (const one of changed) {
      const { id } = one.incident;
      await this.#apart('news of a run could not be kept', () => this.#noteRun(one), { incident: id });
    }
  }

  async #noteRun({ incident, receiver, run }: ChangedRun): Promise<void> {
    const { store, clock } = this.#options.starting.sending;
    const now = clock.now();
    const { version: runVersion = incident.runVersion + 1, isEnded = true, held = 0 } = run ?? {};
    const isFirst = held > 0 && incident.acknowledgedAt === null;
    const holder = isFirst && incident.runId !== null ? await store.read(findHolder, incident.runId) : null;
    const by = holder && (holder.name || (holder.phone ?? holder.email ?? ''));
    const acknowledged = by === null ? null : { by, ...(await this.#requests(incident, receiver, by, 0)) };
    await store.write(noteRun, { incident, now, runVersion, isEnded, acknowledged });
    if (acknowledged !== null) announceHint(store, incident.companyId, 'incidents');
  }

  /** For alerts that have joined since a time. */
  async #requests(
    incident: Incident,
    receiver: FoundReceiver | undefined,
    by: string,
    since: number,
  ): Promise<QueuedAcknowledgements> {
    const { store, clock } = this.#options.starting.sending;
    let silencedAt = Math.max(incident.grownAt, since);
    if (receiver?.acknowledge === undefined) return { requests: [], silencedAt };
    const { id, runId } = incident;
    async function* firing() {
      let after = { joinedAt: since, place: -1, fingerprint: '' };
      for (;;) {
        const page = await store.read(readFiringOf, { incidentId: id, after, limit: maxRead });
        for (const { alert } of page) yield alert;
        const { joinedAt, place, fingerprint } = page.at(-1) ?? after;
        after = { joinedAt: joinedAt ?? since, place, fingerprint };
        // Others may have joined meanwhile.
        silencedAt = Math.max(silencedAt, after.joinedAt);
        if (page.length < maxRead) return;
      }
    }
    const acknowledged = { id, receiver: receiver.name, runId, by, at: clock.now(), alerts: firing() };
    const requests = await acknowledgementsOf(receiver.source, receiver.acknowledge, acknowledged);
    return { requests, silencedAt };
  }

  /** A fault of one incident delays no other. */
  async #step(claimed: ClaimedIncident): Promise<void> {
    const { log } = this.#options;
    const { incident } = claimed;
    try {
      await this.#work(claimed);
    } catch (error) {
      log.warn(
        { incident: incident.id, error, attempts: incident.attempts },
        'a step of an incident failed; trying again',
      );
      // It stays claimed, and is tried again when the claim ends.
    }
  }

  async #work({ incident, receiver }: ClaimedIncident): Promise<void> {
    const { store, clock } = this.#options.starting.sending;
    if (incident.state === 'ended') {
      await callOff(this.#options.starting, incident);
      return this.#keep(incident, { dueAt: null, isDone: true });
    }
    if (receiver === undefined) {
      await callOff(this.#options.starting, incident);
      const reason = storedReason({ sentence: 'receiver_removed' });
      return this.#keep(incident, { state: 'ended', reason, dueAt: null, isDone: true });
    }
    if (incident.endedBy !== null) return this.#endAll(incident, receiver);
    if (incident.state === 'failed') return this.#keep(incident, { dueAt: null, isDone: true });
    if (incident.state === 'opening') return this.#open(incident, receiver);
    if (incident.firing <= 0) return this.#end(incident, receiver);
    const { silencedAt, acknowledgedBy, grownAt } = incident;
    if (silencedAt !== null && acknowledgedBy !== null && grownAt > silencedAt) {
      const queued = await this.#requests(incident, receiver, acknowledgedBy, silencedAt + 1);
      await store.write(acknowledgeMore, { incident, now: clock.now(), ...queued });
    }
    const dueAt = tellAt(incident, receiver.settings.groupMinutes);
    if (dueAt === null || dueAt > clock.now()) return this.#keep(incident, { dueAt, isDone: true });
    const told = await tellMore(this.#options.starting, { incident, receiver });
    if (isTriedAgain(incident, told)) return this.#again(incident, told.reason);
    // What can't be told is not tried for ever; the incident's page shows the reason.
    const reason = told.kind === 'woken' ? null : told.reason;
    return this.#keep(incident, { told: incident.untold, reason, dueAt: null, isDone: true });
  }

  async #open(incident: Incident, receiver: FoundReceiver): Promise<void> {
    const woken = await wakePeople(this.#options.starting, { incident, receiver });
    if (woken === null) return this.#keep(incident, { state: 'ended', dueAt: null, isDone: true });
    if (isTriedAgain(incident, woken)) return this.#again(incident, woken.reason);
    if (woken.kind !== 'woken') {
      const { id, receiver: name } = incident;
      this.#options.log.warn(
        { incident: id, receiver: name, reason: woken.reason },
        'an alert could wake nobody',
      );
      return this.#keep(incident, { state: 'failed', reason: woken.reason, dueAt: null, isDone: true });
    }
    const { kind: _, ...done } = woken;
    const now = this.#options.starting.sending.clock.now();
    // Alerts that have joined meanwhile make it due at once.
    const isOver = incident.firing <= 0;
    const dueAt = isOver ? now : tellAt({ ...incident, toldAt: now }, receiver.settings.groupMinutes);
    return this.#keep(incident, { state: 'open', reason: null, ...done, dueAt, isDone: true });
  }

  async #end(incident: Incident, receiver: FoundReceiver): Promise<void> {
    const told: Woken = await tellResolved(this.#options.starting, { incident, receiver });
    if (isTriedAgain(incident, told)) return this.#again(incident, told.reason);
    const reason = told.kind === 'woken' ? null : told.reason;
    return this.#keep(incident, { state: 'ended', reason, dueAt: null, isDone: true });
  }

  /** Somebody ends the incident: its alerts count as resolved. */
  async #endAll(incident: Incident, receiver: FoundReceiver): Promise<void> {
    const { store, clock } = this.#options.starting.sending;
    let resolved = maxInSet;
    while (resolved === maxInSet)
      resolved = await store.write(resolveAlertsOf, { incident, now: clock.now() });
    const ended = { ...incident, firing: 0 };
    if (incident.state === 'open') return this.#end(ended, receiver);
    if (incident.state === 'opening') return this.#open(ended, receiver);
    return this.#keep(incident, { state: 'ended', dueAt: null, isDone: true });
  }

  #again(incident: Incident, reason: string): Promise<void> {
    const now = this.#options.starting.sending.clock.now();
    const dueAt = now + retryAfterMs(incident.attempts - 1);
    return this.#keep(incident, { reason, dueAt, isDone: false });
  }

  async #keep(incident: Incident, change: Omit<IncidentChange, 'incident' | 'now'>): Promise<void> {
    const { starting, went } = this.#options;
    const { store, clock } = starting.sending;
    const hasMore = await store.write(keepIncident, { ...change, incident, now: clock.now() });
    if (hasMore) this.#loop.wake();
    if (change.state === undefined) return;
    went(change.state === 'open' ? 'opened' : change.state === 'failed' ? 'failed' : 'ended');
    announceHint(store, incident.companyId, 'incidents');
  }
}
