/**
 * Defines what a room declares to offer a resource in the management API: where its objects are found, who may read and
 * change them, what answers show of an object, and how each endpoint is described. `resource-api.ts` makes the
 * endpoints.
 */
import type { Static, TObject, TProperties } from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { type Role, requireRole } from '../accounts/role.ts';
import type { ErrorCode } from '../foundation/errors.ts';
import type { Result } from '../foundation/result.ts';
import type { SecurityEventName } from '../foundation/security-log.ts';
import type { AcceptedCredentials } from '../http/credentials/credentials.ts';
import type { Answered, Call, CallExample } from '../http/endpoints/endpoint.ts';
import type { Input, Parameter, Parameters } from '../http/parameters/parameter.ts';
import type { Context } from '../storage/context.ts';

export type None = Record<never, never>;

export interface Api<
  R,
  Scope extends Parameters,
  KeyName extends string,
  Create extends Parameters,
  Change extends Parameters,
  Path extends string,
  Plural extends string,
  Listed extends TProperties,
  Shown extends TProperties,
  Once extends TProperties,
  Narrow extends Parameters = None,
  Alone extends TProperties = None,
  More = unknown,
> {
  readonly path: Path;
  /** The part of the documentation that contains the endpoints. */
  readonly group: string;
  /** The name of an object in the OpenAPI document and in operations on it: `Template`, `createTemplate`. */
  readonly type: string;
  /** Any kind of credentials by default. */
  readonly credentials?: AcceptedCredentials;
  readonly access: Access<Scope>;
  readonly plural: Plural;
  /** The identifier of an object in paths and answers: `id`, `name` (which can be changed), or another name. */
  readonly key: {
    readonly name: KeyName;
    readonly description: string;
    /** The identifier's description in answers. */
    readonly shown?: string;
    /** The rule for a text; by default, the rule for names. */
    readonly rule?: (given: string) => Result<string>;
    /** The parameter for an id; digits by default. */
    readonly parameter?: Parameter<number>;
  };
  readonly listed: Shape<R, Listed>;
  readonly shown: Shape<R, Shown>;
  /** Shown only once, in the answer to the creation of an object. */
  readonly once?: {
    /** The name of the answer in the OpenAPI document; by default, `Made` and the type. */
    readonly type?: string;
    readonly properties: Once;
    show(row: R, caller: Caller, given: object): Answered<Static<TObject<Once>>>;
  };
  /** Shown only when a single object is read, because it is too costly for a list. */
  readonly alone?: {
    readonly properties: Alone;
    read(row: R): Promise<Answered<Static<TObject<Alone>>>>;
  };
  /** Parameters of calls that create or change an object, besides its texts. */
  readonly more?: {
    readonly create: Create;
    readonly change: Change;
    /**
     * Computes what the store gets in place of these parameters; throws if the call cannot be performed. `find` throws
     * if there is no such object, and is undefined for a new one.
     */
    read?(caller: Caller, given: object, call: Call, find?: () => Promise<R>): Promise<More>;
  };
  /** Parameters that narrow a list. */
  readonly narrow?: Narrow;
  /** Each is absent if the room has its own endpoint for this or offers none. */
  readonly list?: EndpointDescription;
  readonly get?: EndpointDescription;
  readonly create?: EndpointDescription;
  readonly change?: EndpointDescription;
  readonly remove?: EndpointDescription;
}

/**
 * The properties of an object in an answer, besides its key, its version and who manages it, and how they are derived from
 * the row.
 */
export interface Shape<R, P extends TProperties> {
  readonly properties: P;
  show(row: R, now: number): Answered<Static<TObject<P>>>;
}

/** The description of an endpoint beyond what follows from the resource. */
export interface EndpointDescription {
  readonly description: string;
  readonly example: CallExample;
  readonly errors?: readonly ErrorCode[];
  /** The resource's credentials by default. */
  readonly credentials?: AcceptedCredentials;
  /** The event that notifies the operator, or which one a call's parameters are about. */
  readonly event?: SecurityEventName | ((given: object) => SecurityEventName);
}

/** How calls specify the container of the objects, and who may read and change them. */
export interface Access<P extends Parameters> {
  readonly parameters: P;
  /** The errors with which calls may be refused because of the container. */
  readonly readErrors: readonly ErrorCode[];
  readonly writeErrors: readonly ErrorCode[];
  /** Throws if the caller may not read. */
  reads(services: Context, caller: Caller, given: Input<P>): Promise<number | Owned>;
  /** Throws if the caller may not write. */
  writes(services: Context, caller: Caller, given: Input<P>): Promise<number | Owned>;
}

/** The objects of a scope, or only those that one user owns. */
export interface Owned {
  readonly scopeId: number;
  /** Undefined for all objects. */
  readonly ownerId: number | undefined;
}

type Roles = readonly [Role, ...Role[]];

/** Objects of the caller's own company. */
export function ofOwnCompany({ readers, writers }: { readonly readers: Roles; readonly writers: Roles }) {
  const scopeFor = (anyOf: Roles) => async (_: Context, caller: Caller) => {
    requireRole(caller, ...anyOf);
    return caller.companyId;
  };
  return {
    parameters: {},
    readErrors: ['role_missing'],
    writeErrors: ['role_missing'],
    reads: scopeFor(readers),
    writes: scopeFor(writers),
  } satisfies Access<None>;
}
