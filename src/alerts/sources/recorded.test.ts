/** Reads what monitoring programs posted when they were tried; fields that nothing reads are left out. */
import { expect, test } from 'vitest';
import type { AlertSource, ReadAlerts } from '../alert.ts';
import { readAlerts } from './read-alerts.ts';

const now = Date.UTC(2026, 10, 30, 17);

function read(source: AlertSource, body: unknown): ReadAlerts {
  const result = readAlerts(source, body, { now });
  if (!result.ok) throw new Error('not read');
  return result.value;
}

/** Zabbix 6.0.14, by the media type of the manual. */
const ofZabbix = {
  event_id: '27',
  event_value: '1',
  event_update_status: '0',
  event_tags:
    '[{"tag":"scope","value":"capacity"},{"tag":"alone","value":""},{"tag":"site","value":"North"}]',
  name: 'Level is too high: 99 cm',
  host: 'Pump station “North”',
  severity: 'High',
  opdata: '99 cm',
  url: 'http://127.0.0.1:18380/tr_events.php?triggerid=23133&eventid=27',
};

test('[ALERT-1] [ALERT-2] A problem of Zabbix 6.0.14 fires until it recovers; an update and the test of its media type wake nobody', () => {
  const labels = {
    name: 'Level is too high: 99 cm',
    host: 'Pump station “North”',
    severity: 'High',
    opdata: '99 cm',
    scope: 'capacity',
    alone: '',
    site: 'North',
  };
  const title = 'Pump station “North”: Level is too high: 99 cm';
  expect(read('zabbix', ofZabbix).alerts).toEqual([
    {
      fingerprint: '27',
      state: 'firing',
      title,
      labels,
      annotations: {},
      startedAt: null,
      url: ofZabbix.url,
    },
  ]);
  // The recovery has the latest data, and the name as it was.
  const recovered = read('zabbix', { ...ofZabbix, event_value: '0', opdata: '20 cm' }).alerts;
  expect(recovered).toMatchObject([{ fingerprint: '27', state: 'resolved', title }]);
  // A global macro that nobody has made is posted as it is written.
  const unmade = '{$ZABBIX.URL}/tr_events.php?triggerid=23133&eventid=27';
  expect(read('zabbix', { ...ofZabbix, url: unmade }).alerts).toMatchObject([{ url: null }]);
  const silent = { alerts: [], ignored: 1, leftOut: 0 };
  expect(read('zabbix', { ...ofZabbix, event_update_status: '1' })).toEqual(silent);
  const testing = { event_id: '{EVENT.ID}', event_value: '{EVENT.VALUE}', name: '{EVENT.NAME}' };
  expect(read('zabbix', testing)).toEqual(silent);
});

const monitor = {
  id: 1,
  name: 'Web shop',
  description: 'The shop',
  path: ['Web shop'],
  pathName: 'Web shop',
  url: 'http://127.0.0.1:18398/',
  method: 'GET',
  hostname: null,
  port: null,
  type: 'http',
  accepted_statuscodes: ['200-299'],
  tags: [{ tag_id: 1, monitor_id: 1, value: 'North', name: 'site', color: '#ff0000' }],
  maintenance: false,
};

/** Uptime Kuma 2.5.3. */
const ofUptimeKuma = {
  heartbeat: {
    monitorID: 1,
    status: 0,
    time: '2026-11-30 16:10:34.233',
    msg: 'Request failed with status code 500',
    important: true,
    retries: 1,
    response: 'x',
    timezone: 'UTC',
    timezoneOffset: '+00:00',
    localDateTime: '2026-11-30 16:10:34',
  },
  monitor,
  msg: '[Web shop] [🔴 Down] Request failed with status code 500',
};

test('[ALERT-1] [ALERT-2] A monitor of Uptime Kuma 2.5.3 fires, is repeated and resolves; its test wakes nobody', () => {
  const title = 'Web shop: Request failed with status code 500';
  expect(read('uptimekuma', ofUptimeKuma).alerts).toEqual([
    {
      fingerprint: '1',
      state: 'firing',
      title,
      labels: { monitor: 'Web shop', type: 'http', site: 'North' },
      annotations: { msg: 'Request failed with status code 500', description: 'The shop' },
      startedAt: Date.UTC(2026, 10, 30, 16, 10, 34, 233),
      url: 'http://127.0.0.1:18398/',
    },
  ]);
  const { heartbeat } = ofUptimeKuma;
  const repeated = { ...ofUptimeKuma, heartbeat: { ...heartbeat, important: false, retries: 3 } };
  expect(read('uptimekuma', repeated).alerts).toMatchObject([{ fingerprint: '1', state: 'firing', title }]);
  const up = {
    heartbeat: { ...heartbeat, status: 1, msg: '200 - OK', ping: 96, retries: 0 },
    monitor,
    msg: '[Web shop] [✅ Up] 200 - OK',
  };
  expect(read('uptimekuma', up).alerts).toMatchObject([{ fingerprint: '1', state: 'resolved' }]);
  const testing = { heartbeat: null, monitor: null, msg: 'Record Testing' };
  expect(read('uptimekuma', testing)).toEqual({ alerts: [], ignored: 1, leftOut: 0 });
});
