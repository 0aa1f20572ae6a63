import { describe, expect, test } from 'vitest';
import {
  type AcknowledgedAlert,
  type AcknowledgedIncident,
  type AcknowledgementRequest,
  acknowledgementsOf,
} from './acknowledgement.ts';
import { alertBounds } from './alert.ts';

const at = Date.UTC(2026, 10, 30, 3);
const hours = { hours: 4 };

const alertNamed = (fingerprint: string, more: Partial<AcknowledgedAlert> = {}): AcknowledgedAlert => ({
  fingerprint,
  title: 'Disk full',
  labels: { alertname: 'DiskFull', instance: `db${fingerprint}` },
  ...more,
});

const incidentOf = (alerts: readonly AcknowledgedAlert[]): AcknowledgedIncident => ({
  id: 7,
  receiver: 'ops',
  runId: 71,
  by: 'Anna Berg',
  at,
  alerts,
});

/** The body of a request, as the test knows it. */
const bodyOf = <Body>(request: AcknowledgementRequest | undefined) => request?.body as Body;

describe('acknowledgements for sources', () => {
  test('[ALERT-3] Alertmanager gets a silence that matches exactly the labels of the alert, and Grafana the same at its own path', async () => {
    const comment = 'Acknowledged by Anna Berg. Carillon: receiver ops, incident 7, run 71. Alert 1.';
    const incident = incidentOf([
      alertNamed('1', { labels: { alertname: 'DiskFull', path: 'C:\\"x"', empty: '' } }),
    ]);
    const made = await acknowledgementsOf('alertmanager', hours, incident);
    expect(made).toEqual([
      {
        path: '/api/v2/silences',
        body: {
          matchers: [
            { name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true },
            { name: 'path', value: 'C:\\"x"', isRegex: false, isEqual: true },
          ],
          startsAt: '2026-11-30T03:00:00.000Z',
          endsAt: '2026-11-30T07:00:00.000Z',
          createdBy: 'Anna Berg',
          comment,
        },
        made: {
          path: `/api/v2/silences?filter=${encodeURIComponent('alertname="DiskFull"')}&filter=${encodeURIComponent('path="C:\\\\\\"x\\""')}`,
          comment,
        },
      },
    ]);
    const [first] = await acknowledgementsOf('grafana', hours, incident);
    expect(first?.path).toBe('/api/alertmanager/grafana/api/v2/silences');
    expect(first?.body).toEqual(made[0]?.body);
  });

  test('[ALERT-3] [ALERT-2] A storm is silenced by the labels of its groups, and without groups as far as single silences go', async () => {
    const group = { alertname: 'DiskFull' };
    const storm = Array.from({ length: 10_000 }, (_, index) =>
      alertNamed(String(index), { group: index % 2 === 0 ? group : { job: 'node' } }),
    );
    const requests = await acknowledgementsOf('alertmanager', hours, incidentOf(storm));
    const matchers = requests.map((request) => bodyOf<{ matchers: object[] }>(request).matchers);
    expect(matchers).toEqual([
      [{ name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true }],
      [{ name: 'job', value: 'node', isRegex: false, isEqual: true }],
    ]);
    const mixed = [...storm.slice(0, 2), ...storm.slice(2).map(({ fingerprint }) => alertNamed(fingerprint))];
    const both = await acknowledgementsOf('alertmanager', hours, incidentOf(mixed));
    expect(both.map((request) => bodyOf<{ matchers: object[] }>(request).matchers.length)).toEqual([
      ...[1, 1],
      ...Array.from({ length: 48 }, () => 2),
    ]);
    const ungrouped = storm.map(({ fingerprint }) => alertNamed(fingerprint));
    const singles = await acknowledgementsOf('alertmanager', hours, incidentOf(ungrouped));
    expect(singles).toHaveLength(50);
    expect(new Set(singles.map(({ made }) => made?.comment)).size).toBe(50);
  });

  test('[ALERT-3] A label that was cut is matched by its beginning, and an alert without labels is not silenced', async () => {
    const cut = `a.b${'x'.repeat(alertBounds.labelValue - 3)}`;
    const requests = await acknowledgementsOf(
      'alertmanager',
      hours,
      incidentOf([alertNamed('1', { labels: { long: cut } }), alertNamed('2', { labels: {} })]),
    );
    expect(requests).toHaveLength(1);
    expect(bodyOf<object>(requests[0])).toMatchObject({
      matchers: [
        { name: 'long', isRegex: true, value: `a\\.b${'x'.repeat(alertBounds.labelValue - 3)}(?s:.*)` },
      ],
    });
    expect(requests[0]?.made?.path).toBe('/api/v2/silences');
  });

  test('[ALERT-3] Zabbix gets its events acknowledged with a message, in sets; what is no event of Zabbix is left out', async () => {
    const alerts = Array.from({ length: 1_200 }, (_, index) => alertNamed(String(index)));
    const requests = await acknowledgementsOf(
      'zabbix',
      hours,
      incidentOf([alertNamed('not-an-id'), ...alerts]),
    );
    const params = requests.map((request) => bodyOf<{ params: { eventids: string[] } }>(request).params);
    expect(params.map(({ eventids }) => eventids.length)).toEqual([500, 500, 200]);
    expect(requests[0]).toMatchObject({
      path: '/api_jsonrpc.php',
      isRpc: true,
      body: {
        jsonrpc: '2.0',
        method: 'event.acknowledge',
        params: {
          action: 6,
          message: 'Acknowledged by Anna Berg. Carillon: receiver ops, incident 7, run 71.',
        },
      },
    });
  });

  test('[ALERT-3] Another program gets who has taken care of which alerts, bounded; Uptime Kuma gets nothing', async () => {
    const alerts = Array.from({ length: 300 }, (_, index) => alertNamed(String(index)));
    const [request] = await acknowledgementsOf('generic', hours, incidentOf(alerts));
    expect(request).toMatchObject({
      path: '',
      body: {
        type: 'alerts.acknowledged',
        receiver: 'ops',
        incident: 7,
        run: 71,
        by: 'Anna Berg',
        count: 300,
      },
    });
    expect(bodyOf<{ alerts: object[] }>(request).alerts).toHaveLength(100);
    expect(await acknowledgementsOf('uptimekuma', hours, incidentOf(alerts))).toEqual([]);
    expect(await acknowledgementsOf('generic', hours, incidentOf([]))).toEqual([]);
  });
});
