/** The metrics served at `/metrics`, in the Prometheus text format. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Carrier, CarrierStatus } from '../carriers/carrier.ts';
import type { MailingOptions } from '../email/outgoing/mail-sender.ts';
import type { OutboxSize } from '../email/outgoing/outgoing-work.ts';
import type { MailMetrics } from '../email/smtp/server.ts';
import type { SecurityEventName } from '../foundation/security-log.ts';
import type { HttpMetrics } from '../http/gate/probes.ts';
import type { Observer } from '../messages/observer.ts';
import type { Posted } from '../webhooks/posting/post.ts';

interface Sources {
  readonly inFlight: () => readonly { readonly carrier: string; readonly messages: number }[];
  readonly carriers: () => readonly Pick<Carrier, 'name' | 'status'>[];
}

export interface Metrics {
  readonly http: HttpMetrics;
  readonly observer: Observer;
  readonly mail: MailMetrics;
  readonly security: (event: SecurityEventName) => void;
  /** An attempt to post events to a webhook or a callback. */
  readonly posted: (posted: Pick<Posted, 'status'>, events: number) => void;
  /** An endpoint that gets no more posts because of its receiver's responses. */
  readonly webhookDisabled: () => void;
  /** How an incident of alerts went on. */
  readonly incident: (went: 'opened' | 'ended' | 'failed') => void;
  /** Events dropped because a queue was full. */
  readonly webhookEventsLost: (count: number) => void;
  /** To be called once with the sources that gauges read from. */
  readonly watch: (sources: Sources) => void;
  readonly watchHttp: (connections: { readonly size: number; readonly strangers: number }) => void;
  readonly watchMail: (connections: () => number) => void;
  readonly watchClients: (clients: { readonly connections: number; readonly binds: number }) => void;
  readonly watchRoutes: (simulated: () => number) => void;
  /** `end` returns milliseconds since 1970 and may throw. */
  readonly watchCertificate: (end: () => number) => void;
  readonly watchStore: (isDamaged: () => boolean) => void;
  /** An attempt to hand an e-mail to the relay. */
  readonly mailTried: MailingOptions['tried'];
  readonly watchOutbox: (size: () => OutboxSize | undefined) => void;
}

/** Requests of one path that were answered alike since the last scrape. */
interface Answered {
  readonly method: string;
  readonly status: number;
  count: number;
}

/** The bounds in seconds, from the time that a cache hit takes to the time after which callers give up. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Figures of a carrier's status, each exposed as a metric; those that only grow are counters. Not every carrier has all of
 * them.
 */
const carrierGauges = [
  ['carillon_carrier_binds', 'binds', 'Binds to the SMSC that should exist.'],
  ['carillon_carrier_binds_up', 'bindsUp', 'Binds to the SMSC that are up.'],
  [
    'carillon_carrier_window_parts',
    'windowParts',
    'How many SMS parts may await a response of the SMSC at a time.',
  ],
  ['carillon_carrier_window_used_parts', 'windowUsed', 'SMS parts awaiting a response of the SMSC.'],
  ['carillon_carrier_waiting_parts', 'waitingParts', 'SMS parts waiting to be submitted.'],
  [
    'carillon_carrier_window_limited_ratio',
    'windowLimitedShare',
    'Share of the last ten seconds or so in which parts waited because the window was full.',
  ],
  ['carillon_carrier_round_trip_seconds', 'roundTripSeconds', 'Recent response time of the SMSC.'],
] as const;

const carrierCounters = [
  [
    'carillon_carrier_window_limited_seconds_total',
    'windowLimitedSeconds',
    'Time in which parts waited because the window was full.',
  ],
  [
    'carillon_carrier_throughput_limited_seconds_total',
    'throughputLimitedSeconds',
    'Time in which parts waited for the configured throughput.',
  ],
  [
    'carillon_carrier_throttled_seconds_total',
    'throttledSeconds',
    'Time in which parts waited because the SMSC had asked for less.',
  ],
  ['carillon_carrier_throttled_total', 'throttled', 'Submissions that the SMSC refused as too many.'],
  ['carillon_carrier_timeouts_total', 'timeouts', 'Requests that the SMSC did not answer in time.'],
  [
    'carillon_carrier_late_answers_total',
    'lateAnswers',
    'Responses that came after the time-out, and still counted.',
  ],
  ['carillon_carrier_disconnects_total', 'disconnects', 'Binds that were lost.'],
  [
    'carillon_carrier_unexpected_answers_total',
    'unexpectedAnswers',
    'Responses of the SMSC that came too late to count, came twice, or answered no request.',
  ],
  [
    'carillon_carrier_refused_pdus_total',
    'refusedPdus',
    'PDUs from the SMSC that could not be read or that an SMSC does not send.',
  ],
  [
    'carillon_carrier_damaged_pdus_total',
    'damagedPdus',
    'PDUs from the SMSC accepted without their unreadable optional parameters.',
  ],
  [
    'carillon_carrier_miscounted_total',
    'miscounted',
    'Messages that the carrier sent in another number of SMS than counted here.',
  ],
  [
    'carillon_carrier_held_reads_total',
    'heldReads',
    'How often reading from a bind paused until everything that had arrived was stored.',
  ],
] as const;

interface Sample {
  readonly carrier: string;
  readonly value: number;
}

/** Read on each scrape, so that they cost nothing on a message's path. */
function watchCarriers(registers: Registry[], carriers: Sources['carriers']): void {
  const labelNames = ['carrier'];
  const watchGauge = (
    name: string,
    help: string,
    figureOf: (status: CarrierStatus) => number | undefined,
  ) => {
    const gauge = new Gauge({ name, help, labelNames, registers });
    const collect = () => {
      gauge.reset();
      for (const { carrier, value } of samples(carriers(), figureOf)) gauge.set({ carrier }, value);
    };
    Object.assign(gauge, { collect });
  };
  const up = ({ state }: CarrierStatus) => (state === 'up' ? 1 : 0);
  watchGauge('carillon_carrier_up', 'Whether the carrier takes messages: 1 or 0.', up);
  for (const [name, figure, help] of carrierGauges) watchGauge(name, help, ({ figures }) => figures[figure]);
  for (const [name, figure, help] of carrierCounters) {
    const counter = new Counter({ name, help, labelNames, registers });
    const collect = () => {
      counter.reset();
      for (const { carrier, value } of samples(carriers(), ({ figures }) => figures[figure]))
        counter.inc({ carrier }, value);
    };
    Object.assign(counter, { collect });
  }
}

function samples(
  carriers: ReturnType<Sources['carriers']>,
  figureOf: (status: CarrierStatus) => number | undefined,
): readonly Sample[] {
  return carriers.flatMap((carrier) => {
    const value = figureOf(carrier.status());
    return value === undefined ? [] : [{ carrier: carrier.name, value }];
  });
}

/** Read on each scrape. */
function watchNumber(registers: Registry[], name: string, help: string, value: () => number): void {
  const gauge = new Gauge({ name, help, registers });
  Object.assign(gauge, { collect: () => gauge.set(value()) });
}

/** Only the node that sends mail has these metrics. */
function watchOutbox(registers: Registry[], size: () => OutboxSize | undefined): void {
  const watched = [
    [
      'carillon_outgoing_mails_waiting',
      'E-mails waiting for the relay.',
      ({ waiting }: OutboxSize) => waiting,
    ],
    [
      'carillon_outgoing_mails_oldest_seconds',
      'Age of the oldest e-mail waiting for the relay.',
      ({ oldestSeconds }: OutboxSize) => oldestSeconds,
    ],
    [
      'carillon_outgoing_mails_failed',
      'E-mails refused or given up, which can be replayed.',
      ({ failed }: OutboxSize) => failed,
    ],
  ] as const;
  for (const [name, help, figureOf] of watched) {
    const gauge = new Gauge({ name, help, registers });
    const collect = () => {
      const now = size();
      if (now === undefined) gauge.remove();
      else gauge.set(figureOf(now));
    };
    Object.assign(gauge, { collect });
  }
}

export function createMetrics(lostLines: () => number = () => 0): Metrics {
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
  // Added at each scrape: to count every request there would take a text of its labels.
  const answered = new Map<string, Answered[]>();
  Object.assign(requests, {
    collect() {
      for (const [path, alike] of answered)
        for (const { method, status, count } of alike)
          requests.inc({ path, method, status: String(status) }, count);
      answered.clear();
    },
  });
  const durations = new Histogram({
    name: 'carillon_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['path'],
    buckets: durationBuckets,
    registers,
  });
  const connectionsEnded = counter(
    'carillon_http_connections_ended_total',
    'HTTP connections refused, or ended in favour of others.',
    ['reason'],
  );
  const messages = counter(
    'carillon_messages_accepted_total',
    'SMS accepted and stored; those of batches when they are created.',
  );
  const parts = counter('carillon_message_parts_accepted_total', 'SMS parts of accepted messages.');
  const outcomes = counter('carillon_submissions_total', "Carriers' answers to submitted parts, by kind.", [
    'carrier',
    'outcome',
  ]);
  const receipts = counter(
    'carillon_receipts_total',
    'Delivery receipts stored, by the status they report.',
    ['carrier', 'status'],
  );
  const unmatched = counter(
    'carillon_receipts_unmatched_total',
    'Delivery receipts that match no message, kept for the operator.',
    ['carrier'],
  );
  const unreadable = counter(
    'carillon_receipts_unreadable_total',
    'Delivery receipts that could not be read, kept for the operator.',
    ['carrier'],
  );
  const incoming = counter('carillon_incoming_total', 'Incoming SMS stored; unrouted SMS belong to nobody.', [
    'carrier',
    'routed',
  ]);
  const mailsTaken = counter(
    'carillon_mails_taken_total',
    'E-mails answered with 250: sent, repeated (sent before), or automatic (nothing is sent).',
    ['what'],
  );
  const mailsRefused = counter(
    'carillon_mails_refused_total',
    'E-mails, and recipients that are not phones, refused, by reason.',
    ['reason'],
  );
  const security = counter(
    'carillon_security_events_total',
    'Security events, including those without a log line of their own.',
    ['event'],
  );
  const posts = counter('carillon_webhook_posts_total', 'Posts to webhooks and callbacks, by response.', [
    'outcome',
  ]);
  const postedEvents = counter('carillon_webhook_events_total', 'Events in these posts.', ['outcome']);
  const disabled = counter(
    'carillon_webhooks_disabled_total',
    'Webhooks and callbacks disabled because their receivers answered 410 or kept failing.',
  );
  const lostEvents = counter(
    'carillon_webhook_events_lost_total',
    'Events dropped undelivered because a queue was full.',
  );
  const incidents = counter(
    'carillon_incidents_total',
    'Incidents of alerts: opened (people were woken), ended, failed (nobody could be woken).',
    ['went'],
  );
  const mailTries = counter(
    'carillon_outgoing_mail_tries_total',
    'Attempts to hand an e-mail to the relay, by its answer: taken, deferred (4xx), refused (5xx), unreachable.',
    ['outcome', 'kind'],
  );
  const lost = counter('carillon_log_lines_lost_total', 'Log lines that could not be written.');
  Object.assign(lost, {
    collect() {
      lost.reset();
      lost.inc(lostLines());
    },
  });
  const inFlight = new Gauge({
    name: 'carillon_messages_in_flight',
    help: 'Messages claimed by this node whose outcome is not stored yet.',
    labelNames: ['carrier'],
    registers,
  });

  return {
    http: {
      request(path, method, status, seconds) {
        const alike = answered.get(path) ?? [];
        if (alike.length === 0) answered.set(path, alike);
        const known = alike.find((one) => one.status === status && one.method === method);
        if (known === undefined) alike.push({ method, status, count: 1 });
        else known.count += 1;
        durations.observe({ path }, seconds);
      },
      connectionEnded: (reason) => connectionsEnded.inc({ reason }),
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
      unmatchedReceipts: (carrier, count) => unmatched.inc({ carrier }, count),
      unreadableReceipt: (carrier) => unreadable.inc({ carrier }),
      incoming: (carrier, routed) => incoming.inc({ carrier, routed: String(routed) }),
    },
    mail: {
      taken: (what) => mailsTaken.inc({ what }),
      refused: (reason) => mailsRefused.inc({ reason }),
    },
    security: (event) => security.inc({ event }),
    posted({ status }, count) {
      const outcome = status === undefined ? 'no answer' : `${Math.floor(status / 100)}xx`;
      posts.inc({ outcome });
      postedEvents.inc({ outcome }, count);
    },
    webhookDisabled: () => disabled.inc(),
    incident: (went) => incidents.inc({ went }),
    webhookEventsLost: (count) => lostEvents.inc(count),
    mailTried: (outcome, kind) => mailTries.inc({ outcome, kind }),
    watchOutbox: (size) => watchOutbox(registers, size),
    watchHttp(connections) {
      const help = 'Open HTTP connections, by whether their clients have authenticated.';
      const gauge = new Gauge({ name: 'carillon_http_connections', help, labelNames: ['of'], registers });
      const collect = () => {
        gauge.set({ of: 'strangers' }, connections.strangers);
        gauge.set({ of: 'known' }, connections.size - connections.strangers);
      };
      Object.assign(gauge, { collect });
    },
    watchMail(connections) {
      watchNumber(registers, 'carillon_smtp_connections', 'Connections of the SMTP server.', connections);
    },
    watchClients(clients) {
      const [help, helpOfBinds] = ['Connections of the SMPP server.', 'Binds at the SMPP server.'];
      watchNumber(registers, 'carillon_smpp_connections', help, () => clients.connections);
      watchNumber(registers, 'carillon_smpp_binds', helpOfBinds, () => clients.binds);
    },
    watchRoutes(simulated) {
      watchNumber(
        registers,
        'carillon_simulated_routes',
        'Routes to a simulator while others lead to real carriers.',
        simulated,
      );
    },
    watchCertificate(end) {
      const help = 'End of the server’s TLS certificate, in seconds since 1970.';
      const gauge = new Gauge({ name: 'carillon_tls_certificate_end_seconds', help, registers });
      const collect = () => {
        try {
          gauge.set(end() / 1_000);
        } catch {
          // A renewal may be rewriting the file, so the previous certificate's end is kept until the file can be read.
        }
      };
      Object.assign(gauge, { collect });
    },
    watchStore(isDamaged) {
      const help = '1 once a call has met damage to the store, or a check has found it; otherwise 0.';
      watchNumber(registers, 'carillon_store_damaged', help, () => (isDamaged() ? 1 : 0));
    },
    watch(sources) {
      watchCarriers(registers, sources.carriers);
      // Read on each scrape, so that the gauge costs nothing on a message's path.
      Object.assign(inFlight, {
        collect() {
          inFlight.reset();
          for (const { carrier, messages: count } of sources.inFlight()) inFlight.set({ carrier }, count);
        },
      });
    },
  };
}
