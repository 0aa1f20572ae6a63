/**
 * What a room declares to offer a resource by the management API: where its objects are found and who may read and change
 * them, what answers show of one, and what each endpoint tells of itself. `resource-api.ts` makes the endpoints.
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
  /** The part of the documentation that the endpoints stand in. */
  readonly group: string;
  /** What the OpenAPI document calls an object, and operations on it: `Template`, `createTemplate`. */
  readonly type: string;
  /** Any method unless told. */
  readonly credentials?: AcceptedCredentials;
  readonly access: Access<Scope>;
  readonly plural: Plural;
  /** What names an object in a path, and in the answers: `id`, `name`, which can be changed, or another name. */
  readonly key: {
    readonly name: KeyName;
    readonly description: string;
    /** What an answer says of it. */
    readonly shown?: string;
    /** Of a text; that of names unless told. */
    readonly rule?: (given: string) => Result<string>;
    /** Of an id; digits unless told. */
    readonly parameter?: Parameter<number>;
  };
  readonly listed: Shape<R, Listed>;
  readonly shown: Shape<R, Shown>;
  /** What is told once, in the answer to whoever makes the object. */
  readonly once?: {
    /** What the OpenAPI document calls the answer; `Made` and the type unless told. */
    readonly type?: string;
    readonly properties: Once;
    show(row: R, caller: Caller): Answered<Static<TObject<Once>>>;
  };
  /** Shown only where a single object is read: too costly for a list. */
  readonly alone?: {
    readonly properties: Alone;
    read(row: R): Promise<Answered<Static<TObject<Alone>>>>;
  };
  /** Parameters of calls that make or change an object, besides its texts. */
  readonly more?: {
    readonly create: Create;
    readonly change: Change;
    /**
     * Works out what the store gets in place of them; throws where the call can't be done. `find`: throws where there is no
     * such object; undefined for a new one.
     */
    read?(caller: Caller, given: object, call: Call, find?: () => Promise<R>): Promise<More>;
  };
  /** Parameters that narrow a list. */
  readonly narrow?: Narrow;
  readonly list: Told;
  /** Left out where an endpoint is the room's own, or is not offered. */
  readonly get?: Told;
  readonly create?: Told;
  readonly change: Told;
  readonly remove?: Told;
}

/** What an answer has of an object besides its key, its version and who manages it, and how it follows from the row. */
export interface Shape<R, P extends TProperties> {
  readonly properties: P;
  show(row: R, now: number): Answered<Static<TObject<P>>>;
}

/** What an endpoint tells of itself beyond what follows from the resource. */
export interface Told {
  readonly description: string;
  readonly example: CallExample;
  readonly errors?: readonly ErrorCode[];
  /** Those of the resource unless told. */
  readonly credentials?: AcceptedCredentials;
  /** What the operator hears of it. */
  readonly event?: SecurityEventName;
}

/** How calls say what the objects are in, and who may read and change them. */
export interface Access<P extends Parameters> {
  readonly parameters: P;
  /** What calls may be refused with for it. */
  readonly readErrors: readonly ErrorCode[];
  readonly writeErrors: readonly ErrorCode[];
  /** Throws where the caller may not read. */
  reads(services: Context, caller: Caller, given: Input<P>): Promise<number | Owned>;
  /** Throws where the caller may not write. */
  writes(services: Context, caller: Caller, given: Input<P>): Promise<number | Owned>;
}

/** The objects of a scope, or those of them that one user owns. */
export interface Owned {
  readonly scopeId: number;
  /** Undefined: all of them. */
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
