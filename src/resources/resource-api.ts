/**
 * The management API endpoints that follow from a resource: a list with a cursor, and reading, creating, changing and
 * removing one object, with their OpenAPI, errors and rights.
 */
import Type, {
  type Static,
  type TBoolean,
  type TObject,
  type TOptional,
  type TProperties,
  type TString,
} from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { type ErrorCode, ServiceError } from '../foundation/errors.ts';
import type { IfMatch } from '../foundation/if-match.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { type Answered, type Call, endpointsFor } from '../http/endpoints/endpoint.ts';
import { digits, integer, text } from '../http/parameters/kinds.ts';
import {
  type Cursor,
  inOrderOfLanguage,
  type NameCursor,
  nameCursor,
  namePageParameters,
  nextOf,
  pageOf,
  pageParameters,
  type TextCursor,
  textPageParameters,
  writeTextCursor,
} from '../http/parameters/page.ts';
import { type Input, type Parameter, type Parameters, ruled } from '../http/parameters/parameter.ts';
import type { Context } from '../storage/context.ts';
import { announceHint } from '../storage/hints.ts';
import type { Api, EndpointDescription, None, Owned, Shape } from './api-declaration.ts';
import {
  type Acting,
  allowed,
  type Fields,
  type Key,
  objectName,
  type Refused,
  type Row,
  type Texts,
} from './declaration.ts';
import { type Resource, withArticle } from './resource.ts';

const endpoint = endpointsFor<Caller>();

type Keyed<Name extends string, Value> = { readonly [One in Name]: Value };
type TextParameters<F extends Fields, Value> = {
  readonly [Name in keyof F as F[Name] extends { readonly maxLength: number }
    ? Name
    : never]: Parameter<Value>;
};
/**
 * Not an interface, because the properties of a schema may have any string as a name, which a type allows and an interface
 * does not.
 */
type Dated = {
  version: TString;
  changed: TOptional<TString>;
  username: TOptional<TString>;
};
type Shared<KeyName extends string> = { readonly [Name in KeyName]: TString } & Dated & { managed: TBoolean };

/** For objects whose changes are counted and dated. */
const dated = {
  version: Type.String({ description: 'Starts at 1 and rises by one with each change.' }),
  changed: Type.Optional(
    Type.String({ description: 'When it was changed (ISO 8601, UTC); absent if unknown.' }),
  ),
  username: Type.Optional(
    Type.String({ description: 'Who made it; absent if a provisioning file did, or if unknown.' }),
  ),
};
const counted = { version: dated.version };
/** For objects whose changes are not counted. */
export const undated = {
  version: Type.String({ description: 'Changes whenever the object changes.' }),
};

/** Makes the endpoints of a resource; a room lists those that it offers, longest paths first. */
export class ResourceApi<
  F extends Fields,
  K extends Key,
  More,
  Extra,
  Scope extends Parameters,
  const KeyName extends string,
  const Path extends string,
  const Plural extends string,
  Listed extends TProperties,
  Shown extends TProperties,
  Create extends Parameters = None,
  Change extends Parameters = None,
  Once extends TProperties = None,
  Narrow extends Parameters = None,
  Alone extends TProperties = None,
> {
  /** The schema of an answer with a single object. */
  readonly one: TObject<Shared<KeyName> & Shown>;
  readonly #resource: Resource<F, K, More, Extra, NoInfer<Input<Narrow>>>;
  readonly #services: Context;
  readonly #api;
  readonly #keyName: KeyName;
  readonly #hasIds: boolean;
  readonly #keyParameter: Keyed<KeyName, Parameter<string>>;
  /** False for a noun without fields. */
  readonly #hasVersion: boolean;
  readonly #hasManaged: boolean;
  readonly #shared: Shared<KeyName>;
  /** The errors with which texts may be refused. */
  readonly #faults: readonly ErrorCode[];

  constructor(
    resource: Resource<F, K, More, Extra, NoInfer<Input<Narrow>>>,
    services: Context,
    api: Api<
      Row<F, K, Extra>,
      Scope,
      KeyName,
      Create,
      Change,
      Path,
      Plural,
      Listed,
      Shown,
      Once,
      Narrow,
      Alone,
      NoInfer<More>
    >,
  ) {
    const { ids, history, isCounted, fields, scope } = resource.declaration;
    const { name, description, shown, rule = objectName, parameter } = api.key;
    this.#resource = resource;
    this.#services = services;
    this.#api = api;
    this.#hasIds = ids !== undefined;
    this.#keyName = name;
    const key = { required: true, description, get: name } as const;
    const given = parameter ?? (this.#hasIds ? digits(key) : ruled(text(key), rule));
    this.#keyParameter = keyed(name, given as Parameter<string>);
    this.#hasVersion = history !== undefined || Object.keys(fields).length > 0;
    this.#hasManaged = scope.managed !== undefined;
    const managed = Type.Boolean({
      description: resource.declaration.isManagedByField
        ? 'Whether a provisioning file names the object. Only the file can then remove it or change what it sets.'
        : 'Whether a provisioning file manages the object. Only the file can then change it.',
    });
    this.#shared = {
      ...keyed(name, Type.String(shown === undefined ? {} : { description: shown })),
      ...(history !== undefined ? dated : isCounted ? counted : this.#hasVersion ? undated : {}),
      ...(this.#hasManaged ? { managed } : {}),
    } as unknown as Shared<KeyName>;
    this.one = Type.Object({ ...this.#shared, ...api.shown.properties }, { title: api.type });
    this.#faults = textsOf(fields).flatMap(([, { codeOfLength = [], codes = [] }]) =>
      [codeOfLength, codes].flat(),
    );
  }

  list() {
    const { path, plural, access, type, listed, narrow } = this.#api;
    const list = this.#offered('list');
    const { noun } = this.#resource.declaration;
    const properties = { ...this.#shared, ...listed.properties };
    const item = Type.Object(properties, { title: this.#isListedWhole ? type : `Listed${type}` });
    return endpoint({
      ...this.#described(list, `list${type}s`, `List ${noun}s`),
      ...(this.#isByName ? { description: `${list.description} ${inOrderOfLanguage}` } : {}),
      path,
      methods: ['GET'],
      parameters: { ...access.parameters, ...(narrow as Narrow), ...this.#page },
      answer: Type.Object({ ...keyed(plural, Type.Array(item)), next: nextOf(`${noun}s`) }),
      errors: [...access.readErrors, ...(list.errors ?? [])],
      handle: handler(async (caller, given, { language }) => {
        const { after, limit } = given as { readonly after?: AnyCursor; readonly limit: number };
        const within = await this.#scope('reads', caller, given);
        const among = moreIn<Input<Narrow>>(narrow, given);
        const from = after !== undefined && 'language' in after ? after : { language };
        const place = this.#isByName ? { from } : { after: keyBehind<K>(after) };
        const page = { ...within, ...place, among, limit: limit + 1 };
        const rows = await this.#services.store.read(this.#resource.list, page);
        const { items, next } = pageOf(rows, limit, (row) => this.#cursorOf(row, from));
        return { [plural]: items.map((row) => this.#shown(listed, row)), next };
      }),
    });
  }

  get() {
    const { path, access, type, alone } = this.#api;
    const { noun } = this.#resource.declaration;
    const get = this.#offered('get');
    return endpoint({
      ...this.#described(get, `get${type}`, `Read ${withArticle(noun)}`),
      path: `${path}/{${this.#keyName}}` as const,
      methods: ['GET'],
      parameters: { ...access.parameters, ...this.#keyParameter },
      answer:
        alone === undefined
          ? (this.one as TObject<Shared<KeyName> & Shown & Alone>)
          : Type.Object({ ...this.one.properties, ...alone.properties }),
      answersVersion: this.#hasVersion,
      errors: [...new Set(['not_found', ...access.readErrors, ...(get.errors ?? [])] as const)],
      handle: handler(async (caller, given) => {
        const found = await this.find(caller, this.#keyIn(given), given);
        return { ...this.show(found), ...(await alone?.read(found)) };
      }),
    });
  }

  /** The object with this key; throws if there is none that the caller may read. */
  async find(caller: Caller, key: K, given: object = {}): Promise<Row<F, K, Extra>> {
    const within = await this.#scope('reads', caller, given);
    const found = await this.#services.store.read(this.#resource.find, { ...within, key });
    if (found === null) throw new ServiceError('not_found', this.#resource.missing(key));
    return found;
  }

  create() {
    const { path, access, type, more, shown, once } = this.#api;
    const create = this.#offered('create');
    const { noun, fields, scope } = this.#resource.declaration;
    const name = (this.#hasIds ? {} : this.#keyParameter) as K extends number
      ? None
      : Keyed<KeyName, Parameter<string>>;
    return endpoint({
      ...this.#described(create, `create${type}`, `Create ${withArticle(noun)}`),
      path,
      methods: ['POST'],
      creates: this.#keyName,
      parameters: {
        ...access.parameters,
        ...name,
        ...(parametersOf(fields, true) as TextParameters<F, string>),
        ...(more?.create as Create),
      },
      answer: Type.Object(
        { ...this.#shared, ...shown.properties, ...(once?.properties as Once) },
        { title: once === undefined ? type : (once.type ?? `Made${type}`) },
      ),
      answersVersion: this.#hasVersion,
      errors: [
        ...(scope.lock === undefined ? [] : (['not_found'] as const)),
        ...access.writeErrors.filter((code) => code !== 'not_found'),
        ...(this.#hasIds ? [] : (['taken', 'managed'] as const)),
        ...this.#faults,
        ...(create.errors ?? []),
      ],
      handle: handler(async (caller, given, call) => {
        const acting = await this.#acting(caller, given);
        const made = await this.#services.store.write(this.#resource.create, {
          ...acting,
          name: this.#hasIds ? undefined : String(this.#keyIn(given)),
          values: textsIn<F>(fields, given),
          more: more?.read ? await more.read(caller, given, call) : moreIn<More>(more?.create, given),
        });
        const row = this.#done(caller, made);
        return { ...this.show(row), ...once?.show(row, caller, given) };
      }),
    });
  }

  change() {
    const { path, access, type, more } = this.#api;
    const change = this.#offered('change');
    const { noun, fields } = this.#resource.declaration;
    const rename = ruled(text({ get: 'rename', description: 'The new name.' }), objectName);
    const isNamed = this.#keyName === 'name';
    return endpoint({
      ...this.#described(change, `update${type}`, `Change ${withArticle(noun)}`),
      path: `${path}/{${this.#keyName}}` as const,
      methods: ['PATCH'],
      parameters: {
        ...access.parameters,
        ...this.#keyParameter,
        ...(parametersOf(fields, false) as TextParameters<F, string | undefined>),
        ...((isNamed ? { rename } : {}) as KeyName extends 'name'
          ? { readonly rename: typeof rename }
          : None),
        ...(more?.change as Change),
      },
      answer: this.one,
      answersVersion: this.#hasVersion,
      takesVersion: this.#hasVersion,
      errors: [
        ...this.#errorsOfChange,
        ...(isNamed ? (['taken'] as const) : []),
        ...this.#faults,
        ...(change.errors ?? []),
      ],
      handle: handler(async (caller, given, call) => {
        const acting = await this.#acting(caller, given);
        const key = this.#keyIn(given);
        const find = () => this.find(caller, key, given);
        const { rename: next } = given as { readonly rename?: string };
        const changed = await this.#services.store.write(this.#resource.change, {
          ...acting,
          key,
          ifMatch: call.ifMatch,
          rename: next,
          values: textsIn<F>(fields, given),
          more: more?.read ? await more.read(caller, given, call, find) : moreIn<More>(more?.change, given),
        });
        return this.show(this.#done(caller, changed));
      }),
    });
  }

  /** Changes an object, by default whatever its version, for one of the room's own endpoints. */
  async changeBy(caller: Caller, key: K, more: More, ifMatch?: IfMatch): Promise<Row<F, K, Extra>> {
    const acting = await this.#acting(caller, {});
    const change = { key, ifMatch, rename: undefined, values: {}, more };
    return this.#done(
      caller,
      await this.#services.store.write(this.#resource.change, { ...acting, ...change }),
    );
  }

  remove() {
    const { path, access, type } = this.#api;
    const remove = this.#offered('remove');
    const { noun } = this.#resource.declaration;
    return endpoint({
      ...this.#described(remove, `delete${type}`, `Remove ${withArticle(noun)}`),
      path: `${path}/{${this.#keyName}}` as const,
      methods: ['DELETE'],
      parameters: { ...access.parameters, ...this.#keyParameter },
      takesVersion: this.#hasVersion,
      answer: Type.Object(keyed(this.#keyName, Type.String())),
      errors: [...this.#errorsOfChange, ...(remove.errors ?? [])],
      handle: handler(async (caller, given, { ifMatch }) => {
        const acting = await this.#acting(caller, given);
        const key = this.#keyIn(given);
        const refused = await this.#services.store.write(this.#resource.remove, { ...acting, key, ifMatch });
        if (refused !== null) allowed(refused);
        this.#hint(caller);
        return { [this.#keyName]: String(key) };
      }),
    });
  }

  versions() {
    const { path, access, type, listed } = this.#api;
    const { noun, history } = this.#resource.declaration;
    const properties = { ...dated, ...listed.properties };
    const version = Type.Object(properties, { title: `Listed${type}Version` });
    return endpoint({
      ...this.#described(
        this.#offered('get'),
        `list${type}Versions`,
        `List the versions of ${withArticle(noun)}`,
      ),
      description: `Lists the versions of a ${noun}, latest first. The last ${history?.keep} former versions are kept.`,
      path: `${path}/{${this.#keyName}}/versions` as const,
      methods: ['GET'],
      parameters: { ...access.parameters, ...this.#keyParameter },
      answer: Type.Object({ versions: Type.Array(version) }),
      errors: [...new Set(['not_found', ...access.readErrors] as const)],
      handle: handler(async (caller, given) => {
        const within = await this.#scope('reads', caller, given);
        const key = this.#keyIn(given);
        const versions = await this.#services.store.read(this.#resource.listVersions, { ...within, key });
        if (versions.length === 0) throw new ServiceError('not_found', this.#resource.missing(key));
        return { versions: versions.map((one) => this.#showVersion(listed, one)) };
      }),
    });
  }

  version() {
    const { path, access, type, shown } = this.#api;
    const get = this.#offered('get');
    const { noun } = this.#resource.declaration;
    const number = integer({ get: 'version', required: true, min: 1, description: 'Number of the version.' });
    return endpoint({
      ...this.#described(get, `get${type}Version`, `Read one version of ${withArticle(noun)}`),
      description: `Returns a version of a ${noun}, current or former.`,
      example: { url: { ...get.example.url, version: '1' } },
      path: `${path}/{${this.#keyName}}/versions/{version}` as const,
      methods: ['GET'],
      parameters: { ...access.parameters, ...this.#keyParameter, version: number },
      answer: Type.Object({ ...dated, ...shown.properties }, { title: `${type}Version` }),
      errors: [...new Set(['not_found', ...access.readErrors] as const)],
      handle: handler(async (caller, given) => {
        const within = await this.#scope('reads', caller, given);
        const { version } = given as { readonly version: number };
        const key = this.#keyIn(given);
        const named = { ...within, key, version };
        const found = await this.#services.store.read(this.#resource.findVersion, named);
        if (found !== null) return this.#showVersion(shown, found);
        throw new ServiceError('not_found', this.#resource.missingVersion(key, version));
      }),
    });
  }

  #offered(what: 'list' | 'get' | 'create' | 'change' | 'remove'): EndpointDescription {
    const described = this.#api[what];
    if (described === undefined) throw new Error(`it is not declared how to ${what} a ${this.#api.type}`);
    return described;
  }

  #described(described: EndpointDescription, operation: string, title: string) {
    const { description, example, event } = described;
    const { group, shown } = this.#api;
    const credentials = described.credentials ?? this.#api.credentials ?? anyMethod;
    const about = { group, credentials, operation, title, description, example };
    if (event === undefined) return about;
    const object = 'name' in shown.properties ? 'name' : this.#keyName;
    const concernsSecurity = (given: object, answer: unknown) => ({
      event: typeof event === 'function' ? event(given) : event,
      object: String((answer as Readonly<Record<string, unknown>>)[object]),
    });
    return { ...about, concernsSecurity };
  }

  get #isListedWhole() {
    const { listed, shown } = this.#api;
    return (listed.properties as TProperties) === shown.properties;
  }

  get #errorsOfChange(): readonly ErrorCode[] {
    const codes = new Set<ErrorCode>(['not_found', ...this.#api.access.writeErrors]);
    return this.#hasManaged ? [...codes, 'managed'] : [...codes];
  }

  /** An answer with one object, for one of the room's own endpoints. */
  show(row: Row<F, K, Extra>) {
    return this.#shown(this.#api.shown, row) as Answered<Static<TObject<Shared<KeyName> & Shown>>>;
  }

  #shown<P extends TProperties>(shape: Shape<Row<F, K, Extra>, P>, row: Row<F, K, Extra>): object {
    const { key, managed } = row;
    return {
      [this.#keyName]: String(key),
      ...(this.#hasVersion ? datesOf(row) : {}),
      managed: this.#hasManaged ? managed : undefined,
      ...shape.show(row, this.#services.clock.now()),
    };
  }

  #showVersion<P extends TProperties>(shape: Shape<Row<F, K, Extra>, P>, row: Row<F, K, Extra>): object {
    return { ...datesOf(row), ...shape.show(row, this.#services.clock.now()) };
  }

  /** The written object; throws if the write was refused. */
  #done(caller: Caller, written: Row<F, K, Extra> | Refused): Row<F, K, Extra> {
    const row = allowed(written);
    this.#hint(caller);
    return row;
  }

  #hint({ companyId }: Caller): void {
    const { plural, hint = plural } = this.#resource.declaration;
    announceHint(this.#services.store, companyId, hint);
  }

  async #scope(what: 'reads' | 'writes', caller: Caller, given: object): Promise<Owned> {
    const within = await this.#api.access[what](this.#services, caller, given as Input<Scope>);
    return typeof within === 'number' ? { scopeId: within, ownerId: undefined } : within;
  }

  async #acting(caller: Caller, given: object): Promise<Acting> {
    const { scopeId, ownerId } = await this.#scope('writes', caller, given);
    const { companyId, username, session } = caller;
    return { companyId, username, session, scopeId, ownerId, now: this.#services.clock.now() };
  }

  #keyIn(given: object): K {
    const key = (given as Readonly<Record<string, string>>)[this.#keyName] ?? '';
    if (!this.#hasIds) return key as K;
    // No id is this large, and none is 0.
    return (Number.isSafeInteger(Number(key)) ? Number(key) : 0) as K;
  }

  get #page() {
    const page = this.#hasIds ? pageParameters : textPageParameters;
    return (this.#isByName ? namePageParameters : page) as typeof textPageParameters;
  }

  get #isByName() {
    return this.#resource.declaration.isListedByName === true;
  }

  #cursorOf(row: Row<F, K, Extra>, from: Pick<NameCursor, 'language'>): string {
    const { key } = row;
    if (typeof key === 'string')
      return this.#isByName ? nameCursor(from)({ name: key }) : writeTextCursor([key]);
    const { name } = row as unknown as { readonly name: string };
    return this.#isByName ? nameCursor(from)({ name, id: key }) : String(key);
  }
}

/** The input and answer of a handler follow from its endpoint's tables, in more steps than types can follow here. */
function handler(handle: (caller: Caller, given: object, call: Call) => Promise<object>) {
  return handle as never;
}

function keyed<Name extends string, Value>(name: Name, value: Value) {
  return { [name]: value } as Keyed<Name, Value>;
}

function datesOf({
  version,
  changedAt,
  changedBy,
}: Pick<Row<None, Key>, 'version' | 'changedAt' | 'changedBy'>) {
  const changed = changedAt === null ? undefined : new Date(changedAt).toISOString();
  return { version, changed, username: changedBy ?? undefined };
}

type AnyCursor = Cursor | TextCursor | NameCursor;

function keyBehind<K extends Key>(after: AnyCursor | undefined): K | undefined {
  if (after === undefined) return undefined;
  const key = 'id' in after ? after.id : after[0];
  return (key === undefined || 'id' in after ? key : String(key)) as K | undefined;
}

function textsOf(fields: Fields) {
  return Object.entries(fields).flatMap(([name, field]) =>
    'columns' in field ? [] : [[name, field] as const],
  );
}

function parametersOf(fields: Fields, required: boolean): Parameters {
  const parameters = textsOf(fields).map(([name, field]) => {
    const { rule, minLength, maxLength, codeOfLength, description } = field;
    const length = { ...(minLength !== undefined && { minLength }), ...(codeOfLength && { codeOfLength }) };
    const given = text({ description, maxLength, ...length, required });
    return [name, rule === undefined ? given : ruled(given, rule)];
  });
  return Object.fromEntries(parameters) as Parameters;
}

function textsIn<F extends Fields>(fields: F, given: object) {
  const values = given as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(textsOf(fields).map(([name]) => [name, values[name]])) as Texts<F>;
}

/** Undefined when the call gives none of these parameters. */
function moreIn<More>(parameters: Parameters | undefined, given: object): More | undefined {
  const values = given as Readonly<Record<string, unknown>>;
  const found = Object.keys(parameters ?? {}).map((name) => [name, values[name]] as const);
  return found.every(([, value]) => value === undefined) ? undefined : (Object.fromEntries(found) as More);
}
