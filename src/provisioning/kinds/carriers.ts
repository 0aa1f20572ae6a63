/** Carriers in a provisioning file, whose settings depend on their type and are read with its schema. */
import { type CarrierType, carrierTypes, sealSettings } from '../../carriers/provisioned/carrier-record.ts';
import {
  type ConfiguredCarrier,
  createCarriers,
  readCarriers,
  removeCarriers,
  updateCarriers,
} from '../../carriers/provisioned/carrier-rows.ts';
import { fieldsBySchema } from '../../yaml/by-schema.ts';
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
  return { name, type: type ?? 'simulator', settings: values, remove, place, fieldPlaces, resets };
}

function isRemoved(tree: Tree): boolean {
  const entry = tree.kind === 'map' ? tree.entries.get('remove')?.value : undefined;
  return entry?.kind === 'flag' && entry.value;
}

function typeOf(tree: Tree): CarrierType | undefined {
  const entry = tree.kind === 'map' ? tree.entries.get('type') : undefined;
  return entry && carrierType(entry.value, []);
}
