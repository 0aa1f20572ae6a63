/**
 * Declares what the portal may call, by path and method, from the types of the server's own endpoint tables. None of
 * the server's code is loaded.
 */
import type {
  AnswerAt,
  ApiEndpoint,
  Known,
  Method,
  ParametersAt,
  PathOf,
} from '../../../src/app/api-types.ts';
import type { operatorEndpoints } from '../../../src/operators/endpoints.ts';
import type { operatorPageEndpoints } from '../../../src/operators/sign-in-endpoints.ts';
import type { portalEndpoints } from '../../../src/portal/endpoints.ts';

type Declared =
  | ApiEndpoint
  | Known<ReturnType<typeof portalEndpoints>[number]>
  | Known<ReturnType<typeof operatorEndpoints>[number]>
  | Known<ReturnType<typeof operatorPageEndpoints>[number]>;

/** The paths that accept a method. */
export type PathFor<M extends Method> = PathOf<Declared, M>;

/** Parameters by their JSON names, including those in the path or the URL. */
export type ParametersOf<M extends Method, Path extends PathFor<M>> = ParametersAt<Declared, M, Path>;

export type AnswerOf<M extends Method, Path extends PathFor<M>> = AnswerAt<Declared, M, Path>;
