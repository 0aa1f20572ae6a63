/** Describes in words what a JSON Schema of the endpoint tables allows. */

/** The subset of JSON Schema that the tables use. */
export interface Schema {
  /** The schema's name in the OpenAPI document. */
  readonly title?: string;
  readonly type?: string;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export function typeWords(schema: Schema): string {
  if (schema.anyOf !== undefined) return typeWords(schema.anyOf.find(({ type }) => type === 'integer') ?? {});
  switch (schema.type) {
    case 'array':
      return `list of${bounds(undefined, schema.maxItems)} ${schema.items?.type === 'object' ? 'objects' : 'texts'}`;
    case 'object':
      return schema.additionalProperties === undefined ? 'object' : 'object whose values are texts';
    case 'integer':
      return `whole number${bounds(schema.minimum, schema.maximum)}`;
    case 'string':
      return textWords(schema);
    case 'boolean':
    case 'number':
      return schema.type;
    default:
      throw new Error(`the documents have no words for ${JSON.stringify(schema)}`);
  }
}

function textWords({ enum: words, pattern, minLength, maxLength }: Schema): string {
  if (words !== undefined) return 'one of a set of words';
  const digits = /^\^\[0-9\]\{(\d+),(\d+)\}\$$/.exec(pattern ?? '');
  if (digits !== null) return `${digits[1]} to ${digits[2]} digits`;
  const length = bounds(minLength, maxLength);
  return length === '' ? 'text' : `text,${length} characters`;
}

function bounds(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` ${least} to ${most}`;
  if (most !== undefined) return ` at most ${most}`;
  return least === undefined ? '' : ` at least ${least}`;
}

export interface NamedField {
  /** For example `accepted[].to`. */
  readonly name: string;
  readonly schema: Schema;
}

/** The fields of an object, each followed by the fields inside it unless these are described elsewhere. */
export function fieldsWithin(
  schema: Schema,
  isElsewhere: (schema: Schema) => boolean = () => false,
  prefix = '',
): readonly NamedField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix + key;
    return [{ name, schema: field }, ...fieldsOfItems(field, name, isElsewhere)];
  });
}

/** The fields of a list's items. */
export function fieldsOfItems(
  { items }: Schema,
  name: string,
  isElsewhere: (schema: Schema) => boolean = () => false,
): readonly NamedField[] {
  return items?.properties === undefined || isElsewhere(items)
    ? []
    : fieldsWithin(items, isElsewhere, `${name}[].`);
}
