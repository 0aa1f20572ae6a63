/** A carrier as its node tells of it: a link is of no use to a node that can't keep what comes back by it. */
import type { Carrier } from '../carriers/carrier.ts';

export type ReportedCarrier = Pick<Carrier, 'id' | 'name' | 'status'>;

interface Keeping {
  /** Since when nothing that the carrier answers could be stored; undefined: it can be. */
  readonly outcomesFailSince: number | undefined;
}

export function reportedCarrier(carrier: Carrier, dispatch: Keeping): ReportedCarrier {
  return {
    id: carrier.id,
    name: carrier.name,
    status() {
      const status = carrier.status();
      const since = dispatch.outcomesFailSince;
      if (since === undefined || status.state === 'down') return status;
      return { ...status, state: 'down', since, reason: "what it answers can't be stored: see the log" };
    },
  };
}
