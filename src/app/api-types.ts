/**
 * The calls that exist, by path and method: types derived from the endpoint tables, so that typed clients load none of
 * their code.
 */
import type { Static, TSchema } from 'typebox';
import type { Parameters } from '../http/parameters/parameter.ts';
import type { ParameterTable } from '../http/parameters/table.ts';
import type { apiEndpoints } from './endpoints.ts';

/** Leaves out endpoints whose type has no specific path, because their function returns plain `Endpoint`s. */
export type Known<Endpoint> = Endpoint extends { readonly path: infer Path }
  ? string extends Path
    ? never
    : Endpoint
  : never;

export type ApiEndpoint = Known<ReturnType<typeof apiEndpoints>[number]>;

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

type Takes<Endpoint, M extends Method> = Endpoint extends { readonly methods: readonly (infer Taken)[] }
  ? M extends Taken
    ? Endpoint
    : never
  : never;

/** The paths of these endpoints that accept a method. */
export type PathOf<Endpoint extends { readonly path: string }, M extends Method> = Takes<Endpoint, M>['path'];

type EndpointAt<Endpoint, M extends Method, Path> = Extract<Takes<Endpoint, M>, { readonly path: Path }>;

type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

type ParametersIn<Endpoint> = Endpoint extends { readonly table: ParameterTable<infer P extends Parameters> }
  ? { readonly [Name in keyof P]?: Json | undefined }
  : never;

/** Parameters by their JSON names, including those in the path or the query. */
export type ParametersAt<Endpoint, M extends Method, Path> = ParametersIn<EndpointAt<Endpoint, M, Path>>;

export type AnswerAt<Endpoint, M extends Method, Path> =
  EndpointAt<Endpoint, M, Path> extends {
    readonly answer: infer Schema extends TSchema;
  }
    ? Static<Schema>
    : never;
