/**
 * The endpoints of the management API that follow from a resource: a list with a cursor, reading one object, making,
 * changing and removing it, with their OpenAPI, errors and rights.
 */
import Type, {
  type Static,
  type TArray,
  type TBoolean,
  type TObject,
  type TOptional,
  type TProperties,
  type TString,
} from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { type Role, requireRole } from '../accounts/role.ts';
import { type ErrorCode, ServiceError } from '../foundation/errors.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { type Answered, type CallExample, endpointsFor } from '../http/endpoints/endpoint.ts';
import { digits, integer, text } from '../http/parameters/kinds.ts';
import {
  type Cursor,
  nextOf,
  pageOf,
  pageParameters,
  type TextCursor,
  textPageParameters,
  writeTextCursor,
} from '../http/parameters/page.ts';
import { type Input, type Parameter, type Parameters, ruled } from '../http/parameters/parameter.ts';
import type { Store } from '../storage/store.ts';
import {
  type Fields,
  isRefused,
  type Key,
  objectName,
  type Refused,
  type Resource,
  type Row,
  type Values,
} from './resource.ts';

const endpoint = endpointsFor<Caller>();

export interface Services {
  readonly store: Store;
  readonly clock: { now(): number };
}

/** How calls say what the objects are in, and who may read and change them. */
export interface Access<P extends Parameters> {
  readonly parameters: P;
  /** What reading may be refused with. */
  readonly errors: readonly ErrorCode[];
  /** Throws where the caller may not read. */
  reads(services: Services, caller: Caller, given: Input<P>): Promise<number>;
  /** Throws where the caller may not write. */
  writes(services: Services, caller: Caller, given: Input<P>): Promise<number>;
}

type Roles = readonly [Role, ...Role[]];

/** Objects of the caller's own company. */
export function ofOwnCompany({ readers, writers }: { readonly readers: Roles; readonly writers: Roles }) {
  const scopeFor = (anyOf: Roles) => async (_: Services, caller: Caller) => {
    requireRole(caller, ...anyOf);
    return caller.companyId;
  };
  return {
    parameters: {},
    errors: ['role_missing'],
    reads: scopeFor(readers),
    writes: scopeFor(writers),
  } satisfies Access<Record<never, never>>;
}

/** What an endpoint tells of itself beyond what follows from the resource. */
interface Told {
  readonly description: string;
  readonly example: CallExample;
  readonly errors?: readonly ErrorCode[];
}

/** What an answer has of an object besides its key, its version and who manages it, and how it follows from the fields. */
export interface Shape<F extends Fields, P extends TProperties> {
  readonly properties: P;
  show(values: Values<F>): Answered<Static<TObject<P>>>;
}

export interface Api<
  F extends Fields,
  Scope extends Parameters,
  More extends Parameters,
  Path extends string,
  Plural extends string,
  Listed extends TProperties,
  Shown extends TProperties,
> {
  readonly path: Path;
  /** The part of the documentation that the endpoints stand in. */
  readonly group: string;
  readonly access: Access<Scope>;
  readonly plural: Plural;
  /** What names an object in a path, and in the answers. */
  readonly key: { readonly description: string; readonly shown: string };
  readonly listed: Shape<F, Listed>;
  readonly shown: Shape<F, Shown>;
  /** Parameters of calls that make or change an object, besides its fields. */
  readonly more?: { readonly create: Partial<More>; readonly change: More };
  readonly list: Told;
  /** Left out where reading one object is an endpoint of the room's own. */
  readonly get?: Told;
  readonly create: Told;
  readonly change: Told;
  readonly remove: Told;
}

type KeyName<K extends Key> = K extends number ? 'id' : 'name';
type KeyParameter<K extends Key> = { readonly [Name in KeyName<K>]: Parameter<string> };
type FieldParameters<F extends Fields, Value> = { readonly [Name in keyof F]: Parameter<Value> };
type None = Record<never, never>;
interface Dated {
  version: TString;
  changed: TOptional<TString>;
  username: TOptional<TString>;
}
type Shared<K extends Key> = { readonly [Name in KeyName<K>]: TString } & Dated & { managed: TBoolean };

/** Of objects with a history. */
const dated = {
  version: Type.String({ description: 'Counts from 1; each change makes the next.' }),
  changed: Type.Optional(Type.String({ description: 'When (ISO 8601, UTC); absent where it is not known.' })),
  username: Type.Optional(
    Type.String({ description: 'Who made it so; absent for a provisioning file, or where it is not known.' }),
  ),
};
const undated = {
  version: Type.String({ description: 'Another one when anything of the object is another.' }),
};

/** Makes the endpoints of a resource: a room gives those that it offers, the longest paths first. */
export class ResourceApi<
  F extends Fields,
  K extends Key,
  Scope extends Parameters,
  More extends Parameters,
  const Path extends string,
  const Plural extends string,
  Listed extends TProperties,
  Shown extends TProperties,
> {
  readonly #resource: Resource<F, K, Input<More>>;
  readonly #services: Services;
  readonly #api: Api<F, Scope, More, Path, Plural, Listed, Shown>;
  readonly #keyName: KeyName<K>;
  readonly #hasNames: boolean;
  readonly #title: string;
  readonly #keyParameter: KeyParameter<K>;
  /** False for a noun without fields. */
  readonly #hasVersion: boolean;
  readonly #shared: Shared<K>;
  /** What fields may be refused with. */
  readonly #faults: readonly ErrorCode[];

  constructor(
    resource: Resource<F, K, Input<More>>,
    services: Services,
    api: Api<F, Scope, More, Path, Plural, Listed, Shown>,
  ) {
    const { noun, ids, history, fields } = resource.declaration;
    this.#resource = resource;
    this.#services = services;
    this.#api = api;
    this.#hasNames = ids === undefined;
    this.#keyName = (this.#hasNames ? 'name' : 'id') as KeyName<K>;
    this.#title = noun.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
    const key = { required: true, description: api.key.description } as const;
    this.#keyParameter = {
      [this.#keyName]: this.#hasNames
        ? ruled(text({ ...key, get: 'name' }), objectName)
        : digits({ ...key, get: 'id' }),
    } as KeyParameter<K>;
    this.#hasVersion = history !== undefined || Object.keys(fields).length > 0;
    this.#shared = {
      [this.#keyName]: Type.String({ description: api.key.shown }),
      ...(history !== undefined ? dated : this.#hasVersion ? undated : {}),
      managed: Type.Boolean({ description: 'A provisioning file manages the object, and alone changes it.' }),
    } as unknown as Shared<K>;
    this.#faults = Object.values(fields).flatMap(({ codeOfLength = [], codes = [] }) =>
      [codeOfLength, codes].flat(),
    );
  }

  list() {
    const { path, plural, access, listed, list } = this.#api;
    const { noun } = this.#resource.declaration;
    return endpoint({
      ...this.#told(list, `list${this.#title}s`, `List ${noun}s`),
      path,
      methods: ['GET'],
      parameters: { ...access.parameters, ...this.#page },
      answer: Type.Object({
        [plural]: Type.Array(
          Type.Object({ ...this.#shared, ...listed.properties }, { title: `Listed${this.#title}` }),
        ),
        next: nextOf(`${noun}s`),
      }) as unknown as TObject<
        Record<Plural, TArray<TObject<Shared<K> & Listed>>> & { next: TOptional<TString> }
      >,
      errors: [...access.errors, ...(list.errors ?? [])],
      handle: async (caller, given) => {
        const { after, limit } = given as unknown as Input<typeof textPageParameters>;
        const scopeId = await access.reads(this.#services, caller, given as unknown as Input<Scope>);
        const page = { scopeId, after: keyBehind<K>(after), limit: limit + 1 };
        const rows = await this.#services.store.read(this.#resource.list, page);
        const { items, next } = pageOf(rows, limit, ({ key }) => this.#cursorOf(key));
        return { [plural]: items.map((row) => this.#show(listed, row)), next } as never;
      },
    });
  }

  get() {
    const { path, access, shown } = this.#api;
    const get = this.#ofReading;
    return endpoint({
      ...this.#told(get, `get${this.#title}`, `Read a ${this.#resource.declaration.noun}`),
      path: `${path}/{${this.#keyName}}` as const,
      methods: ['GET'],
      parameters: { ...access.parameters, ...this.#keyParameter },
      answer: this.#answer(),
      answersVersion: this.#hasVersion,
      errors: [...new Set(['not_found', ...access.errors, ...(get.errors ?? [])] as const)],
      handle: async (caller, given) => {
        const scopeId = await access.reads(this.#services, caller, given as unknown as Input<Scope>);
        const key = this.#keyIn(given);
        const found = await this.#services.store.read(this.#resource.find, { scopeId, key });
        if (found === null) throw new ServiceError('not_found', this.#resource.missing(key));
        return this.#show(shown, found) as never;
      },
    });
  }

  create() {
    const { path, access, create, more, shown } = this.#api;
    const { noun, fields } = this.#resource.declaration;
    const name = (this.#hasNames ? this.#keyParameter : {}) as K extends number ? None : KeyParameter<K>;
    return endpoint({
      ...this.#told(create, `create${this.#title}`, `Make a ${noun}`),
      path,
      methods: ['POST'],
      creates: this.#keyName,
      parameters: {
        ...access.parameters,
        ...name,
        ...(parametersOf(fields, true) as FieldParameters<F, string>),
        ...(more?.create as More),
      },
      answer: this.#answer(),
      answersVersion: this.#hasVersion,
      errors: [
        ...(this.#hasNames
          ? (['not_found', 'role_missing', 'taken', 'managed'] as const)
          : (['role_missing'] as const)),
        ...this.#faults,
        ...(create.errors ?? []),
      ],
      handle: async (caller, given) => {
        const made = await this.#services.store.write(this.#resource.create, {
          ...(await this.#acting(caller, given)),
          name: this.#hasNames ? (this.#keyIn(given) as string) : undefined,
          values: valuesIn(fields, given) as Values<F>,
          more: moreIn(more?.create as More | undefined, given),
        });
        return this.#show(shown, allowed(made)) as never;
      },
    });
  }

  change() {
    const { path, access, change, more, shown } = this.#api;
    const { noun, fields } = this.#resource.declaration;
    const rename = ruled(text({ get: 'rename', description: 'Its new name.' }), objectName);
    return endpoint({
      ...this.#told(change, `update${this.#title}`, `Change a ${noun}`),
      path: `${path}/{${this.#keyName}}` as const,
      methods: ['PATCH'],
      parameters: {
        ...access.parameters,
        ...this.#keyParameter,
        ...(parametersOf(fields, false) as FieldParameters<F, string | undefined>),
        ...((this.#hasNames ? { rename } : {}) as K extends number
          ? None
          : { readonly rename: typeof rename }),
        ...(more?.change as More),
      },
      answer: this.#answer(),
      answersVersion: this.#hasVersion,
      takesVersion: this.#hasVersion,
      errors: [
        ...(['not_found', 'role_missing', 'managed'] as const),
        ...(this.#hasNames ? (['taken'] as const) : []),
        ...this.#faults,
        ...(change.errors ?? []),
      ],
      handle: async (caller, given, { ifMatch }) => {
        const changed = await this.#services.store.write(this.#resource.change, {
          ...(await this.#acting(caller, given)),
          key: this.#keyIn(given),
          ifMatch,
          rename: (given as { readonly rename?: string }).rename,
          values: valuesIn(fields, given),
          more: moreIn(more?.change, given),
        });
        return this.#show(shown, allowed(changed)) as never;
      },
    });
  }

  remove() {
    const { path, access, remove } = this.#api;
    return endpoint({
      ...this.#told(remove, `delete${this.#title}`, `Remove a ${this.#resource.declaration.noun}`),
      path: `${path}/{${this.#keyName}}` as const,
      methods: ['DELETE'],
      parameters: { ...access.parameters, ...this.#keyParameter },
      takesVersion: this.#hasVersion,
      answer: Type.Object({ [this.#keyName]: Type.String() }) as unknown as TObject<{
        [Name in KeyName<K>]: TString;
      }>,
      errors: ['not_found', 'role_missing', 'managed', ...(remove.errors ?? [])],
      handle: async (caller, given, { ifMatch }) => {
        const removed = { ...(await this.#acting(caller, given)), key: this.#keyIn(given), ifMatch };
        const refused = await this.#services.store.write(this.#resource.remove, removed);
        if (refused !== null) allowed(refused);
        return { [this.#keyName]: String(removed.key) } as never;
      },
    });
  }

  versions() {
    const { path, access, listed } = this.#api;
    const { noun, history } = this.#resource.declaration;
    return endpoint({
      ...this.#told(this.#ofReading, `list${this.#title}Versions`, `List the versions of a ${noun}`),
      description: `Lists what a ${noun} is and was, the latest first. The last ${history?.keep} former versions are kept.`,
      path: `${path}/{${this.#keyName}}/versions` as const,
      methods: ['GET'],
      parameters: { ...access.parameters, ...this.#keyParameter },
      answer: Type.Object({
        versions: Type.Array(
          Type.Object({ ...dated, ...listed.properties }, { title: `Listed${this.#title}Version` }),
        ),
      }) as unknown as TObject<{ versions: TArray<TObject<Dated & Listed>> }>,
      errors: [...new Set(['not_found', ...access.errors] as const)],
      handle: async (caller, given) => {
        const scopeId = await access.reads(this.#services, caller, given as unknown as Input<Scope>);
        const key = this.#keyIn(given);
        const versions = await this.#services.store.read(this.#resource.listVersions, { scopeId, key });
        if (versions.length === 0) throw new ServiceError('not_found', this.#resource.missing(key));
        return { versions: versions.map((one) => ({ ...datesOf(one), ...listed.show(one) })) } as never;
      },
    });
  }

  version() {
    const { path, access, shown } = this.#api;
    const get = this.#ofReading;
    const { noun } = this.#resource.declaration;
    const number = integer({ get: 'version', required: true, min: 1, description: 'Its number.' });
    return endpoint({
      ...this.#told(get, `get${this.#title}Version`, `Read one version of a ${noun}`),
      description: `Gives a ${noun} as it is, or as it was.`,
      example: { url: { ...get.example.url, version: '1' } },
      path: `${path}/{${this.#keyName}}/versions/{version}` as const,
      methods: ['GET'],
      parameters: { ...access.parameters, ...this.#keyParameter, version: number },
      answer: Type.Object({ ...dated, ...shown.properties }, { title: `${this.#title}Version` }) as TObject<
        Dated & Shown
      >,
      errors: [...new Set(['not_found', ...access.errors] as const)],
      handle: async (caller, given) => {
        const scopeId = await access.reads(this.#services, caller, given as unknown as Input<Scope>);
        const { version } = given as unknown as { readonly version: number };
        const asked = { scopeId, key: this.#keyIn(given), version };
        const found = await this.#services.store.read(this.#resource.findVersion, asked);
        if (found !== null) return { ...datesOf(found), ...shown.show(found) } as never;
        throw new ServiceError(
          'not_found',
          this.#resource.missing(`${asked.key} of version ${asked.version}`),
        );
      },
    });
  }

  get #ofReading(): Told {
    const { get } = this.#api;
    if (get === undefined) throw new Error(`nothing is told of reading a ${this.#resource.declaration.noun}`);
    return get;
  }

  #told({ description, example }: Told, operation: string, title: string) {
    return { group: this.#api.group, credentials: anyMethod, operation, title, description, example };
  }

  #answer() {
    const { properties } = this.#api.shown;
    return Type.Object({ ...this.#shared, ...properties }, { title: this.#title }) as TObject<
      Shared<K> & Shown
    >;
  }

  #show<P extends TProperties>(shape: Shape<F, P>, row: Row<F, K>) {
    const { key, managed } = row;
    const versioned = this.#hasVersion ? datesOf(row) : {};
    return { [this.#keyName]: String(key), ...versioned, managed, ...shape.show(row) };
  }

  async #acting(caller: Caller, given: object) {
    const scopeId = await this.#api.access.writes(this.#services, caller, given as Input<Scope>);
    const { companyId, username, session } = caller;
    return { companyId, username, session, scopeId, now: this.#services.clock.now() };
  }

  #keyIn(given: object): K {
    const key = (given as Readonly<Record<string, string>>)[this.#keyName] ?? '';
    if (this.#hasNames) return key as K;
    // No id is as large; none is 0.
    return (Number.isSafeInteger(Number(key)) ? Number(key) : 0) as K;
  }

  get #page() {
    return (this.#hasNames ? textPageParameters : pageParameters) as typeof textPageParameters;
  }

  #cursorOf(key: K): string {
    return this.#hasNames ? writeTextCursor([key]) : String(key);
  }
}

function datesOf({
  version,
  changedAt,
  changedBy,
}: Pick<Row<Fields, Key>, 'version' | 'changedAt' | 'changedBy'>) {
  const changed = changedAt === null ? undefined : new Date(changedAt).toISOString();
  return { version, changed, username: changedBy ?? undefined };
}

function keyBehind<K extends Key>(after: Cursor | TextCursor | undefined): K | undefined {
  if (after === undefined) return undefined;
  const key = 'id' in after ? after.id : after[0];
  return (key === undefined || 'id' in after ? key : String(key)) as K | undefined;
}

/** The outcome of a write, unless it was refused. */
function allowed<Outcome extends object>(outcome: Outcome | Refused): Outcome {
  if (!isRefused(outcome)) return outcome;
  throw new ServiceError(outcome.refused.code, outcome.refused.error);
}

function parametersOf(fields: Fields, required: boolean): Parameters {
  const parameters = Object.entries(fields).map(([name, field]) => {
    const { rule, minLength, maxLength, codeOfLength, description } = field;
    const length = { ...(minLength !== undefined && { minLength }), ...(codeOfLength && { codeOfLength }) };
    const given = text({ description, maxLength, ...length, required });
    return [name, rule === undefined ? given : ruled(given, rule)];
  });
  return Object.fromEntries(parameters) as Parameters;
}

function valuesIn<F extends Fields>(
  fields: F,
  given: object,
): { readonly [Name in keyof F]: string | undefined } {
  const values = given as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(Object.keys(fields).map((name) => [name, values[name]])) as {
    readonly [Name in keyof F]: string | undefined;
  };
}

/** Undefined: the call gives none of them. */
function moreIn<More extends Parameters>(
  parameters: More | undefined,
  given: object,
): Input<More> | undefined {
  const values = given as Readonly<Record<string, unknown>>;
  const found = Object.keys(parameters ?? {}).map((name) => [name, values[name]] as const);
  return found.every(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(found) as Input<More>);
}
