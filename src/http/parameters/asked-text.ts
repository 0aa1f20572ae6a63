/** Texts that a call gives, for refusals that repeat them: read where nothing else of the call may be right. */
import { decodeComponent } from '../../wire/percent-decoding.ts';
import { Faults } from './faults.ts';
import type { Parameters } from './parameter.ts';
import type { JsonObject, ParameterTable } from './table.ts';
import { readQuery } from './url-values.ts';

/** Longer than any name; a refusal does not grow with its call. */
const maxLength = 200;

/** Empty where the parameter is not given, or not to be read. */
export function textInUrl<P extends Parameters>(
  url: string,
  parameter: string,
  table: ParameterTable<P>,
): string {
  const values = readQuery(url, table.urlNames, new Faults());
  const raw = values.get(table.nameInUrl(parameter, values) ?? '');
  const text = raw === undefined ? undefined : decodeComponent(raw, 'utf-8');
  return text?.ok ? cut(text.value) : '';
}

/** The same of a JSON body, as far as there is one. */
export function textInJson(body: JsonObject | undefined, parameter: string): string {
  const json = body !== undefined && Object.hasOwn(body, parameter) ? body[parameter] : undefined;
  return typeof json === 'string' || typeof json === 'number' ? cut(String(json)) : '';
}

function cut(text: string): string {
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}
