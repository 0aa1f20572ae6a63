/**
 * What a source is told when somebody has taken care of an incident: requests without secrets, which are stored, and sent until
 * the source has taken them.
 *
 *   alertmanager, grafana   a silence for each alert, so that it is repeated to nobody while it is worked on
 *   zabbix                  the problems are acknowledged, with a message
 *   generic                 our JSON is posted
 */
import { type AlertSource, alertBounds, type Labels, type ReceivedAlert } from './alert.ts';

/** Whether a source is silent about what is acknowledged. */
export const isSilenced: Readonly<Record<AlertSource, boolean>> = {
  alertmanager: true,
  grafana: true,
  zabbix: false,
  uptimekuma: false,
  generic: false,
};

export interface AcknowledgementRequest {
  /** Follows the URL in the settings. */
  readonly path: string;
  readonly body: object;
  /** Whether an answer is of JSON-RPC 2.0, where an error comes with status 200. */
  readonly isRpc?: true;
  /** What the source lists of its silences, and the comment of the one that an earlier try may have made. */
  readonly made?: { readonly path: string; readonly comment: string };
}

export interface AcknowledgedIncident {
  readonly id: number;
  readonly receiver: string;
  readonly runId: number | null;
  /** The name of who has taken care. */
  readonly by: string;
  /** When that was. */
  readonly at: number;
  /** Those that fire, and that the source has not been told of. There may be many: no more of them is kept than it is told. */
  readonly alerts: Iterable<AcknowledgedAlert> | AsyncIterable<AcknowledgedAlert>;
}

export type AcknowledgedAlert = Pick<ReceivedAlert, 'fingerprint' | 'title' | 'labels' | 'group'>;

/** Silences for one incident at a time. More alerts than this are silenced by the labels of their groups. */
const maxSilences = 50;
/** In a comment. */
const maxGroupName = 200;
/** Zabbix takes long over more. */
const maxEvents = 500;
/** Alerts in our own JSON; `count` says how many there are. */
const maxPosted = 100;

/** `hours`: how long alerts are silenced. */
export async function acknowledgementsOf(
  source: AlertSource,
  { hours }: { readonly hours: number },
  incident: AcknowledgedIncident,
): Promise<readonly AcknowledgementRequest[]> {
  switch (source) {
    case 'alertmanager':
      return silences('/api/v2/silences', hours, incident);
    case 'grafana':
      // Grafana's own Alertmanager; its HTTP API describes the same silences.
      return silences('/api/alertmanager/grafana/api/v2/silences', hours, incident);
    case 'zabbix':
      return events(incident);
    case 'uptimekuma':
      return [];
    case 'generic':
      return own(incident);
  }
}

/** https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml, `postableSilence`. */
interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: true;
}

async function silences(
  path: string,
  hours: number,
  incident: AcknowledgedIncident,
): Promise<readonly AcknowledgementRequest[]> {
  const { at, by } = incident;
  const silenced = await toSilence(incident.alerts);
  return silenced.flatMap(({ name, labels }) => {
    const matchers = matchersOf(labels);
    if (matchers.length === 0) return [];
    const comment = `${sentenceOf(incident)} ${name}`;
    const body = {
      matchers,
      startsAt: new Date(at).toISOString(),
      endsAt: new Date(at + hours * 3_600_000).toISOString(),
      createdBy: by,
      comment,
    };
    return [{ path, body, made: { path: `${path}${filterOf(matchers)}`, comment } }];
  });
}

interface Silenced {
  /** Tells the silences of an incident apart. */
  readonly name: string;
  readonly labels: Labels;
}

/** Each alert, or each group where there are many alerts, and then as many alerts without a group as may be silenced one by one. */
async function toSilence(alerts: AcknowledgedIncident['alerts']): Promise<readonly Silenced[]> {
  let count = 0;
  const singles: Silenced[] = [];
  const groups = new Map<string, Silenced>();
  const others: Silenced[] = [];
  for await (const { fingerprint, labels, group } of alerts) {
    count += 1;
    const single = { name: `Alert ${fingerprint}.`, labels };
    if (singles.length < maxSilences) singles.push(single);
    if (group === undefined && others.length < maxSilences) others.push(single);
    if (group !== undefined && groups.size < maxSilences)
      groups.set(JSON.stringify(group), { name: `Group ${namesOf(group)}.`, labels: group });
  }
  return count <= maxSilences ? singles : [...groups.values(), ...others].slice(0, maxSilences);
}

function namesOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return pairs.join(', ').slice(0, maxGroupName);
}

/** All labels exactly, so that nothing else is silenced. An empty label is the same as none to Alertmanager. */
function matchersOf(labels: Labels): readonly Matcher[] {
  return Object.entries(labels).flatMap(([name, value]) => {
    if (value === '') return [];
    // A value that fills its bound may have been cut. Expressions of Alertmanager match whole values.
    const isCut = value.length >= alertBounds.labelValue - 1;
    const expression = isCut ? `${value.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')}(?s:.*)` : value;
    return [{ name, value: expression, isRegex: isCut, isEqual: true } as const];
  });
}

/** In a filter, more labels only make the list of silences shorter. */
const maxFilters = 8;

function filterOf(matchers: readonly Matcher[]): string {
  const filters = matchers
    .filter(({ name, isRegex }) => !isRegex && /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
    .slice(0, maxFilters)
    // The escapes of JSON are those of filters, except for what JSON need not escape.
    .map(({ name, value }) => `filter=${encodeURIComponent(`${name}=${JSON.stringify(value)}`)}`);
  return filters.length === 0 ? '' : `?${filters.join('&')}`;
}

function sentenceOf({ id, runId, receiver, by }: AcknowledgedIncident): string {
  const run = runId === null ? '' : `, run ${runId}`;
  return `Acknowledged by ${by}. Carillon: receiver ${receiver}, incident ${id}${run}.`;
}

/** 2 acknowledges, and 4 adds the message: https://www.zabbix.com/documentation/7.0/en/manual/api/reference/event/acknowledge */
const acknowledgeWithMessage = 6;

async function events(incident: AcknowledgedIncident): Promise<readonly AcknowledgementRequest[]> {
  const ids: string[] = [];
  for await (const { fingerprint } of incident.alerts)
    if (/^\d{1,20}$/.test(fingerprint)) ids.push(fingerprint);
  const sets = Array.from({ length: Math.ceil(ids.length / maxEvents) }, (_, index) =>
    ids.slice(index * maxEvents, (index + 1) * maxEvents),
  );
  return sets.map((eventids) => ({
    path: '/api_jsonrpc.php',
    body: {
      jsonrpc: '2.0',
      method: 'event.acknowledge',
      params: { eventids, action: acknowledgeWithMessage, message: sentenceOf(incident) },
      id: 1,
    },
    isRpc: true,
  }));
}

async function own(incident: AcknowledgedIncident): Promise<readonly AcknowledgementRequest[]> {
  const { id, receiver, runId, by, at } = incident;
  let count = 0;
  const alerts: Omit<AcknowledgedAlert, 'group'>[] = [];
  for await (const { fingerprint, title, labels } of incident.alerts) {
    count += 1;
    if (alerts.length < maxPosted) alerts.push({ fingerprint, title, labels });
  }
  if (count === 0) return [];
  const body = {
    type: 'alerts.acknowledged',
    receiver,
    incident: id,
    run: runId,
    by,
    at: new Date(at).toISOString(),
    count,
    alerts,
  };
  return [{ path: '', body }];
}
