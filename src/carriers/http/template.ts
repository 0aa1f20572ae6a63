/**
 * Requests to a carrier are declared with placeholders such as `{to}`. A value is escaped for the place that it is put into, so
 * that no text of a message can change the request around it; placeholders within a value stay as they are.
 */

/** The value of each placeholder by its name; an empty text counts as none. */
export type Values = Readonly<Record<string, string | number | boolean>>;

/** JSON with placeholders in its texts; keys are left as they are. */
export type JsonTemplate =
  | string
  | number
  | boolean
  | null
  | readonly JsonTemplate[]
  | { readonly [key: string]: JsonTemplate };

const placeholder = /\{([A-Za-z][A-Za-z0-9_]{0,63})\}/g;
const onlyPlaceholder = /^\{([A-Za-z][A-Za-z0-9_]{0,63})\}$/;

/** The names of all placeholders in a template. */
export function placeholdersOf(template: unknown): readonly string[] {
  if (typeof template === 'string')
    return [...template.matchAll(placeholder)].map(([, name]) => name as string);
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(placeholdersOf);
}

/** A text with its values put in. `escaped` makes a value safe for the place of the text. */
export function fill(template: string, values: Values, escaped = (value: string) => value): string {
  return template.replace(placeholder, (whole, name: string) => {
    const value = valueNamed(values, name);
    return value === undefined ? whole : escaped(String(value));
  });
}

/** Values become part of a path or a query, never of its structure (RFC 3986, section 2.2). */
export function fillUrl(template: string, values: Values): string {
  const base = '{baseUrl}';
  if (!template.startsWith(base)) return fill(template, values, encoded);
  // The base is an address itself.
  return (
    fillUrl(String(values.baseUrl ?? ''), { ...values, baseUrl: '' }) +
    fillUrl(template.slice(base.length), values)
  );
}

/** Half a surrogate pair has no form in UTF-8, and becomes U+FFFD. */
function encoded(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString());
}

/** Characters beyond Latin-1 and line ends have no place in a header (RFC 9110, section 5.5). */
export function fillHeader(template: string, values: Values): string {
  return fill(template, values, (value) => value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?'));
}

/**
 * A text that is one placeholder becomes its value, of whatever type; a field whose value is empty is left out.
 */
export function fillJson(template: JsonTemplate, values: Values): JsonTemplate {
  if (typeof template === 'string') return onlyValue(template, values) ?? fill(template, values);
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((item: JsonTemplate) => fillJson(item, values));
  return Object.fromEntries(
    Object.entries(template)
      .filter(([, value]) => typeof value !== 'string' || onlyValue(value, values) !== '')
      .map(([key, value]) => [key, fillJson(value, values)]),
  );
}

/** A pair whose value is one placeholder without a value is left out. */
export function fillPairs(pairs: Readonly<Record<string, string>>, values: Values): URLSearchParams {
  return new URLSearchParams(
    Object.entries(pairs)
      .filter(([, value]) => onlyValue(value, values) !== '')
      .map(([name, value]): [string, string] => [name, fill(value, values)]),
  );
}

function onlyValue(template: string, values: Values): Values[string] | undefined {
  const [, name] = onlyPlaceholder.exec(template) ?? [];
  return name === undefined ? undefined : valueNamed(values, name);
}

function valueNamed(values: Values, name: string): Values[string] | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
