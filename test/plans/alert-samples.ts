/** Sample inputs for the verbs of alerts. */

import { assignAlerts } from '../../src/alerts/assign-store.ts';
import type { Incident } from '../../src/alerts/incident.ts';
import { findIncident, listIncidents } from '../../src/alerts/incident-lists.ts';
import * as store from '../../src/alerts/incident-store.ts';
import { alertReceivers, findReceiver } from '../../src/alerts/receiver.ts';
import { findLanguage, listRecipients } from '../../src/alerts/recipients.ts';
import { takeAlerts } from '../../src/alerts/take-store.ts';
import { operator } from '../../src/audit/audit-log.ts';
import { findHolder, readWoken } from '../../src/jobs/followed-run.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const { companyId, userId } = big;
const owner = { companyId, userId };
const limit = 20;
const acting = { companyId, scopeId: companyId, username: 'user10', session: undefined, now };
const known = { ...acting, key: 'receiver5', ifMatch: undefined };
const alert = (fingerprint: string, state: 'firing' | 'resolved') => ({
  fingerprint,
  state,
  title: 'Down',
  labels: { host: 'a' },
  annotations: {},
  startedAt: null,
  url: null,
});
const set = { companyId, receiverId: 5, now, place: 0, leftOut: 0 };
const reports = [alert('new', 'firing'), alert('alert5', 'firing'), alert('alert105', 'resolved')];
const incident = { id: 5, companyId, receiverId: 5, version: 1, silencedAt: 1 } as Incident;
const all = { companyId, userId: null };
const own = { companyId, userId };
const pageOf = { receiver: null, state: null, before: 90_000, limit };
const queued = { requests: [{ path: '' }], silencedAt: now };

export const alertSamples: readonly Sample[] = [
  sample(
    alertReceivers.list,
    { scopeId: companyId, limit },
    { scopeId: companyId, after: 'receiver3', limit },
  ),
  sample(alertReceivers.find, { scopeId: companyId, key: 'receiver5' }),
  sample(alertReceivers.create, {
    ...acting,
    name: 'new',
    values: {},
    more: { source: 'grafana', userId, send: { numbers: ['46701740699'], groups: [] } },
  }),
  sample(alertReceivers.change, { ...known, rename: undefined, values: {}, more: { groupMinutes: 7 } }),
  sample(alertReceivers.remove, { ...known, key: 'receiver6' }),
  sample(findReceiver, { companyId, name: 'receiver5' }),
  sample(takeAlerts, { ...set, alerts: reports, hasMore: false }, { ...set, alerts: reports, hasMore: true }),
  sample(assignAlerts, { now, failed: 0 }, { now: 0, failed: 1 }),
  sample(store.claimIncidents, now, 0),
  sample(
    store.keepIncident,
    { incident, now, dueAt: null, state: 'open', runId: 7, isDone: true },
    { incident: { ...incident, id: 6 }, now, dueAt: null, state: 'ended', isDone: true },
  ),
  sample(store.readAlertsOf, { incidentId: 5, since: 0, limit }),
  sample(
    store.readFiringOf,
    { incidentId: 5, after: { joinedAt: 0, place: -1, fingerprint: '' }, limit },
    { incidentId: 5, after: { joinedAt: now, place: 0, fingerprint: 'alert5' }, limit },
  ),
  sample(store.resolveAlertsOf, { incident: { ...incident, id: 7 }, now }),
  sample(store.endIncident, {
    id: 8,
    now,
    audited: { companyId, at: now, by: operator, act: 'incident.end', object: '8' },
  }),
  sample(store.listChangedRuns, 0, 50),
  sample(
    store.noteRun,
    { incident, now, runVersion: 2, isEnded: false, acknowledged: null },
    { incident, now, runVersion: 3, isEnded: true, acknowledged: { ...queued, by: 'Anna' } },
  ),
  sample(store.acknowledgeMore, { incident, now, ...queued }),
  sample(store.dropSilentAlerts, now),
  sample(
    listIncidents,
    ...[all, own].flatMap((visible) => [
      { ...pageOf, visible },
      { ...pageOf, visible, state: 'ended' as const },
      { ...pageOf, visible, receiver: 'receiver5' },
      { ...pageOf, visible, receiver: 'receiver5', state: 'open' as const },
    ]),
  ),
  sample(findIncident, { visible: all, id: 5 }, { visible: own, id: 5 }),
  sample(findLanguage, companyId),
  sample(listRecipients, { companyId, messageId: 1_000, messages: 20, owner }),
  sample(findHolder, 3_999),
  sample(readWoken, { runId: 3_998, owner }),
];
