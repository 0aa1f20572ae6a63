/** Carriers in a provisioning file, whose settings depend on their type and are read with its schema. */
import { type DeclarationFault, expressionFaults, faultsOf } from '../../carriers/http/check.ts';
import type { HttpSettings } from '../../carriers/http/settings.ts';
import { type CarrierType, carrierTypes, sealSettings } from '../../carriers/provisioned/carrier-record.ts';
import {
  type ConfiguredCarrier,
  createCarriers,
  readCarriers,
  removeCarriers,
  updateCarriers,
} from '../../carriers/provisioned/carrier-rows.ts';
import { fieldsBySchema } from '../../yaml/by-schema.ts';
import type { Fault, Place } from '../../yaml/fault.ts';
import { type Fields, needed, oneOfWords, optional, type Read } from '../../yaml/fields.ts';
import type { Tree } from '../../yaml/tree.ts';
import { name, remove } from '../objects/fields.ts';
import type { Kind } from '../objects/kind.ts';
import { line } from '../objects/line.ts';
import { type Planned, planned } from '../objects/planned.ts';

export interface CarrierPlan extends Planned {
  readonly name: string;
  readonly type: CarrierType;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Everything that the file says about the carrier, by paths such as `carriers[0].submit.url`. */
  readonly places: Readonly<Record<string, Place>>;
  /** Whether a setting has been called wrong; the settings together can then not be checked. */
  readonly hasWrongSettings: boolean;
}

const carrierTypeNames = Object.keys(carrierTypes) as CarrierType[];
const carrierType = oneOfWords(carrierTypeNames);
const carrierBase = { name: needed(name, ''), type: optional(carrierType, undefined), remove };

export const carriers: Kind<CarrierPlan, ConfiguredCarrier> = {
  section: 'carriers',
  within: 'file',
  noun: 'this carrier',
  read: readCarrier,
  keyField: 'name',
  keyOf: ({ name }) => name,
  load: readCarriers,
  /** A different type has different settings. */
  after({ name, type, settings }, before, _, keeps) {
    const known = Object.entries(before?.type === type ? before.settings : {});
    const kept = Object.fromEntries(known.filter(([setting]) => keeps(setting)));
    return { name, type, settings: { ...settings, ...kept } };
  },
  describe: (edits) =>
    edits.map(({ before, after }) => {
      const all = new Set([...Object.keys(before?.settings ?? {}), ...Object.keys(after?.settings ?? {})]);
      const none = Object.fromEntries([...all].map((setting) => [setting, undefined]));
      // The settings are beside name and type, as in the file.
      const flat = (carrier: ConfiguredCarrier | undefined) =>
        carrier && { name: carrier.name, type: carrier.type, ...none, ...carrier.settings };
      return line({ before: flat(before), after: flat(after) }, `carrier ${(after ?? before)?.name}`);
    }),
  faultsOf(asked, view) {
    const after = view.after(carriers).get(asked.name);
    return after === undefined || asked.remove ? [] : faultsTogether(asked, after.settings);
  },
  slowFaults: faultsOfExpressions,
  async protect(asked, before, { sealing }) {
    return { ...asked, settings: sealSettings(sealing, asked, before?.settings) };
  },
  create: createCarriers,
  change: updateCarriers,
  remove: removeCarriers,
  news: ['carriers'],
};

function readCarrier(...[tree, faults]: Parameters<Read<CarrierPlan>>): CarrierPlan | undefined {
  const type = typeOf(tree);
  // Without a known type, no setting can be called unknown, and a carrier to be removed needs no type, so only the settings
  // common to all carriers are checked.
  const isOpen = type === undefined || isRemoved(tree);
  const settings: Fields = isOpen ? {} : fieldsBySchema(carrierTypes[type]);
  const others = isOpen && tree.kind === 'map' ? [...tree.entries.keys()] : [];
  const ignored = Object.fromEntries(
    others.filter((key) => !(key in carrierBase)).map((key) => [key, optional(() => true, undefined)]),
  );
  const fields: typeof carrierBase & Fields = { ...carrierBase, ...settings, ...ignored };
  const known = faults.length;
  const read = planned(fields)(tree, faults);
  if (read === undefined) return undefined;
  const { name, remove, place, fieldPlaces, resets } = read;
  if (!(remove || 'type' in fieldPlaces)) {
    faults.push({ place, sentence: `needs a key "type", one of ${carrierTypeNames.join(', ')}` });
  }
  const values = Object.fromEntries(
    Object.keys(settings)
      .map((setting) => [setting, read[setting]] as const)
      .filter(([, value]) => value !== undefined),
  );
  const hasWrongSettings = faults.length > known;
  return {
    name,
    type: type ?? 'simulator',
    settings: values,
    places: type === 'http' ? Object.fromEntries(placesIn(tree)) : {},
    hasWrongSettings,
    remove,
    place,
    fieldPlaces,
    resets,
  };
}

function placesIn(tree: Tree): readonly (readonly [string, Place])[] {
  const inner = tree.kind === 'map' ? [...tree.entries.values()].map(({ value }) => value) : [];
  const items = tree.kind === 'list' ? tree.items : inner;
  return [[tree.place.path, tree.place], ...items.flatMap(placesIn)];
}

/** At the carrier, for what is not in this file: it comes from a preset or from another file. */
function located({ place, places }: CarrierPlan, { path, sentence }: DeclarationFault): Fault {
  const within = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  const found = places[place.path + within];
  if (found !== undefined) return { place: found, sentence };
  return { place, sentence: `${within.slice(1)}: ${sentence}` };
}

/** Faults of settings that are well formed by themselves. The settings may be more than those in the file. */
export function faultsTogether(
  asked: CarrierPlan,
  settings: CarrierPlan['settings'] = asked.settings,
): readonly Fault[] {
  if (asked.hasWrongSettings || asked.type !== 'http') return [];
  return faultsOf(settings as HttpSettings).map((fault) => located(asked, fault));
}

export async function faultsOfExpressions(asked: CarrierPlan): Promise<readonly Fault[]> {
  if (asked.hasWrongSettings || asked.type !== 'http') return [];
  const faults = await expressionFaults(asked.settings as HttpSettings);
  return faults.map((fault) => located(asked, fault));
}

function isRemoved(tree: Tree): boolean {
  const entry = tree.kind === 'map' ? tree.entries.get('remove')?.value : undefined;
  return entry?.kind === 'flag' && entry.value;
}

function typeOf(tree: Tree): CarrierType | undefined {
  const entry = tree.kind === 'map' ? tree.entries.get('type') : undefined;
  return entry && carrierType(entry.value, []);
}
