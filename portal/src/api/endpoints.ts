/** What the portal may call, by path and method: the types of the server's own endpoint tables, of which nothing is loaded. */
import type { Static, TSchema } from 'typebox';
import type { apiEndpoints } from '../../../src/app/endpoints.ts';
import type { Parameters } from '../../../src/http/parameters/parameter.ts';
import type { ParameterTable } from '../../../src/http/parameters/table.ts';
import type { portalEndpoints } from '../../../src/portal/endpoints.ts';

/** Leaves out those whose type has no path of its own: their function returns plain `Endpoint`s. */
type Known<Endpoint> = Endpoint extends { readonly path: infer Path }
  ? string extends Path
    ? never
    : Endpoint
  : never;

type Declared = Known<ReturnType<typeof apiEndpoints | typeof portalEndpoints>[number]>;

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

type Takes<Endpoint, M extends Method> = Endpoint extends { readonly methods: readonly (infer Taken)[] }
  ? M extends Taken
    ? Endpoint
    : never
  : never;

/** The paths that take a method. */
export type PathFor<M extends Method> = Takes<Declared, M>['path'];

type EndpointAt<M extends Method, Path> = Extract<Takes<Declared, M>, { readonly path: Path }>;

type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

type ParametersAt<Endpoint> = Endpoint extends { readonly table: ParameterTable<infer P extends Parameters> }
  ? { readonly [Name in keyof P]?: Json | undefined }
  : never;

/** By their names in JSON, also those that stand in the path or the URL. */
export type ParametersOf<M extends Method, Path extends PathFor<M>> = ParametersAt<EndpointAt<M, Path>>;

export type AnswerOf<M extends Method, Path extends PathFor<M>> =
  EndpointAt<M, Path> extends {
    readonly answer: infer Schema extends TSchema;
  }
    ? Static<Schema>
    : never;
