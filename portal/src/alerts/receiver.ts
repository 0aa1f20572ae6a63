/** A receiver as it is typed into the form, and as calls give it; and what its source is told. Pure. */
import type { AlertSource } from '../../../src/alerts/alert.ts';
import { type AlertValues, defaultAlertText, fillAlertText } from '../../../src/wire/alert-text.ts';
import type { AnswerOf, ParametersOf } from '../api/endpoints.ts';
import { piecesIn } from '../sending/recipient.ts';

export const receiversPath = '/api/v1/alertreceivers';
export type Receiver = AnswerOf<'GET', typeof receiversPath>['receivers'][number];

export const sources: readonly AlertSource[] = ['alertmanager', 'grafana', 'zabbix', 'uptimekuma', 'generic'];

/** What the JSON of a program of one's own is read by. */
export const pointerNames = [
  ...(['items', 'fingerprint', 'state', 'title', 'labels', 'annotations', 'startedAt', 'url'] as const),
];
export type PointerName = (typeof pointerNames)[number];

export interface Fields {
  readonly name: string;
  readonly source: AlertSource;
  readonly user: string;
  readonly action: 'start' | 'send';
  /** Id of a saved job. */
  readonly start: string;
  readonly numbers: string;
  readonly tagFilter: string;
  readonly groups: readonly string[];
  readonly text: string;
  readonly groupMinutes: string;
  readonly againHours: string;
  readonly ownAlerts: boolean;
  readonly url: string;
  readonly hours: string;
  readonly username: string;
  readonly pointers: Readonly<Partial<Record<PointerName, string>>>;
  readonly firing: readonly string[];
  readonly resolved: readonly string[];
}

/** What is typed, but never kept by the browser. */
export interface Secrets {
  readonly token: string;
  readonly password: string;
}

export const noSecrets: Secrets = { token: '', password: '' };

export const blank: Fields = {
  name: '',
  source: 'alertmanager',
  user: '',
  action: 'start',
  start: '',
  numbers: '',
  tagFilter: '',
  groups: [],
  text: '',
  groupMinutes: '5',
  againHours: '4',
  ownAlerts: false,
  url: '',
  hours: '4',
  username: '',
  pointers: {},
  firing: [],
  resolved: [],
};

export function fieldsOf(receiver: Receiver): Fields {
  const { name, source, user, start, send, text, groupMinutes, againHours, ownAlerts, acknowledge } =
    receiver;
  const { firing = [], resolved = [], ...pointers } = receiver.pointers ?? {};
  return {
    name,
    source,
    user,
    action: send === undefined ? 'start' : 'send',
    start: start ?? '',
    numbers: (send?.numbers ?? []).join('\n'),
    tagFilter: send?.tagFilter ?? '',
    groups: send?.groups ?? [],
    text,
    groupMinutes: String(groupMinutes),
    againHours: String(againHours),
    ownAlerts,
    url: acknowledge?.url ?? '',
    hours: String(acknowledge?.hours ?? blank.hours),
    username: acknowledge?.username ?? '',
    pointers,
    firing,
    resolved,
  };
}

const typed = (text: string) => (text.trim() === '' ? undefined : text.trim());
const numberOf = (text: string) => (text.trim() === '' ? undefined : Number(text));

type Making = ParametersOf<'POST', typeof receiversPath>;

/** What has no value is undefined. */
export function callOf(fields: Fields, { token, password }: Secrets) {
  const { source, user, action, start, numbers, tagFilter, groups, text } = fields;
  const { groupMinutes, againHours, ownAlerts, url, hours, username } = fields;
  const send = { numbers: piecesIn(numbers), tagFilter: typed(tagFilter), groups };
  return {
    source,
    user: typed(user),
    ...(action === 'start' ? { start: numberOf(start) } : { send }),
    text: typed(text),
    groupMinutes: numberOf(groupMinutes),
    againHours: numberOf(againHours),
    ownAlerts,
    pointers: source === 'generic' ? pointersOf(fields) : undefined,
    acknowledge:
      source === 'uptimekuma' || url.trim() === ''
        ? undefined
        : {
            url: url.trim(),
            hours: numberOf(hours),
            username: typed(username),
            token: typed(token),
            password: typed(password),
          },
  } satisfies Omit<Making, 'name'>;
}

function pointersOf({ pointers, firing, resolved }: Fields) {
  const given = Object.entries(pointers).filter(([, pointer]) => pointer.trim() !== '');
  const states = {
    ...(firing.length > 0 && { firing }),
    ...(resolved.length > 0 && { resolved }),
  };
  const all: Making['pointers'] = { ...Object.fromEntries(given), ...states };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** As a change says it: null is no longer there. */
export function changeOf(fields: Fields, secrets: Secrets) {
  const { text = null, pointers = null, acknowledge = null, ...others } = callOf(fields, secrets);
  return { ...others, text, pointers, acknowledge };
}

export function addressOf(name: string): string {
  return `${location.origin}/api/v1/alerts/${encodeURIComponent(name)}`;
}

/** An alert by which the text is tried. */
export interface Example {
  readonly title: string;
  readonly url?: string | undefined;
  readonly labels: AlertValues;
  readonly annotations: AlertValues;
}

/** It has what each source has, by the names that it uses. */
export function sampleAlert(title: string, description: string): Example {
  return {
    title,
    url: 'https://alerts.example/1',
    labels: { alertname: 'DiskFull', instance: 'db1:9100', host: 'db1', name: 'db1', severity: 'critical' },
    annotations: { summary: title, description, message: title },
  };
}

/** What people get of one alert, before the question of the saved job. */
export function textOf({ text, name }: Pick<Fields, 'text' | 'name'>, example: Example): string {
  const { title, url = '', labels, annotations } = example;
  const own = { title, status: 'firing', receiver: name, count: '1', url };
  const filled = fillAlertText(typed(text) ?? defaultAlertText, [own, labels, annotations]).trim();
  return filled === '' ? title : filled;
}

/** What is set at the source, as far as it can be copied. */
export function snippetOf({ source, name }: Pick<Receiver, 'source' | 'name'>): string {
  return snippets[source](addressOf(name));
}

const snippets: Readonly<Record<AlertSource, (address: string) => string>> = {
  alertmanager: (address) => `route:
  receiver: carillon
  group_by: [alertname, cluster]
  repeat_interval: 4h
receivers:
  - name: carillon
    webhook_configs:
      - url: ${address}
        send_resolved: true
        http_config:
          authorization:
            credentials_file: /etc/alertmanager/carillon.key`,
  grafana: (address) => `URL: ${address}
HTTP Method: POST
Authorization Header - Scheme: Bearer
Authorization Header - Credentials: KEY`,
  zabbix: (address) => `carillon_url: ${address}
carillon_key: KEY`,
  uptimekuma: (address) => `Post URL: ${address}
Request Body: Preset - application/json
Additional Headers: { "Authorization": "Bearer KEY" }`,
  generic: (address) => `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  ${address} \\
  -d '{ "fingerprint": "pump-7", "state": "firing", "title": "Pump 7 is dry", "labels": { "site": "North" } }'`,
};
