import { describe, expect, test } from 'vitest';
import type { AlertSource, ReadAlerts } from '../alert.ts';
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
