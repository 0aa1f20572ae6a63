/** Reads the alerts in a post, by the program that posts. */
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { type AlertSource, alertBounds, type ReadAlerts, type ReceivedAlert } from '../alert.ts';
import { alertmanager } from './alertmanager.ts';
import { generic } from './generic.ts';
import { fieldsOf, type ReadingSettings, type SourceReader } from './reading.ts';
import { uptimeKuma } from './uptime-kuma.ts';
import { zabbix } from './zabbix.ts';

const readers: Readonly<Record<AlertSource, SourceReader>> = {
  alertmanager,
  grafana: alertmanager,
  zabbix,
  uptimekuma: uptimeKuma,
  generic,
};

/**
 * `body` is parsed JSON of any shape. Of several reports with one fingerprint the last counts. A program such as Alertmanager
 * drops what is answered with 400, so only a body of another program's shape is refused: too many alerts are left out instead.
 */
export function readAlerts(
  source: AlertSource,
  body: unknown,
  settings: ReadingSettings,
): Result<ReadAlerts> {
  const reading = readAlertsInTurns(source, body, settings);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** Others may have their turn after so many alerts: these take a millisecond or two. */
const alertsInTurn = 100;

/** The same, with pauses at which others can go on. */
export function* readAlertsInTurns(
  source: AlertSource,
  body: unknown,
  settings: ReadingSettings,
): Generator<undefined, Result<ReadAlerts>> {
  const { needed, read } = readers[source];
  const posted = read(body, settings);
  if (posted === undefined) {
    const lacks = needed(settings);
    return fault('invalid_value', { sentence: 'alert_shape', source, needed: lacks, found: fieldsIn(body) });
  }
  const { items, alertOf, leftOut = 0 } = posted;
  const alerts = new Map<string, ReceivedAlert>();
  let ignored = 0;
  for (const [index, item] of items.slice(0, alertBounds.alerts).entries()) {
    if (index % alertsInTurn === alertsInTurn - 1) yield;
    const alert = alertOf(item);
    if (alert === undefined) ignored += 1;
    else alerts.set(alert.fingerprint, alert);
  }
  return success({
    alerts: [...alerts.values()],
    ignored,
    leftOut: leftOut + Math.max(0, items.length - alertBounds.alerts),
  });
}

const namedFields = 6;

/** The first fields of a body, in a text that doesn't grow with it. */
function fieldsIn(body: unknown): string {
  const names: string[] = [];
  for (const name in fieldsOf(body)) {
    if (names.length === namedFields) break;
    names.push(quoted(name));
  }
  return names.join(', ');
}
