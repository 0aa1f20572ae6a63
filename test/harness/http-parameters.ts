/** Decodes values with a table that has one parameter of each kind, as an endpoint would. */
import { ServiceError } from '../../src/foundation/errors.ts';
import { Faults } from '../../src/http/parameters/faults.ts';
import type { Input } from '../../src/http/parameters/parameter.ts';
import { ParameterTable } from '../../src/http/parameters/table.ts';
import { readQuery } from '../../src/http/parameters/url-values.ts';
import { echoParameters } from './http-demo.ts';

const table = new ParameterTable(echoParameters);
type EchoInput = Input<typeof echoParameters>;

export function fromJson(body: Record<string, unknown>): EchoInput {
  const faults = new Faults();
  const input = table.fromJson(body, faults);
  faults.throwIfAny();
  return input;
}

export function fromUrl(query: string): EchoInput {
  const faults = new Faults();
  const input = table.fromUrl(readQuery(`/echo?${query}`, table.urlNames, faults), faults);
  faults.throwIfAny();
  return input;
}

/** The error that the caller would get. */
export function faultOf(decode: () => unknown): Pick<ServiceError, 'code' | 'message' | 'errors'> {
  try {
    decode();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('no fault');
}
