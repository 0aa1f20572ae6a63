/** Endpoints of alerts: where monitoring programs post, and what people see of incidents. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { visibilityOf } from '../accounts/visibility.ts';
import { byUser } from '../audit/audit-log.ts';
import { ServiceError } from '../foundation/errors.ts';
import { shownReason } from '../foundation/sentences.ts';
import { errorContent } from '../http/answers/error-response.ts';
import { anyMethod, anyMethodBesideLines } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { integer, text, word } from '../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import { ruled } from '../http/parameters/parameter.ts';
import { objectName } from '../resources/declaration.ts';
import { announceHint } from '../storage/hints.ts';
import { alertsTopic } from './follow-incidents.ts';
import { type Incident, incidentStates } from './incident.ts';
import {
  acknowledgementStates,
  findIncident,
  type ListedAcknowledgement,
  listIncidents,
  type WholeIncident,
} from './incident-lists.ts';
import { endIncident } from './incident-store.ts';
import { type TakingAlerts, takePost } from './take-alerts.ts';
import { alertStates, type StoredAlert } from './take-store.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Alerts';
const maxPostBytes = 16 * 1_048_576;

const count = (description: string) => Type.Integer({ description });
const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC).` });
const iso = (at: number | null) => (at === null ? undefined : new Date(at).toISOString());
const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });

export function alertEndpoints(taking: TakingAlerts) {
  return [postEndpoint(taking), ...incidentEndpoints(taking)] as const;
}

function postEndpoint(taking: TakingAlerts) {
  return endpoint({
    path: '/api/v1/alerts/{receiver}',
    methods: ['POST'],
    group,
    credentials: anyMethodBesideLines,
    operation: 'sendAlerts',
    title: 'Post alerts',
    description:
      'Takes the JSON of Alertmanager, Grafana, Zabbix, Uptime Kuma, or of your own, as the receiver says. The answer comes when the alerts are stored. Requires the role that the receiver’s action takes, or companyAdmin; a key with the scope `alerts`, or `alerts:` and the receiver’s name, can do nothing else.',
    example: {
      url: { receiver: 'ops' },
      json: {
        version: '4',
        status: 'firing',
        groupLabels: { alertname: 'DiskFull' },
        commonLabels: { alertname: 'DiskFull' },
        alerts: [
          {
            status: 'firing',
            fingerprint: 'c1f0c2d7b3a45e68',
            labels: { alertname: 'DiskFull', host: 'db1' },
            annotations: { summary: 'The disk of db1 is full' },
            startsAt: '2026-01-01T03:00:00Z',
          },
        ],
      },
    },
    body: 'foreign',
    maxBodyBytes: maxPostBytes,
    parameters: {
      receiver: ruled(
        text({ get: 'receiver', required: true, maxLength: 100, description: 'Name of the receiver.' }),
        objectName,
      ),
    },
    answer: Type.Object(
      {
        accepted: count('Alerts that are stored: new, repeated, or resolved.'),
        ignored: count(
          'What wakes nobody: test posts, alerts about this service itself, and what is resolved without having fired.',
        ),
        leftOut: count('Alerts beyond those that are kept.'),
      },
      { title: 'TakenAlerts' },
    ),
    errors: ['role_missing', 'not_found'],
    handle: (caller, { receiver }, call) =>
      takePost(taking, caller, receiver, call.foreign, () => !call.isOver),
  });
}

const incidentFields = {
  id: Type.String(),
  receiver: Type.String({ description: 'Name of the receiver when it began.' }),
  state: oneOf(incidentStates, '`opening`: people are being woken; `failed`: nobody could be woken.'),
  title: Type.String({ description: 'Title of its first alert.' }),
  message: Type.Optional(Type.String({ description: 'What people were told first.' })),
  opened: time('When it began'),
  ended: Type.Optional(time('When it ended')),
  endedBy: Type.Optional(Type.String({ description: 'User who ended it.' })),
  alerts: count('How many alerts have belonged to it.'),
  firing: count('How many of them fire still.'),
  leftOut: count('How many more were not kept.'),
  runId: Type.Optional(Type.String({ description: 'Run of the saved job that was started.' })),
  messages: Type.Optional(count('How many SMS were sent first.')),
  acknowledged: Type.Optional(time('When somebody took care')),
  acknowledgedBy: Type.Optional(Type.String({ description: 'Name of who did.' })),
  reason: Type.Optional(Type.String({ description: 'Why it failed, or why the last try did.' })),
  reasonValues: errorContent.values,
};

const texts = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

const alertFields = {
  fingerprint: Type.String(),
  state: oneOf(alertStates, 'Whether it fires still.'),
  title: Type.String(),
  labels: texts,
  annotations: texts,
  url: Type.Optional(Type.String()),
  started: Type.Optional(time('When it began, by the clock of its source')),
  fired: time('When it was first heard of'),
  heard: time('When it was last heard of'),
  resolved: Type.Optional(time('When it was resolved')),
  times: count('How often it was reported as firing.'),
};

const acknowledgementFields = {
  state: oneOf(acknowledgementStates, '`failed`: given up.'),
  attempts: count('How many tries there were.'),
  made: time('When it was to be told'),
  next: Type.Optional(time('When it is tried again')),
  ended: Type.Optional(time('When it was done or given up')),
  reason: Type.Optional(Type.String({ description: 'Why the last try failed.' })),
  reasonValues: errorContent.values,
};

const wholeIncident = Type.Object(
  {
    ...incidentFields,
    list: Type.Array(Type.Object(alertFields, { title: 'Alert' }), {
      description:
        'Its first 100 alerts. One that has fired again later is in the list of its latest incident.',
    }),
    acknowledgements: Type.Array(Type.Object(acknowledgementFields, { title: 'AlertAcknowledgement' }), {
      description: 'What its source was told, the latest 100 first.',
    }),
  },
  { title: 'Incident' },
);

const id = integer({ get: 'id', min: 1, required: true, description: 'Id of the incident.' });

function incidentEndpoints({ store, clock }: TakingAlerts) {
  const found = async (caller: Caller, incidentId: number): Promise<WholeIncident> => {
    const one = await store.read(findIncident, { visible: visibilityOf(caller), id: incidentId });
    if (one !== null) return one;
    throw new ServiceError('not_found', { sentence: 'none_seen', noun: 'incident', id: incidentId });
  };
  const declared = { group, credentials: anyMethod };
  return [
    endpoint({
      ...declared,
      path: '/api/v1/incidents',
      methods: ['GET'],
      operation: 'listIncidents',
      title: 'List incidents',
      description:
        'Lists what people were woken for, latest first: for administrators all of the company, for others what they act and pay for.',
      example: { url: {} },
      parameters: {
        receiver: text({
          get: 'receiver',
          maxLength: 100,
          description: 'Only of this receiver, by its name.',
        }),
        state: word(incidentStates, { get: 'state', description: 'Only in this state.' }),
        ...pageParameters,
      },
      answer: Type.Object({
        incidents: Type.Array(Type.Object(incidentFields, { title: 'ListedIncident' })),
        next: nextOf('incidents'),
      }),
      errors: ['role_missing'],
      async handle(caller, { receiver, state, after, limit }) {
        const rows = await store.read(listIncidents, {
          visible: visibilityOf(caller),
          receiver: receiver ?? null,
          state: state ?? null,
          before: after?.id ?? Number.MAX_SAFE_INTEGER,
          limit: limit + 1,
        });
        const { items, next } = pageOf(rows, limit, (incident) => String(incident.id));
        return { incidents: items.map(shownIncident), next };
      },
    }),
    endpoint({
      ...declared,
      path: '/api/v1/incidents/{id}',
      methods: ['GET'],
      operation: 'getIncident',
      title: 'Read an incident',
      description: 'Returns an incident with its alerts, and with what its source was told.',
      example: { url: { id: '1001' } },
      parameters: { id },
      answer: wholeIncident,
      errors: ['role_missing', 'not_found'],
      handle: async (caller, input) => shownWhole(await found(caller, input.id)),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/incidents/{id}/end',
      methods: ['POST'],
      operation: 'finishIncident',
      title: 'End an incident',
      description:
        'For alerts whose source is gone: they count as resolved, the run is cancelled, and those who were woken are told. If the source reports them again, people are woken again.',
      example: { url: { id: '1001' }, json: {} },
      parameters: { id },
      answer: Type.Object({ id: Type.String() }),
      errors: ['role_missing', 'not_found', 'incident_ended'],
      async handle(caller, input) {
        const { incident } = await found(caller, input.id);
        const now = clock.now();
        const object = `${incident.id} ${incident.receiver}`;
        const entry = {
          companyId: caller.companyId,
          at: now,
          by: byUser(caller),
          act: 'incident.end',
        } as const;
        const ended = await store.write(endIncident, { id: incident.id, now, audited: { ...entry, object } });
        if (!ended)
          throw new ServiceError('incident_ended', { sentence: 'incident_over', incident: incident.id });
        store.announce(alertsTopic);
        announceHint(store, caller.companyId, 'incidents');
        return { id: String(incident.id) };
      },
    }),
  ] as const;
}

function shownIncident(incident: Incident) {
  const { receiver, state, title, message, alerts, firing, leftOut, messages } = incident;
  const { endedBy, acknowledgedBy, runId, reason } = incident;
  return {
    id: String(incident.id),
    receiver,
    state,
    title,
    message: message === '' ? undefined : message,
    opened: new Date(incident.openedAt).toISOString(),
    ended: iso(incident.endedAt),
    endedBy: endedBy ?? undefined,
    alerts,
    firing,
    leftOut,
    runId: runId === null ? undefined : String(runId),
    messages: messages === 0 ? undefined : messages,
    acknowledged: iso(incident.acknowledgedAt),
    acknowledgedBy: acknowledgedBy ?? undefined,
    ...shownReason(reason),
  };
}

function shownWhole({ incident, alerts, acknowledgements }: WholeIncident) {
  return {
    ...shownIncident(incident),
    list: alerts.map(shownAlert),
    acknowledgements: acknowledgements.map(shownAcknowledgement),
  };
}

function shownAlert({ fingerprint, state, alert, times, firedAt, heardAt, resolvedAt }: StoredAlert) {
  const { title, labels, annotations, url, startedAt } = alert;
  return {
    fingerprint,
    state,
    title,
    labels,
    annotations,
    url: url ?? undefined,
    started: iso(startedAt),
    fired: new Date(firedAt).toISOString(),
    heard: new Date(heardAt).toISOString(),
    resolved: iso(resolvedAt),
    times,
  };
}

function shownAcknowledgement({ state, attempts, createdAt, dueAt, endedAt, reason }: ListedAcknowledgement) {
  return {
    state,
    attempts,
    made: new Date(createdAt).toISOString(),
    next: iso(dueAt),
    ended: iso(endedAt),
    ...shownReason(reason),
  };
}
