/**
 * A carrier as its node reports it: a link is useless to a node whose store refuses the outcomes. An unreachable store
 * says nothing about the link: this is reported, but routing and failover use the link's own state.
 */
import type { Carrier } from '../../carriers/carrier.ts';

export type ReportedCarrier = Pick<Carrier, 'id' | 'name' | 'status'>;

interface Keeping {
  /** Since when the carrier's answers could not be stored; undefined when they can be. */
  readonly outcomesFailSince: number | undefined;
  /** Since when the store, though reachable, has refused them. */
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
