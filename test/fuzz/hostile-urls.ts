/** Generates values for URL parameters, escaped properly or badly. */
import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from './api-description.ts';
import { anyText, listOf, oneOf, textsByName } from './hostile-values.ts';

/** A parameter value, already escaped properly or badly. */
export function urlValueFor(name: string, schema: JsonSchema): Arbitrary<string> {
  return fc.oneof(
    { weight: 20, arbitrary: fittingUrl(name, schema) },
    {
      weight: 2,
      arbitrary: oneOf(
        '%',
        '%zz',
        '%e5',
        '%ED%A0%80',
        '%00',
        '%C0%80',
        '%F0%9F%98',
        '%2525',
        '+',
        ',,,',
        '%2C',
        '=',
        '?',
      ),
    },
    { weight: 1, arbitrary: oneOf(1_000, 30_000).map((length) => 'x'.repeat(length)) },
  );
}

function fittingUrl(name: string, schema: JsonSchema): Arbitrary<string> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => fittingUrl(name, one)));
  if (schema.const !== undefined) return fc.constant(String(schema.const));
  if (schema.enum !== undefined) {
    return fc.oneof(
      { weight: 4, arbitrary: oneOf(...schema.enum.map(String)) },
      oneOf('t', 'yEs', 'ja', '1', ''),
    );
  }
  if (schema.type === 'integer') {
    return oneOf('0', '1', '5', '100', '1440', '10080', '10081', '-1', '1.5', 'x', '9'.repeat(30), '007', '');
  }
  if (schema.type === 'array') {
    const item = (textsByName[name] ?? anyText).map(escaped);
    return fc.oneof(
      { weight: 100, arbitrary: fc.array(item, { maxLength: 4 }).map((items) => items.join(',')) },
      { weight: 1, arbitrary: oneOf(100, 4_000).map((count) => listOf(count)) },
    );
  }
  return (textsByName[name] ?? anyText).map(escaped);
}

function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll('%20', '+');
}
