/** What `/metrics` tells, in the text form of Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { HttpMetrics } from './http/probes.ts';
import type { Observer } from './messages/observer.ts';

interface Sources {
  readonly inFlight: () => readonly { readonly carrier: string; readonly messages: number }[];
}

export interface Metrics {
  readonly http: HttpMetrics;
  readonly observer: Observer;
  /** To be told once, where gauges read from. */
  readonly watch: (sources: Sources) => void;
}

/** From what a hit in memory takes to what a caller gives up on, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames: [...labelNames], registers });

  const requests = counter('carillon_http_requests_total', 'HTTP requests answered.', [
    'path',
    'method',
    'status',
  ]);
  const durations = new Histogram({
    name: 'carillon_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['path'],
    buckets: durationBuckets,
    registers,
  });
  const messages = counter('carillon_messages_accepted_total', 'SMS accepted and stored.');
  const parts = counter('carillon_message_parts_accepted_total', 'SMS parts of what was accepted.');
  const outcomes = counter('carillon_submissions_total', "Carriers' answers to submitted parts, by kind.", [
    'carrier',
    'outcome',
  ]);
  const receipts = counter('carillon_receipts_total', 'Delivery receipts stored, by the status they tell.', [
    'carrier',
    'status',
  ]);
  const incoming = counter(
    'carillon_incoming_total',
    'Incoming SMS stored; unrouted: they belong to nobody.',
    ['carrier', 'routed'],
  );
  const inFlight = new Gauge({
    name: 'carillon_messages_in_flight',
    help: 'Messages claimed by this node whose outcome is not stored yet.',
    labelNames: ['carrier'],
    registers,
  });

  return {
    http: {
      request(path, method, status, seconds) {
        requests.inc({ path, method, status: String(status) });
        durations.observe({ path }, seconds);
      },
      contentType: registry.contentType,
      text: () => registry.metrics(),
    },
    observer: {
      accepted(count, partCount) {
        messages.inc(count);
        parts.inc(partCount);
      },
      outcome: (carrier, outcome) => outcomes.inc({ carrier, outcome }),
      receipts: (carrier, status, count) => receipts.inc({ carrier, status }, count),
      incoming: (carrier, routed) => incoming.inc({ carrier, routed: String(routed) }),
    },
    watch(sources) {
      // Read when asked, so that the gauge costs nothing on the way of a message.
      Object.assign(inFlight, {
        collect() {
          inFlight.reset();
          for (const { carrier, messages: count } of sources.inFlight()) inFlight.set({ carrier }, count);
        },
      });
    },
  };
}
