/** The services that are known: each a declaration as data, to which the operator adds credentials and whatever differs. */
import { fortySixElks } from './presets/46elks.ts';
import { bird } from './presets/bird.ts';
import { carillon } from './presets/carillon.ts';
import { httpsms } from './presets/httpsms.ts';
import { infobip } from './presets/infobip.ts';
import { kannel } from './presets/kannel.ts';
import { sinch } from './presets/sinch.ts';
import { smsgate } from './presets/smsgate.ts';
import { telnyx } from './presets/telnyx.ts';
import { twilio } from './presets/twilio.ts';
import { vonage } from './presets/vonage.ts';
import { type HttpDeclaration, type HttpSettings, httpSettings, type Preset } from './settings.ts';

export const presets: Readonly<Record<string, Preset>> = {
  '46elks': fortySixElks,
  twilio,
  sinch,
  infobip,
  vonage,
  telnyx,
  bird,
  kannel,
  smsgate,
  httpsms,
  carillon,
};

/**
 * The preset with the operator's settings over it: objects key by key, lists and single values as a whole. A setting that has its
 * default does not count as set by the operator.
 */
export function declarationOf(settings: HttpSettings): HttpDeclaration {
  const { preset } = settings;
  if (preset === undefined || !Object.hasOwn(presets, preset)) return settings as HttpDeclaration;
  const { signsOnRequest, ...known } = presets[preset] as Preset;
  const signed = signsOnRequest === true ? withSetKeys(known, settings.secrets ?? {}) : known;
  const set = Object.entries(settings).filter(
    ([name, value]) => !(Object.hasOwn(known, name) && value === defaultOf(name)),
  );
  return merged(signed, Object.fromEntries(set)) as HttpDeclaration;
}

function defaultOf(name: string): unknown {
  const setting: object | undefined = httpSettings.properties[name as keyof HttpSettings];
  return setting !== undefined && 'default' in setting ? setting.default : undefined;
}

/** Without the signatures if their key is not set. */
function withSetKeys(preset: Preset, secrets: object): Preset {
  const { receipts, incoming, ...others } = preset;
  const signature = receipts?.signature;
  const key = typeof signature === 'object' ? (signature.secret ?? '') : '';
  if (Object.hasOwn(secrets, key)) return preset;
  return {
    ...others,
    ...(receipts !== undefined && { receipts: unsigned(receipts) }),
    ...(incoming !== undefined && { incoming: unsigned(incoming) }),
  };
}

function unsigned<Section extends { readonly signature?: unknown }>({ signature: _, ...others }: Section) {
  return others;
}

/** A signature is of one of several kinds, so it is replaced as a whole. */
const wholes: ReadonlySet<string> = new Set(['signature']);

function merged(base: unknown, over: unknown, name = ''): unknown {
  if (!(isObject(base) && isObject(over)) || wholes.has(name)) return over;
  const inner = Object.entries(over).map(([key, value]) => [key, merged(base[key], value, key)]);
  return { ...base, ...Object.fromEntries(inner) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
