/** A carrier as the operator has provisioned it. */
import type { TObject } from 'typebox';
import { simulatorSettings } from '../simulator/settings.ts';
import { smppSettings } from '../smpp/settings.ts';

export interface CarrierRecord {
  readonly id: number;
  /** Unique; routes refer to the carrier by it. */
  readonly name: string;
  readonly type: CarrierType;
  /** By the schema of its type, defaults filled in. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** A sentence that says why it cannot be opened; absent when it can. */
  readonly unusable?: string;
}

/** The types of carriers, each with the schema of its settings. */
export const carrierTypes = { simulator: simulatorSettings, smpp: smppSettings } as const satisfies Record<
  string,
  TObject
>;

export type CarrierType = keyof typeof carrierTypes;
