/**
 * Finds messages that are claimed by this node in the store but unknown to the node, because the response to the claim was
 * lost or something failed right after it. None of their parts were handed over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { storedReason } from '../../foundation/sentences.ts';
import type { Context } from '../../storage/context.ts';
import { literal, oneOf, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { lane, stage } from '../message.ts';
import { keepEvents } from '../timeline-store.ts';

interface OrphanOptions extends Context {
  readonly nodeId: number;
  readonly carrierId: number;
  /** Messages that the node is handling or about to handle. No others are expected during a search. */
  readonly knownIds: () => readonly number[];
}

const retryMs = 500;

export class Orphans {
  readonly #options: OrphanOptions;
  #mayBe = false;
  #isSearching = false;

  constructor(options: OrphanOptions) {
    this.#options = options;
  }

  /** Whether there are certainly no orphans; false during a search. */
  get isEmpty(): boolean {
    return !(this.#mayBe || this.#isSearching);
  }

  suspect(): void {
    this.#mayBe = true;
  }

  /** Releases any orphans. It must be called between claims, never during one. */
  async release(): Promise<void> {
    if (!this.#mayBe) return;
    const { store, clock, nodeId, carrierId } = this.#options;
    const knownIds = this.#options.knownIds();
    this.#isSearching = true;
    // Reset before the search, since a suspicion that arises meanwhile may concern later orphans.
    this.#mayBe = false;
    try {
      await store.write(releaseOrphans, { carrierId, nodeId, knownIds, now: clock.now() });
    } catch (error) {
      this.#mayBe = true;
      throw error;
    } finally {
      this.#isSearching = false;
    }
  }

  /** Called for a removed carrier or at this node's end, when other nodes would otherwise treat orphans as in doubt. */
  async leaveNone(isGivenUp: () => boolean, failed: (error: unknown) => void): Promise<void> {
    while (this.#mayBe && !isGivenUp()) {
      await this.release().catch((error: unknown) => {
        failed(error);
        return delay(retryMs);
      });
    }
  }
}

interface OrphanQuery {
  readonly carrierId: number;
  readonly nodeId: number;
  /** Messages that the node is handling. It claims no others meanwhile. */
  readonly knownIds: readonly number[];
  readonly now: number;
}

/** Makes messages wait again that a node claimed without learning of the claim. */
export const releaseOrphans = singleWriteVerb(
  'messages.releaseOrphans',
  async (transaction, { carrierId, nodeId, knownIds, now }: OrphanQuery) => {
    const rows = await transaction.all<{ companyId: number; id: number; attempt: number; claimedAt: number }>(
      sql`UPDATE messages SET stage = ${stage.waiting}, node_id = NULL
        WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.inFlight)}
          AND lane IN (${literal(lane.interactive)}, ${literal(lane.bulk)})
          AND node_id = ${nodeId} AND NOT (id ${oneOf('bigint', knownIds)})
        RETURNING company_id AS "companyId", id, attempts AS attempt, due_at AS "claimedAt"`,
    );
    const reason = storedReason({ sentence: 'not_handed_over' });
    const event = { at: now, kind: 'given back', carrierId, nodeId, reason } as const;
    await keepEvents(
      transaction,
      rows.map(({ id: messageId, ...claim }) => ({ ...event, ...claim, messageId })),
    );
    return rows.length;
  },
);
