/** A carrier as the operator has provisioned it, and the sealing of the passwords among its settings. */
import type { TObject } from 'typebox';
import type { Sealing } from '../../foundation/sealing.ts';
import { simulatorSettings } from '../simulator.ts';
import { smppSettings } from '../smpp/settings.ts';

export interface CarrierRecord {
  readonly id: number;
  /** Unique; routes refer to the carrier by it. */
  readonly name: string;
  readonly type: CarrierType;
  /** Settings that follow the schema of its type, with defaults filled in. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** A sentence that says why the carrier cannot be opened; absent when it can. */
  readonly unusable?: string;
}

/** The types of carriers, each with the schema of its settings. */
export const carrierTypes = { simulator: simulatorSettings, smpp: smppSettings } as const satisfies Record<
  string,
  TObject
>;

export type CarrierType = keyof typeof carrierTypes;

type Described = Pick<CarrierRecord, 'name' | 'settings'> & { readonly type: string };
type Settings = CarrierRecord['settings'];

/** A password in the settings is stored sealed in its place: `{ "sealed": "1.…" }`. */
interface Sealed {
  readonly sealed: string;
}

/** Keeps the sealed value from `stored` if the setting is unchanged. */
export function sealSettings(sealing: Sealing, carrier: Described, stored: Settings = {}): Settings {
  return changed(carrier, (value, field) => {
    if (typeof value !== 'string') return value;
    const kept = stored[field];
    return { sealed: sealing.seal(value, placeOf(carrier, field), isSealed(kept) ? kept.sealed : undefined) };
  });
}

/** Undefined when the settings were sealed under another secret or are damaged. */
export function openSettings(sealing: Sealing, carrier: Described): Settings | undefined {
  let isWhole = true;
  const settings = changed(carrier, (value, field) => {
    if (!isSealed(value)) return value;
    const text = sealing.open(value.sealed, placeOf(carrier, field));
    isWhole &&= text !== undefined;
    return text;
  });
  return isWhole ? settings : undefined;
}

/** Whether the settings hold an unsealed secret; earlier versions stored secrets in this way. */
export function hasPlainSecret({ type, settings }: Described): boolean {
  return secretSettings(type).some((field) => typeof settings[field] === 'string');
}

function placeOf({ name }: Described, field: string): readonly string[] {
  return ['carrier', name, field];
}

function changed(
  { type, settings }: Described,
  change: (value: unknown, field: string) => unknown,
): Settings {
  const fields = secretSettings(type).filter((field) => field in settings);
  return {
    ...settings,
    ...Object.fromEntries(fields.map((field) => [field, change(settings[field], field)])),
  };
}

/** The settings that may be shown: none that is secret, sealed or not. */
export function shownSettings({ type, settings }: Pick<Described, 'type' | 'settings'>): Settings {
  const secret = new Set(secretSettings(type));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !secret.has(name)));
}

/** The settings that the schema of the type marks as secret. */
function secretSettings(type: string): readonly string[] {
  const schema = Object.hasOwn(carrierTypes, type) ? carrierTypes[type as CarrierRecord['type']] : undefined;
  const settings = Object.entries<object & { readonly secret?: boolean }>(schema?.properties ?? {});
  return settings.flatMap(([name, setting]) => (setting.secret === true ? [name] : []));
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Sealed>).sealed === 'string';
}
