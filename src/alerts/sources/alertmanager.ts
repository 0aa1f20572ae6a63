/**
 * The webhook of Prometheus Alertmanager, version 4, whose fields Grafana's contact point `webhook` has too.
 * https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
 * https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
import {
  alertBounds,
  boundedAlert,
  boundedGroup,
  type Labels,
  type ReceivedAlert,
  writtenTime,
} from '../alert.ts';
import { fieldsOf, type SourceReader } from './reading.ts';

export const alertmanager: SourceReader = {
  needed: () => 'alerts',
  read(body, { now }) {
    const post = fieldsOf(body);
    const { alerts: items, commonLabels, groupLabels, truncatedAlerts, status } = post ?? {};
    if (!Array.isArray(items)) return undefined;
    const group = groupOf(groupLabels, commonLabels);
    return {
      items,
      alertOf: (item) => alertOf(item, { status, group, now }),
      leftOut: Number.isSafeInteger(truncatedAlerts) ? boundedCount(Number(truncatedAlerts)) : 0,
    };
  },
};

/**
 * Labels that all alerts have in common say more than those that the source groups by. Where it doesn't group, alerts with nothing
 * to do with each other may have only a severity in common.
 */
function groupOf(groupLabels: unknown, commonLabels: unknown): Labels | undefined {
  const group = boundedGroup(groupLabels);
  return group && (boundedGroup(commonLabels) ?? group);
}

function boundedCount(given: number): number {
  return Math.min(Math.max(0, given), alertBounds.leftOut);
}

interface Post {
  readonly status: unknown;
  readonly group: Labels | undefined;
  readonly now: number;
}

function alertOf(item: unknown, { status: ofAll, group, now }: Post): ReceivedAlert | undefined {
  const given = fieldsOf(item);
  if (given === undefined) return undefined;
  const { fingerprint, status = ofAll, labels, annotations, startsAt } = given;
  const { panelURL, dashboardURL, generatorURL } = given;
  const { alertname } = fieldsOf(labels) ?? {};
  const { summary, description, message } = fieldsOf(annotations) ?? {};
  return boundedAlert({
    fingerprint,
    state: status === 'resolved' ? 'resolved' : 'firing',
    titles: [summary, alertname, description, message],
    labels,
    annotations,
    startedAt: writtenTime(startsAt, now),
    // Grafana's links to the panel and the dashboard show more than the one to the rule.
    url: panelURL || dashboardURL || generatorURL,
    group,
  });
}
