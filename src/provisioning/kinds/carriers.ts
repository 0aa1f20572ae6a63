/** Carriers in a provisioning file, whose settings depend on their type and are read with its schema. */
import type { TObject, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { type CarrierType, carrierTypes, sealSettings } from '../../carriers/provisioned/carrier-record.ts';
import {
  type ConfiguredCarrier,
  createCarriers,
  readCarriers,
  removeCarriers,
  updateCarriers,
} from '../../carriers/provisioned/carrier-rows.ts';
import type { Fault } from '../../yaml/fault.ts';
import {
  type Field,
  type Fields,
  nearest,
  needed,
  oneOfWords,
  optional,
  type Read,
} from '../../yaml/fields.ts';
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
  const settings: Fields = isOpen ? {} : settingsFields(carrierTypes[type]);
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

/** Derives the fields from the type's schema, so a new type of carrier needs nothing here. */
function settingsFields(schema: TObject): Fields {
  const required = (schema as { readonly required?: readonly string[] }).required ?? [];
  const names = Object.entries(schema.properties as Record<string, TSchema>);
  return Object.fromEntries(
    names.map(([name, setting]) => [name, settingField(setting, required.includes(name))]),
  );
}

/** The parts of JSON Schema that the sentences below can express. */
interface SettingSchema {
  readonly type?: string;
  /** For a text that follows a pattern: in words, what the text must be. */
  readonly title?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly { readonly const?: unknown }[];
  /** For an object with keys chosen by the operator: one pattern for all of them. */
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  /** A description of such a key in words, and the known keys that may have been meant. */
  readonly propertyNames?: { readonly title: string; readonly examples?: readonly string[] };
}

function settingField(schema: TSchema, required: boolean): Field<unknown> {
  const setting = schema as SettingSchema;
  return {
    absent: required && setting.default === undefined ? 'needed' : { value: setting.default },
    standIn: setting.default,
    read: (tree, faults) =>
      setting.patternProperties === undefined
        ? readValue(schema, tree, faults)
        : readMap(setting.patternProperties, setting, tree, faults),
  };
}

function readValue(schema: TSchema, tree: Tree, faults: Fault[]): unknown {
  const setting = schema as SettingSchema;
  const value = setting.type === 'string' && tree.kind === 'number' ? tree.source : plain(tree);
  const [error] = Value.Errors(schema, value);
  if (error === undefined) return value;
  const inner = error.instancePath === '' ? '' : ` (at ${error.instancePath})`;
  const expected = expectation(setting) ?? `${error.message}${inner}`;
  const meaning = setting.description === undefined ? '' : `: ${setting.description.replace(/\.$/, '')}`;
  faults.push({ place: tree.place, sentence: `${expected}${meaning}` });
  return undefined;
}

/** Reads each entry separately, so that a fault is reported where it is. */
function readMap(
  patterns: Readonly<Record<string, TSchema>>,
  { propertyNames, description = '' }: SettingSchema,
  tree: Tree,
  faults: Fault[],
): unknown {
  if (tree.kind === 'nothing') return {};
  if (tree.kind !== 'map') {
    faults.push({
      place: tree.place,
      sentence: `must be an object with keys: ${description.replace(/\.$/, '')}`,
    });
    return undefined;
  }
  const [[pattern, schema] = ['', {} as TSchema]] = Object.entries(patterns);
  const keys = new RegExp(pattern);
  const values: Record<string, unknown> = {};
  for (const [key, { place, value }] of tree.entries) {
    if (keys.test(key)) values[key] = readValue(schema, value, faults);
    else faults.push({ place, sentence: keyFault(key, propertyNames) });
  }
  return values;
}

function keyFault(key: string, names: SettingSchema['propertyNames']): string {
  const meant = nearest(key, names?.examples ?? []);
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${names?.title === undefined ? 'this key is not known' : `the key must be ${names.title}`}${advice}`;
}

/** Undefined when this kind of schema has a separate error that explains the fault better. */
function expectation(setting: SettingSchema): string | undefined {
  const choices = setting.enum ?? setting.anyOf?.map((choice) => choice.const);
  if (choices?.every((choice) => choice !== undefined)) return `must be one of ${choices.join(', ')}`;
  if (setting.type === 'boolean') return 'must be true or false';
  if (setting.type === 'integer' || setting.type === 'number') {
    const noun = setting.type === 'integer' ? 'a whole number' : 'a number';
    return `must be ${noun}${bounds(setting.minimum, setting.maximum)}`;
  }
  if (setting.type !== 'string') return undefined;
  if ('pattern' in setting) return setting.title === undefined ? undefined : `must be ${setting.title}`;
  const length = bounds(setting.minLength, setting.maxLength);
  return `must be a text${length === '' ? '' : ` with a length${length}`}`;
}

function bounds(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}

function plain(tree: Tree): unknown {
  switch (tree.kind) {
    case 'map':
      return Object.fromEntries([...tree.entries].map(([name, { value }]) => [name, plain(value)]));
    case 'list':
      return tree.items.map(plain);
    case 'nothing':
      return null;
    default:
      return tree.value;
  }
}
