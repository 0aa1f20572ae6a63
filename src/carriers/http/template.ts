/**
 * Requests to a carrier are declared with placeholders such as `{to}`. A value is escaped for the place that it is put into, so
 * that no text of a message can change the request around it.
 */
export type Values = Readonly<Record<string, string>>;

/** JSON with placeholders in its texts; keys are left as they are. */
export type JsonTemplate =
  | string
  | number
  | boolean
  | null
  | readonly JsonTemplate[]
  | { readonly [key: string]: JsonTemplate };

const placeholder = /\{([A-Za-z][A-Za-z0-9_]{0,63})\}/g;

/** The names of all placeholders in a template. */
export function placeholdersOf(template: JsonTemplate): readonly string[] {
  if (typeof template === 'string')
    return [...template.matchAll(placeholder)].map(([, name]) => name as string);
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(placeholdersOf);
}

/** A text with its values put in. `escaped` makes a value safe for the place of the text. */
export function fill(template: string, values: Values, escaped = (value: string) => value): string {
  return template.replace(placeholder, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : escaped(value);
  });
}

/** Values become part of a path or a query, never of its structure (RFC 3986, section 2.2). */
export function fillUrl(template: string, values: Values): string {
  // `{baseUrl}` is an address itself, and stands at the beginning only.
  const { baseUrl = '', ...others } = values;
  return fill(
    template.replace(/^\{baseUrl\}/, () => baseUrl.replaceAll('{', '%7B')),
    others,
    encodeURIComponent,
  );
}

/** Characters beyond Latin-1 and line ends have no place in a header (RFC 9110, section 5.5). */
export function fillHeader(template: string, values: Values): string {
  return fill(template, values, (value) => value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?'));
}

export function fillJson(template: JsonTemplate, values: Values): JsonTemplate {
  if (typeof template === 'string') return fill(template, values);
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((item: JsonTemplate) => fillJson(item, values));
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillJson(value, values)]));
}

export function fillPairs(pairs: Readonly<Record<string, string>>, values: Values): URLSearchParams {
  return new URLSearchParams(Object.entries(pairs).map(([name, value]): [string, string] => [name, fill(value, values)]));
}
