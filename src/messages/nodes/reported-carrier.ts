/**
 * A carrier as its node tells of it: a link is of no use to a node whose store refuses what comes back by it. A store that
 * is out of reach tells nothing of the link: that is said, but routing and failover go by the link's own state.
 */
import type { Carrier } from '../../carriers/carrier.ts';

export type ReportedCarrier = Pick<Carrier, 'id' | 'name' | 'status'>;

interface Keeping {
  /** Since when nothing that the carrier answers could be stored; undefined: it can be. */
  readonly outcomesFailSince: number | undefined;
  /** Since when the store refused it, though it could be reached. */
  readonly outcomesRefusedSince: number | undefined;
}

export function reportedCarrier(carrier: Carrier, dispatch: Keeping): ReportedCarrier {
  return {
    id: carrier.id,
    name: carrier.name,
    status() {
      const status = carrier.status();
      if (dispatch.outcomesFailSince === undefined || status.state === 'down') return status;
      const since = dispatch.outcomesRefusedSince;
      const told = { ...status, reason: "what it answers can't be stored: see the log" };
      return since === undefined ? told : { ...told, state: 'down', since };
    },
  };
}
