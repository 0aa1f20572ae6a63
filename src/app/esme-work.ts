/** The work of a node that serves customers' programs by SMPP: its server, and the queue of what they are to be told. */
import type { Logger } from 'pino';
import type { SmppAuthentication } from '../accounts/smpp-authentication.ts';
import type { Config } from '../config/config.ts';
import { acceptOfClients } from '../esme/accept-store.ts';
import { measureDeliveries } from '../esme/delivery.ts';
import { keepPart } from '../esme/part.ts';
import { sendDueParts } from '../esme/send-parts.ts';
import { ClientServer, type ListenAddress } from '../esme/server.ts';
import {
  clientReader,
  deliveriesTopic,
  keepClientReader,
  takeClientChanges,
} from '../esme/take-changes-store.ts';
import { StartError } from '../foundation/errors.ts';
import { acceptMessages } from '../messages/sending/accept.ts';
import type { Sending } from '../messages/sending/send.ts';
import { Outbox } from '../outbox/outbox.ts';
import type { News } from '../storage/news.ts';
import { commandStatusName } from '../wire/smpp/command-status.ts';
import type { ClientBacklog, Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

interface ClientWorkNeeds {
  readonly config: Config;
  readonly sending: Sending;
  readonly authentication: SmppAuthentication;
  readonly news: News;
  readonly nodeId: () => number | undefined;
  readonly metrics: Pick<Metrics, 'watchClients' | 'clientRefused'>;
  readonly log: Logger;
}

const page = 1_000;

/** Does nothing on a node without the role `http`, or without an address for clients. */
export async function startClients(needs: ClientWorkNeeds, stack: StopStack): Promise<void> {
  const { config, sending, metrics } = needs;
  const addresses = addressesOf(config);
  if (addresses.length === 0 || !config.roles.has('http')) return;
  const { store } = sending;
  // From the first start on, the journal is kept for this reader.
  await store.write(keepClientReader, null);
  const backlog = new BacklogMeter(sending);
  const queue = queueing(needs, backlog);
  stack.start(queue);
  const taking = [acceptOfClients, acceptMessages, keepPart];
  const storeWaitMs = () => Math.max(...taking.map((verb) => store.waitMs(verb)));
  const server = new ClientServer({
    ...needs,
    addresses,
    storeWaitMs,
    refused: (request, status) => metrics.clientRefused(request, commandStatusName(status)),
  });
  stack.push(() => server.stop());
  await server.listen();
  metrics.watchClients(server, () => (queue.work === undefined ? undefined : backlog.latest));
}

function addressesOf({ smppServer, smppServerTls, tls }: Config): readonly ListenAddress[] {
  if (smppServerTls !== undefined && tls === undefined)
    throw new StartError(
      'CARILLON_SMPP_SERVER_TLS is set, but CARILLON_TLS_CERT and CARILLON_TLS_KEY are not: TLS needs both files.',
    );
  return [
    ...(smppServer === undefined ? [] : [smppServer]),
    ...(smppServerTls === undefined ? [] : [{ ...smppServerTls, tls }]),
  ];
}

const measureEveryMs = 5_000;
/** A longer queue is not counted to its end. */
const maxMeasured = 10_000;

/** Measures now and then what waits for clients. */
class BacklogMeter {
  readonly #sending: Sending;
  #measuredAt = Number.NEGATIVE_INFINITY;
  /** Undefined until it is measured. */
  latest: ClientBacklog | undefined;

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  async measure(): Promise<void> {
    if (performance.now() - this.#measuredAt < measureEveryMs) return;
    this.#measuredAt = performance.now();
    const { store, clock } = this.#sending;
    const measured = await store.read(measureDeliveries, maxMeasured);
    if (measured === undefined) return;
    const { waiting, oldestAt } = measured;
    const oldestMs = oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt);
    this.latest = { waiting, oldestSeconds: oldestMs / 1_000 };
  }
}

/** One node at a time queues; whichever node a user has bound at delivers. */
function queueing({ sending, nodeId, log }: ClientWorkNeeds, backlog: BacklogMeter): Outbox<object> {
  const { store, clock } = sending;
  const nothing = async () => undefined;
  return new Outbox(
    { store, clock, log, nodeId, chance: Math.random },
    {
      reader: clientReader,
      keep: keepClientReader,
      async advance(node, to) {
        const input = { nodeId: node, to, limit: page, now: clock.now() };
        const { advanced, queued } = await store.write(takeClientChanges, input);
        if (queued > 0) store.announce(deliveriesTopic);
        return advanced;
      },
      missed:
        'SMPP clients were too far behind: receipts and incoming SMS of the skipped time are not delivered; the statuses of messages are complete',
      isWanted: () => true,
      begin: () => ({}),
      async look() {
        await sendDueParts(sending, log);
        await backlog.measure();
      },
      topic: deliveriesTopic,
      queued: () => undefined,
      end: nothing,
      failed: (error) => log.warn({ error }, 'deliveries to SMPP clients wait for the store'),
    },
  );
}
