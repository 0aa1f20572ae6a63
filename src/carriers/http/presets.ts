/** The services that Carillon knows, each as data, and their data with the operator's settings. */
import type { HttpDeclaration, HttpSettings, Preset } from './settings.ts';

export const presets: Readonly<Record<string, Preset>> = {};

/** What the operator sets replaces what the preset says: within objects each key by itself, lists and texts as a whole. */
export function declarationOf(settings: HttpSettings): HttpDeclaration {
  const { preset = '' } = settings;
  const data = Object.hasOwn(presets, preset) ? presets[preset] : {};
  return merged(data, settings) as HttpDeclaration;
}

function merged(base: unknown, over: unknown): unknown {
  if (!(isObject(base) && isObject(over))) return over;
  const inner = Object.entries(over).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(inner) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
