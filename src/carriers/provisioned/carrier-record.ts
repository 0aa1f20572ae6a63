/** A carrier as the operator has provisioned it, and the sealing of the passwords among its settings. */
import type { TObject } from 'typebox';
import type { Sealing } from '../../foundation/sealing.ts';
import { httpSettings } from '../http/settings.ts';
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
export const carrierTypes = {
  simulator: simulatorSettings,
  smpp: smppSettings,
  http: httpSettings,
} as const satisfies Record<string, TObject>;

export type CarrierType = keyof typeof carrierTypes;

type Described = Pick<CarrierRecord, 'name' | 'settings'> & { readonly type: string };
type Settings = CarrierRecord['settings'];

/** A password in the settings is stored sealed in its place: `{ "sealed": "1.…" }`. */
interface Sealed {
  readonly sealed: string;
}

/** The names that lead to a value within the settings. */
type Path = readonly [string, ...string[]];

/** Keeps the sealed value from `stored` if the setting is unchanged. */
export function sealSettings(sealing: Sealing, carrier: Described, stored: Settings = {}): Settings {
  return changed(carrier, (value, path) => {
    if (typeof value !== 'string') return value;
    const kept = valueAt(stored, path);
    return { sealed: sealing.seal(value, placeOf(carrier, path), isSealed(kept) ? kept.sealed : undefined) };
  });
}

/** Undefined when the settings were sealed under another secret or are damaged. */
export function openSettings(sealing: Sealing, carrier: Described): Settings | undefined {
  let isWhole = true;
  const settings = changed(carrier, (value, path) => {
    if (!isSealed(value)) return value;
    const text = sealing.open(value.sealed, placeOf(carrier, path));
    isWhole &&= text !== undefined;
    return text;
  });
  return isWhole ? settings : undefined;
}

/** Whether the settings hold an unsealed secret; earlier versions stored secrets in this way. */
export function hasPlainSecret(carrier: Described): boolean {
  let hasPlain = false;
  changed(carrier, (value) => {
    hasPlain ||= typeof value === 'string';
    return value;
  });
  return hasPlain;
}

function placeOf({ name }: Described, path: Path): readonly string[] {
  return ['carrier', name, ...path];
}

/** The settings with each secret changed: the setting itself, or every value of an object of secrets by name. */
function changed({ type, settings }: Described, change: (value: unknown, path: Path) => unknown): Settings {
  const secrets = secretSettings(type).filter(({ name }) => name in settings);
  const fields = secrets.map(({ name, hasMany }) => {
    const value = settings[name];
    if (!hasMany || typeof value !== 'object' || value === null) return [name, change(value, [name])];
    const values = Object.entries(value).map(([key, one]) => [key, change(one, [name, key])]);
    return [name, Object.fromEntries(values)];
  });
  return { ...settings, ...Object.fromEntries(fields) };
}

function valueAt(settings: Settings, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Settings)[name] : undefined),
    settings,
  );
}

/** The settings that may be shown: none that is secret, sealed or not. */
export function shownSettings({ type, settings }: Pick<Described, 'type' | 'settings'>): Settings {
  const secret = new Set(secretSettings(type).map(({ name }) => name));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !secret.has(name)));
}

interface SecretSetting {
  readonly name: string;
  /** Whether it is an object of secrets by names of the operator's choice. */
  readonly hasMany: boolean;
}

/** The settings that the schema of the type marks as secret. */
function secretSettings(type: string): readonly SecretSetting[] {
  const schema = Object.hasOwn(carrierTypes, type) ? carrierTypes[type as CarrierRecord['type']] : undefined;
  const settings = Object.entries<object & { readonly secret?: boolean }>(schema?.properties ?? {});
  return settings.flatMap(([name, setting]) =>
    setting.secret === true ? [{ name, hasMany: 'patternProperties' in setting }] : [],
  );
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Sealed>).sealed === 'string';
}
