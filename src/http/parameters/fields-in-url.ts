/** Names the fields of a fault as the caller's URL does, wherever in the house the fault was found. */
import { ServiceError } from '../../foundation/errors.ts';
import type { Faults } from './faults.ts';
import type { Parameters, UrlValues } from './parameter.ts';
import type { ParameterTable } from './table.ts';

export function withFieldsInUrl<P extends Parameters>(
  error: ServiceError,
  table: ParameterTable<P>,
  values: UrlValues,
  faults: Faults,
): ServiceError {
  const { code, message, headers, body, cause } = error;
  const errors = error.errors.map((one) => ({ ...one, field: fieldInUrl(one.field, table, values, faults) }));
  return new ServiceError(code, message, { errors, headers, body, cause });
}

/** `T[3]` of `to[3]`, where the URL gives it so. */
export function fieldInUrl<P extends Parameters>(
  field: string,
  table: ParameterTable<P>,
  values: UrlValues,
  faults: Faults,
): string {
  const [key = ''] = field.split(/[.[]/, 1);
  const name = table.nameInUrl(key, values);
  return name === undefined ? field : faults.written(name) + field.slice(key.length);
}
