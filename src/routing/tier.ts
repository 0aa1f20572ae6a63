/** Carriers that take turns, and those behind them that are asked when none of these is fit. */

export type IsFit = (carrierId: number) => boolean;

/** Carriers that share the load. One that is named twice has two turns. */
export interface Tier {
  readonly carrierIds: readonly number[];
  turn: number;
}

export function anyone(): boolean {
  return true;
}

/** Whoever's turn it is in the first tier with a fit carrier. */
export function take(tiers: readonly Tier[], isFit: IsFit): number | undefined {
  for (const tier of tiers) {
    const { carrierIds } = tier;
    for (let step = 1; step <= carrierIds.length; step++) {
      const turn = (tier.turn + step) % carrierIds.length;
      const id = carrierIds[turn] as number;
      if (!isFit(id)) continue;
      tier.turn = turn;
      return id;
    }
  }
  return undefined;
}

/** All that are fit of the first tier that has any, for messages that take turns with them: the next in turn is first. */
export function takeAll(tiers: readonly Tier[], isFit: IsFit): readonly number[] | undefined {
  for (const tier of tiers) {
    const { carrierIds } = tier;
    if (carrierIds.length === 1 && isFit(carrierIds[0] as number)) return carrierIds;
    const turns = carrierIds.map((_, step) => (tier.turn + 1 + step) % carrierIds.length);
    const fit = turns.filter((turn) => isFit(carrierIds[turn] as number));
    const [first] = fit;
    if (first === undefined) continue;
    tier.turn = first;
    return fit.map((turn) => carrierIds[turn] as number);
  }
  return undefined;
}
