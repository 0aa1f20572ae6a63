import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { type AlertSource, alertBounds, alertSources, type ReadAlerts } from '../alert.ts';
import { readAlerts } from './read-alerts.ts';
import type { ReadingSettings } from './reading.ts';

const now = Date.UTC(2026, 10, 30, 3);

function read(source: AlertSource, body: unknown, pointers?: ReadingSettings['pointers']): ReadAlerts {
  const result = readAlerts(source, body, { now, pointers });
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

/** Posted by Alertmanager 0.25 for one rule of Prometheus, with `send_resolved`. */
const ofAlertmanager = {
  receiver: 'carillon',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'DiskFull', instance: 'db1:9100', job: 'node', severity: 'critical' },
      annotations: { summary: 'Disk of db1 is 97 % full', runbook: 'https://wiki.example/disk' },
      startsAt: '2026-11-30T02:51:03.157Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus.example:9090/graph?g0.expr=disk',
      fingerprint: 'c6eadffa33fcdf37',
    },
    {
      status: 'resolved',
      labels: { alertname: 'DiskFull', instance: 'db2:9100', job: 'node', severity: 'critical' },
      annotations: {},
      startsAt: '2026-11-30T02:41:03.157Z',
      endsAt: '2026-11-30T02:56:03.157Z',
      generatorURL: '',
      fingerprint: 'bc97ff14869b13e3',
    },
  ],
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull', job: 'node', severity: 'critical' },
  commonAnnotations: {},
  externalURL: 'http://alertmanager.example:9093',
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 3,
};

describe('alerts of Alertmanager', () => {
  test('[ALERT-1] A post of Alertmanager has its alerts with their fingerprints, states, labels and group', () => {
    const { alerts, ignored, leftOut } = read('alertmanager', ofAlertmanager);
    expect([alerts.length, ignored, leftOut]).toEqual([2, 0, 3]);
    expect(alerts[0]).toEqual({
      fingerprint: 'c6eadffa33fcdf37',
      state: 'firing',
      title: 'Disk of db1 is 97 % full',
      labels: { alertname: 'DiskFull', instance: 'db1:9100', job: 'node', severity: 'critical' },
      annotations: { summary: 'Disk of db1 is 97 % full', runbook: 'https://wiki.example/disk' },
      startedAt: Date.UTC(2026, 10, 30, 2, 51, 3, 157),
      url: 'http://prometheus.example:9090/graph?g0.expr=disk',
      group: { alertname: 'DiskFull', job: 'node', severity: 'critical' },
    });
    expect(alerts[1]).toMatchObject({ state: 'resolved', title: 'DiskFull', url: null });
  });

  test('[ALERT-2] [ALERT-3] Alerts have a group only if the source groups them, within a bound; what it has left out is bounded too', () => {
    const groupOf = (more: object) =>
      read('alertmanager', { ...ofAlertmanager, ...more }).alerts.map(({ group }) => group);
    expect(groupOf({ groupLabels: {}, commonLabels: { severity: 'critical' } })).toEqual([
      undefined,
      undefined,
    ]);
    const [group, other] = groupOf({ commonLabels: {} });
    expect(group).toEqual({ alertname: 'DiskFull' });
    expect(other).toBe(group);
    const long = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`l${at}`, 'x'.repeat(300)]));
    expect(groupOf({ commonLabels: long })[0]).toEqual(group);
    expect(groupOf({ groupLabels: long })[0]).toBe(undefined);
    expect(read('alertmanager', { ...ofAlertmanager, truncatedAlerts: 3e9 }).leftOut).toBe(1_000_000);
  });

  test('[ALERT-1] A body of another program is refused with the fields that it has and those that are needed', () => {
    expect(readAlerts('alertmanager', { heartbeat: null, monitor: null, msg: 'Testing' }, { now })).toEqual({
      ok: false,
      code: 'invalid_value',
      error:
        'The body is not one of the source alertmanager: it needs alerts, but has “heartbeat”, “monitor”, “msg”.',
      values: {
        sentence: 'alert_shape',
        source: 'alertmanager',
        needed: 'alerts',
        found: '“heartbeat”, “monitor”, “msg”',
      },
    });
  });
});

/** https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/ */
const ofGrafana = {
  receiver: 'carillon',
  status: 'firing',
  orgId: 1,
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'High memory usage', team: 'blue', zone: 'us-1' },
      annotations: { description: 'Memory is at 92 %', summary: 'Memory of zone us-1' },
      startsAt: '2026-11-30T03:51:03.157076+01:00',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'https://grafana.example/alerting/1afz29v7z/edit',
      fingerprint: 'c6eadffa33fcdf37',
      silenceURL: 'https://grafana.example/alerting/silence/new?alertmanager=grafana',
      dashboardURL: 'https://grafana.example/d/abc',
      panelURL: '',
      values: { B: 44.23943737541908, C: 1 },
    },
  ],
  groupLabels: {},
  commonLabels: { team: 'blue' },
  commonAnnotations: {},
  externalURL: 'https://grafana.example/',
  version: '1',
  groupKey: '{}:{}',
  truncatedAlerts: 0,
  title: '[FIRING:1]  (blue)',
  state: 'alerting',
  message: '**Firing**',
};

/** As the script of docs/integrations.md posts a problem of Zabbix 7.0. */
const ofZabbix = {
  event_id: '20427',
  event_value: '1',
  event_update_status: '0',
  event_timestamp: '1796007063',
  event_tags: '[{"tag":"component","value":"disk"},{"tag":"scope","value":"capacity"}]',
  name: 'Disk is 97 % full',
  host: 'db1',
  severity: 'High',
  opdata: '97 %',
  trigger_id: '13926',
  url: 'https://zabbix.example/tr_events.php?triggerid=13926&eventid=20427',
};

/** https://github.com/louislam/uptime-kuma, server/notification-providers/webhook.js, for a monitor of HTTP. */
const ofUptimeKuma = {
  heartbeat: {
    monitorID: 29,
    status: 0,
    time: '2026-11-30 02:51:35.527',
    msg: 'getaddrinfo ENOTFOUND web.example',
    important: true,
    duration: 0,
    timezone: 'Europe/Stockholm',
    timezoneOffset: '+01:00',
    localDateTime: '2026-11-30 03:51:35',
  },
  monitor: {
    id: 29,
    name: 'Web',
    description: null,
    url: 'https://web.example',
    hostname: null,
    type: 'http',
    tags: [{ tag_id: 1, monitor_id: 29, value: 'blue', name: 'team', color: '#DC2626' }],
  },
  msg: '[Web] [🔴 Down] getaddrinfo ENOTFOUND web.example',
};

describe('alerts of other programs', () => {
  test('[ALERT-1] A post of Grafana has the alerts of its rules, with the dashboard for a link', () => {
    expect(read('grafana', ofGrafana).alerts).toEqual([
      {
        fingerprint: 'c6eadffa33fcdf37',
        state: 'firing',
        title: 'Memory of zone us-1',
        labels: { alertname: 'High memory usage', team: 'blue', zone: 'us-1' },
        annotations: { description: 'Memory is at 92 %', summary: 'Memory of zone us-1' },
        startedAt: Date.UTC(2026, 10, 30, 2, 51, 3, 157),
        url: 'https://grafana.example/d/abc',
      },
    ]);
    // The alerts of Grafana before version 9.
    const legacy = { ruleId: 1, ruleName: 'CPU', state: 'alerting', evalMatches: [] };
    expect(readAlerts('grafana', legacy, { now })).toMatchObject({ ok: false, code: 'invalid_value' });
  });

  test('[ALERT-1] [ALERT-2] A problem of Zabbix is known by its event until it has recovered, and updates wake nobody', () => {
    expect(read('zabbix', ofZabbix).alerts).toEqual([
      {
        fingerprint: '20427',
        state: 'firing',
        title: 'db1: Disk is 97 % full',
        labels: {
          name: 'Disk is 97 % full',
          host: 'db1',
          severity: 'High',
          opdata: '97 %',
          trigger_id: '13926',
          component: 'disk',
          scope: 'capacity',
        },
        annotations: {},
        startedAt: 1_796_007_063_000,
        url: 'https://zabbix.example/tr_events.php?triggerid=13926&eventid=20427',
      },
    ]);
    const recovered = read('zabbix', { ...ofZabbix, event_value: 0 });
    expect(recovered.alerts).toMatchObject([{ fingerprint: '20427', state: 'resolved' }]);
    expect(read('zabbix', { ...ofZabbix, event_update_status: '1' })).toMatchObject({
      alerts: [],
      ignored: 1,
    });
    // Zabbix leaves macros as they are that it does not know, and tags may be broken.
    const odd = {
      ...ofZabbix,
      event_timestamp: '{EVENT.TIMESTAMP}',
      event_tags: '[{"tag":',
      url: '*UNKNOWN*',
    };
    expect(read('zabbix', odd).alerts).toMatchObject([{ startedAt: null, url: null }]);
  });

  test('[ALERT-1] [ALERT-2] A monitor of Uptime Kuma is down or up; pending, maintenance and test posts wake nobody', () => {
    expect(read('uptimekuma', ofUptimeKuma).alerts).toEqual([
      {
        fingerprint: '29',
        state: 'firing',
        title: 'Web: getaddrinfo ENOTFOUND web.example',
        labels: { monitor: 'Web', type: 'http', team: 'blue' },
        annotations: { msg: 'getaddrinfo ENOTFOUND web.example' },
        startedAt: Date.UTC(2026, 10, 30, 2, 51, 35, 527),
        url: 'https://web.example',
      },
    ]);
    const withStatus = (status: number) =>
      read('uptimekuma', { ...ofUptimeKuma, heartbeat: { ...ofUptimeKuma.heartbeat, status } });
    expect(withStatus(1).alerts).toMatchObject([{ fingerprint: '29', state: 'resolved' }]);
    for (const status of [2, 3]) expect(withStatus(status)).toEqual({ alerts: [], ignored: 1, leftOut: 0 });
    const testing = { heartbeat: null, monitor: null, msg: 'Carillon Testing' };
    expect(read('uptimekuma', testing)).toEqual({ alerts: [], ignored: 1, leftOut: 0 });
  });

  test('[ALERT-1] Other programs post one alert, a list, or JSON in which pointers find the alerts', () => {
    const own = {
      fingerprint: 'a/1',
      state: 'firing',
      title: 'Pump',
      labels: { site: 'North' },
      startedAt: 1_796_007_063,
    };
    const [alert] = read('generic', own).alerts;
    expect(alert).toMatchObject({
      fingerprint: 'a/1',
      title: 'Pump',
      labels: { site: 'North' },
      startedAt: 1_796_007_063_000,
    });
    expect(read('generic', [own, { ...own, fingerprint: 'b', state: 'resolved' }]).alerts).toHaveLength(2);
    expect(read('generic', { alerts: [own] }).alerts).toEqual([alert]);
    // The fields of an object without labels are its labels.
    const flat = { title: 'Pump', state: 'firing', site: 'North' };
    expect(read('generic', flat).alerts).toMatchObject([{ fingerprint: 'Pump', labels: { site: 'North' } }]);
    // The JSON of Apprise.
    const apprise = {
      version: '1.0',
      title: 'Backup',
      message: 'It failed',
      attachments: [],
      type: 'failure',
    };
    const pointers = { state: '/type', firing: ['failure', 'warning'], resolved: ['success'] };
    expect(read('generic', apprise, pointers).alerts).toMatchObject([
      { state: 'firing', title: 'Backup', labels: { message: 'It failed' } },
    ]);
    expect(read('generic', { ...apprise, type: 'success' }, pointers).alerts).toMatchObject([
      { fingerprint: 'Backup', state: 'resolved' },
    ]);
    expect(read('generic', { ...apprise, type: 'info' }, pointers)).toMatchObject({ alerts: [], ignored: 1 });
    const deep = { data: { 'a/b': [{ id: 7, text: 'Hot', on: true }, 'no alert'] } };
    const found = read('generic', deep, {
      items: '/data/a~1b',
      fingerprint: '/id',
      title: '/text',
      state: '/on',
      firing: ['true'],
    });
    expect(found).toMatchObject({
      alerts: [{ fingerprint: '7', title: 'Hot', state: 'firing' }],
      ignored: 1,
    });
    // Pointers were not always checked when a receiver was set up.
    const unchecked = { items: 'data/a~1b', fingerprint: 'id', title: 'text', state: 'on', firing: ['true'] };
    expect(read('generic', deep, unchecked)).toEqual(found);
    for (const wrong of [{ other: 1 }, 'text', 7, null, [1, 2]])
      expect(readAlerts('generic', wrong, { now })).toMatchObject({
        ok: false,
        values: { needed: '/title' },
      });
  });
});

describe('alerts of any shape', () => {
  const [alert] = ofAlertmanager.alerts;
  const posted = (...alerts: readonly object[]) => read('alertmanager', { ...ofAlertmanager, alerts });

  test('[ALERT-2] Without a fingerprint the labels tell alerts apart, in any order; a very long one is not cut to that of another', () => {
    const plain = { ...alert, fingerprint: undefined };
    const turned = { ...plain, labels: Object.fromEntries(Object.entries(alert?.labels ?? {}).reverse()) };
    const other = { ...plain, labels: { alertname: 'Other' } };
    const { alerts } = posted(plain, turned, other, { labels: {}, annotations: { summary: 'Only a title' } });
    expect(alerts).toHaveLength(3);
    const long = 'x'.repeat(alertBounds.fingerprint);
    const kept = posted({ ...alert, fingerprint: `${long}1` }, { ...alert, fingerprint: `${long}2` }).alerts;
    expect(kept).toHaveLength(2);
  });

  test('[ALERT-2] Of several reports of one alert in a post, the last counts', () => {
    const { alerts } = posted({ ...alert, status: 'firing' }, { ...alert, status: 'resolved' });
    expect(alerts).toMatchObject([{ state: 'resolved' }]);
  });

  test('[ALERT-1] Times of clocks that were never set, of the year 1 and of the future are not known', () => {
    const startedAt = (startsAt: unknown) => posted({ ...alert, startsAt }).alerts[0]?.startedAt;
    for (const odd of [
      '1970-01-01T00:00:05Z',
      '0001-01-01T00:00:00Z',
      '2026-12-24T00:00:00Z',
      'soon',
      7,
      null,
    ])
      expect(startedAt(odd)).toBe(null);
    expect(startedAt('2026-11-30T03:00:30Z')).toBe(now + 30_000);
  });

  test('[ALERT-1] [ALERT-2] Of 20,001 alerts one is left out and counted, and none is lost to a bound on its labels', () => {
    const many = Array.from({ length: alertBounds.alerts + 1 }, (_, index) => ({
      ...alert,
      fingerprint: String(index),
    }));
    const { alerts, leftOut } = posted(...many);
    expect([alerts.length, leftOut]).toEqual([alertBounds.alerts, 1 + ofAlertmanager.truncatedAlerts]);
    const labels = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`l${index}`, 'x'.repeat(9_000)]),
    );
    const [kept] = posted({
      ...alert,
      labels: { ...labels, '\ud800x\0': '\0\udc00' },
      annotations: labels,
    }).alerts;
    expect(Object.keys(kept?.labels ?? {})).toHaveLength(alertBounds.labels);
    expect(new Set(Object.values(kept?.labels ?? {}).map(({ length }) => length))).toEqual(
      new Set([alertBounds.labelValue]),
    );
  });

  test('[ALERT-1] Links that are not of the web are left out', () => {
    const url = (generatorURL: unknown) => posted({ ...alert, generatorURL }).alerts[0]?.url;
    for (const odd of ['javascript:alert(1)', '/graph', '', 7, `http://${'x'.repeat(2_000)}`])
      expect(url(odd)).toBe(null);
  });

  const bodies = [ofAlertmanager, ofGrafana, ofZabbix, ofUptimeKuma, { alerts: [{ title: 'x' }] }];
  /** The bodies of programs, with any part replaced by any JSON. */
  const damaged = fc
    .tuple(fc.constantFrom(...bodies), fc.nat(200), fc.jsonValue())
    .map(([body, at, json]) => {
      let place = 0;
      return JSON.parse(JSON.stringify(body), (_, value: unknown) =>
        place++ === at ? json : value,
      ) as unknown;
    });

  test('[ALERT-1] No JSON makes the reading of alerts throw, and all that is read is within its bounds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...alertSources), fc.oneof(fc.jsonValue(), damaged), (source, body) => {
        const result = readAlerts(source, body, { now, pointers: { items: '', labels: '/labels' } });
        if (!result.ok) {
          expect(result.error.length).toBeLessThan(1_000);
          return;
        }
        for (const { fingerprint, title, labels, annotations, group = {}, url, startedAt } of result.value
          .alerts) {
          expect(fingerprint.length).toBeGreaterThan(0);
          expect(fingerprint.length).toBeLessThanOrEqual(alertBounds.fingerprint);
          expect(title.length).toBeLessThanOrEqual(alertBounds.title);
          for (const pairs of [labels, annotations, group]) {
            expect(Object.keys(pairs).length).toBeLessThanOrEqual(alertBounds.labels);
            for (const [name, value] of Object.entries(pairs)) {
              expect(name.length).toBeLessThanOrEqual(alertBounds.labelName);
              expect(value.length).toBeLessThanOrEqual(alertBounds.labelValue);
            }
          }
          expect(url === null || url.startsWith('http')).toBe(true);
          expect(startedAt === null || Number.isInteger(startedAt)).toBe(true);
        }
        expect(JSON.stringify(result.value)).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('[ALERT-1] Deep JSON and endless texts take no longer to read than their length', async () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 100_000; level++) deep = { labels: deep };
    for (const source of alertSources)
      readAlerts(source, { ...ofUptimeKuma, ...ofZabbix, alerts: [deep] }, { now });
    await expectLinearTime((size) => posted({ ...alert, labels: { a: '\ud800'.repeat(size) } }), {
      from: 10_000,
      times: 10,
    });
    await expectLinearTime(
      (size) =>
        posted(...Array.from({ length: size }, (_, index) => ({ ...alert, fingerprint: `${index}` }))),
      { from: 500, times: 10 },
    );
  });
});
