/** A carrier as the operator has provisioned it. */
import type { TObject } from 'typebox';
import { simulatorSettings } from '../simulator/settings.ts';
import { smppSettings } from '../smpp/settings.ts';

export interface CarrierRecord {
  readonly id: number;
  /** Unique; what routes name. */
  readonly name: string;
  readonly type: CarrierType;
  /** By the schema of its type, defaults filled in. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Why it cannot be opened, in a sentence; absent: it can. */
  readonly unusable?: string;
}

/** The kinds of carrier there are, each with the schema of its settings. */
export const carrierTypes = { simulator: simulatorSettings, smpp: smppSettings } as const satisfies Record<
  string,
  TObject
>;

export type CarrierType = keyof typeof carrierTypes;
