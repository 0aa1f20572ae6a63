/** The kinds of parameters with several values: texts, numbers and ids, objects, and maps from text to text. */

import Type from 'typebox';
import type { Sentence } from '../../foundation/sentences.ts';
import type { ListKind } from '../../wire/percent-decoding.ts';
import { faultOfLabel, maxLabelLength } from '../../wire/sms/substitution.ts';
import { isCountAllowed, isTextAllowed, standardMaxLength } from './bounds.ts';
import type { Faults } from './faults.ts';
import {
  checkAbsence,
  declare,
  type Given,
  hasValue,
  type Input,
  objectSchema,
  type Parameter,
  type ParameterOptions,
  type Parameters,
  type UrlName,
  type UrlValues,
} from './parameter.ts';
import { KnownNames } from './table.ts';
import { listFromUrl } from './url-values.ts';

type Texts = readonly string[];

interface ListOptions extends ParameterOptions<Texts> {
  readonly maxItems: number;
  /** The limit for an item, in characters; 1,000 by default. */
  readonly maxLength?: number;
}

/** Texts that may contain a comma: in a URL they are split at raw commas only. */
export function textList<const Options extends ListOptions>(
  options: Options,
): Parameter<Given<Options, Texts>> {
  return listOf(options, 'texts', (json) => (typeof json === 'string' ? json : undefined), 'a string');
}

/**
 * Phone numbers, or our ids or names, none of which contains a comma: in a URL they are also split at encoded commas; JSON
 * numbers are accepted too.
 */
export function numberList<const Options extends ListOptions>(
  options: Options,
): Parameter<Given<Options, Texts>> {
  return listOf(
    options,
    'ids',
    (json) => {
      if (typeof json === 'string') return json;
      return Number.isSafeInteger(json) && (json as number) >= 0 ? String(json) : undefined;
    },
    'a string (or a whole number)',
  );
}

function listOf<const Options extends ListOptions>(
  options: Options,
  listKind: ListKind,
  fromItem: (json: unknown) => string | undefined,
  itemType: string,
): Parameter<Given<Options, Texts>> {
  const { get, maxItems, maxLength = standardMaxLength } = options;
  const schema = Type.Array(Type.String({ maxLength }), { maxItems });
  return declare<Options, Texts>(options, {
    schema,
    urlNames: get === undefined ? [] : [{ name: get, list: true, schema }],
    fromJson(json, field, faults) {
      if (!Array.isArray(json)) {
        faults.addWrongType(field, 'a list of strings', json);
        return undefined;
      }
      if (!isCountAllowed(json.length, maxItems, field, faults)) return undefined;
      const items: string[] = [];
      for (let index = 0; index < json.length; index++) {
        const item = fromItem(json[index]);
        if (item === undefined) {
          faults.addWrongType(`${field}[${index}]`, itemType, json[index]);
        } else if (
          (item.length <= maxLength && !item.includes('\0')) ||
          isTextAllowed(item, { max: maxLength }, `${field}[${index}]`, faults)
        ) {
          items.push(item);
        }
      }
      return items;
    },
    fromUrl(values, faults) {
      const raw = get === undefined ? undefined : values.get(get);
      if (get === undefined || raw === undefined || raw === '') return undefined;
      return listFromUrl(raw, { name: get, kind: listKind, maxItems, maxLength }, faults);
    },
  });
}

/** Read only its own entries, since a label can be any text, including `__proto__`. */
export type TextMap = Readonly<Record<string, string>>;

interface TextMapOptions extends Omit<ParameterOptions<TextMap>, 'get'> {
  /** The maximum number of labels. */
  readonly maxItems: number;
  /** The limit for a text, in characters; 1,000 by default. */
  readonly maxLength?: number;
}

/** A JSON object that maps labels to texts. */
export function textMap<const Options extends TextMapOptions>(
  options: Options,
): Parameter<Given<Options, TextMap>> {
  const { maxItems, maxLength = standardMaxLength } = options;
  return declare<Options, TextMap>(options, {
    schema: Type.Unsafe({
      type: 'object',
      propertyNames: { type: 'string', maxLength: maxLabelLength },
      additionalProperties: { type: 'string', maxLength },
      maxProperties: maxItems,
    }),
    urlNames: [],
    fromJson(json, field, faults) {
      if (!isObject(json)) {
        const wanted = 'an object that maps labels to texts';
        faults.addWrongType(field, wanted, json);
        return undefined;
      }
      const labels = Object.keys(json);
      if (!isCountAllowed(labels.length, maxItems, field, faults)) return undefined;
      for (const label of labels) {
        const text = json[label];
        const fault = faultOfLabel(label);
        if (fault !== undefined) {
          faults.addFault(field, fault);
          return undefined;
        }
        if (!isTextAllowed(label, { max: maxLabelLength }, field, faults)) return undefined;
        const fieldOfText = `${field}.${label.slice(0, 40)}`;
        if (typeof text !== 'string') {
          faults.addWrongType(fieldOfText, 'a string', text);
          return undefined;
        }
        if (!isTextAllowed(text, { max: maxLength }, fieldOfText, faults)) return undefined;
      }
      return json as TextMap;
    },
    fromUrl: () => undefined,
  });
}

interface ObjectListOptions<Fields extends Parameters> {
  readonly description: string;
  readonly fields: Fields;
  /** The name of an item in the OpenAPI document. */
  readonly itemName?: string;
  readonly maxItems: number;
  /** For the few lists of objects that have their own form in a URL. */
  readonly url?: {
    readonly names: readonly UrlName[];
    readonly decode: (values: UrlValues, faults: Faults) => readonly Input<Fields>[] | undefined;
  };
}

/**
 * Decodes a list item, given the list's name and the item's index, or an object in a field, which has no index; undefined if
 * it adds a fault. `elsewhere` holds hints about names that belong in other parts of a call.
 */
export function itemDecoder<const Fields extends Parameters>(
  fields: Fields,
  elsewhere?: ReadonlyMap<string, Sentence>,
): (item: unknown, list: string, index: number | undefined, faults: Faults) => Input<Fields> | undefined {
  const entries = Object.entries(fields);
  const absent = Object.fromEntries(entries.map(([key, field]) => [key, field.absent]));
  const names = new KnownNames(Object.keys(fields), elsewhere);
  return (json, list, index, faults) => {
    if (!isObject(json)) {
      const field = index === undefined ? list : `${list}[${index}]`;
      faults.addWrongType(field, 'an object', json);
      return undefined;
    }
    faults.enter(list, index);
    names.check(Object.keys(json), faults);
    const item: Record<string, unknown> = { ...absent };
    for (const [key, field] of entries) {
      if (!hasValue(field, json[key])) {
        checkAbsence(field, { key, json: json[key], required: field.required }, faults);
        continue;
      }
      const value = field.fromJson(json[key], key, faults);
      if (value !== undefined) item[key] = value;
    }
    faults.leave();
    return item as Input<Fields>;
  };
}

/** A list of objects, each with its own field table. */
export function objectList<const Fields extends Parameters>(
  options: ObjectListOptions<Fields>,
): Parameter<readonly Input<Fields>[] | undefined> {
  const decode = itemDecoder(options.fields);

  return declare<{ description: string }, readonly Input<Fields>[]>(options, {
    schema: Type.Array(objectSchema(options.fields, options.itemName), { maxItems: options.maxItems }),
    urlNames: options.url?.names ?? [],
    fromJson(json, field, faults) {
      if (!Array.isArray(json)) {
        faults.addWrongType(field, 'a list of objects', json);
        return undefined;
      }
      if (!isCountAllowed(json.length, options.maxItems, field, faults)) return undefined;
      const items: Input<Fields>[] = [];
      for (let index = 0; index < json.length; index++) {
        const item = decode(json[index], field, index, faults);
        if (item !== undefined) items.push(item);
      }
      return items;
    },
    fromUrl: (values, faults) => options.url?.decode(values, faults),
  });
}

/** A single object with its own field table; `name` is its name in the OpenAPI document. */
export function objectOf<const Fields extends Parameters>(
  name: string,
  fields: Fields,
  description: string,
): Parameter<Input<Fields> | undefined> {
  const decode = itemDecoder(fields);
  return declare<{ description: string }, Input<Fields>>(
    { description },
    {
      schema: objectSchema(fields, name),
      urlNames: [],
      fromJson: (json, field, faults) => decode(json, field, undefined, faults),
      fromUrl: () => undefined,
    },
  );
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
