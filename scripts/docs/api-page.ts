/** Generates the API reference for people from the endpoint tables. */

import { scopeOf } from '../../src/accounts/key-scopes.ts';
import type { Endpoint, Method } from '../../src/http/endpoints/endpoint.ts';
import { namesInPath } from '../../src/http/endpoints/path-table.ts';
import { pageParameters } from '../../src/http/parameters/page.ts';
import { clearsByNull, type Parameter } from '../../src/http/parameters/parameter.ts';
import { takesBody } from '../../src/http/request-context.ts';
import { type Example, examples } from './api-examples.ts';
import { apiIntroduction } from './api-introduction.ts';
import { generatedBy, inCell } from './markdown.ts';
import { fieldsOfItems, fieldsWithin, type NamedField, type Schema, typeWords } from './schema-words.ts';

export function apiPage<Caller>(endpoints: readonly Endpoint<Caller>[]): string {
  const paths = endpoints.map(({ path }) => path);
  const strays = Object.keys(examples).filter((path) => !paths.includes(path));
  if (strays.length > 0) throw new Error(`examples of no endpoint: ${strays.join(', ')}`);
  const sections = sectionsOf(endpoints);
  const shared: Shared = { objects: sharedObjects(endpoints), written: new Set(), calls: [] };
  const titles = sections.flatMap(({ members }) => members.map(({ title }) => title));
  const isUnique = (title: string) => titles.indexOf(title) === titles.lastIndexOf(title);
  const contents = sections.flatMap(({ heading, members }) => [
    `- [${heading}](#${anchorOf(heading)}): ${members.map(({ title }) => (isUnique(title) ? linkTo(title) : title)).join(', ')}`,
  ]);
  return [
    generatedBy,
    apiIntroduction(),
    '## Calls',
    '',
    ...contents,
    '',
    ...sections.map(({ heading, members }) => {
      const calls = members.map((endpoint) => endpointSection(endpoint, shared, isUnique(endpoint.title)));
      return [`## ${heading}`, '', ...calls, ...objectLines(members, shared)].join('\n');
    }),
  ].join('\n');
}

/** What the page describes once, and refers to from then on. */
interface Shared {
  /** Objects of several answers, by their names. */
  readonly objects: ReadonlyMap<string, Schema>;
  /** The names of the objects described so far. */
  readonly written: Set<string>;
  /** The calls described so far, with their parameters. */
  readonly calls: { readonly title: string; readonly entries: ReadonlyMap<string, string> }[];
}

/** The named schemas that are in the answers of more than one call, and the same in each. */
function sharedObjects<Caller>(endpoints: readonly Endpoint<Caller>[]): ReadonlyMap<string, Schema> {
  const found = new Map<string, { readonly schema: Schema; readonly text: string; uses: number }>();
  const different = new Set<string>();
  for (const { answer } of endpoints) {
    for (const schema of new Set(objectsIn(answer as Schema))) {
      const text = JSON.stringify(schema);
      const name = schema.title as string;
      const before = found.get(name);
      if (before === undefined) found.set(name, { schema, text, uses: 1 });
      else if (before.text === text) before.uses += 1;
      else different.add(name);
    }
  }
  const several = [...found].filter(([name, { uses }]) => uses > 1 && !different.has(name));
  return new Map(several.map(([name, { schema }]) => [name, schema]));
}

/** The named objects in a schema, including the schema itself. */
function objectsIn(schema: Schema): readonly Schema[] {
  const inner = [schema.items, ...Object.values(schema.properties ?? {})].filter((one) => one !== undefined);
  const own = schema.title !== undefined && schema.properties !== undefined ? [schema] : [];
  return [...own, ...inner.flatMap(objectsIn)];
}

/** Describes shared objects after the calls of the first section whose answers have them. */
function objectLines<Caller>(
  members: readonly Endpoint<Caller>[],
  { objects, written }: Shared,
): readonly string[] {
  const names = members.flatMap(({ answer }) => objectsIn(answer as Schema).map(({ title = '' }) => title));
  return [...new Set(names)].flatMap((name) => {
    const schema = objects.get(name);
    if (schema === undefined || written.has(name)) return [];
    written.add(name);
    const { part, rest } = withoutObject(schema, objects);
    const beginning = part === undefined ? [] : [`A ${linkTo(objectHeading(part), part)}, and:`, ''];
    return [`### ${objectHeading(name)}`, '', ...beginning, ...fieldTable(rest, objects), ''];
  });
}

const objectHeading = (name: string) => `Object ${name}`;
const linkTo = (heading: string, text = heading) => `[${text}](#${anchorOf(heading)})`;

interface Section<Caller> {
  readonly heading: string;
  readonly members: readonly Endpoint<Caller>[];
}

/** In page order: the calls of the service itself first, then those of the management API. */
export function sectionsOf<Caller>(endpoints: readonly Endpoint<Caller>[]): readonly Section<Caller>[] {
  const groups = [...new Set(endpoints.map(({ group }) => group))];
  const sections = (isOfManagement: boolean) =>
    groups.flatMap((group) => {
      const members = endpoints.filter(
        (endpoint) => endpoint.group === group && isManagement(endpoint.path) === isOfManagement,
      );
      const heading = isOfManagement ? `Management API: ${group}` : group;
      return members.length === 0 ? [] : [{ heading, members }];
    });
  return [...sections(false), ...sections(true)];
}

/** The anchor that GitHub makes from a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function endpointSection<Caller>(endpoint: Endpoint<Caller>, shared: Shared, isUnique: boolean): string {
  const { path, methods, title, description } = endpoint;
  const example = examples[path];
  if (example === undefined && !isManagement(path))
    throw new Error(`${path} needs an example in scripts/docs/api-examples.ts`);
  return [
    `### ${title}`,
    '',
    `\`${methods.join('` or `')}\` \`${path}\``,
    '',
    description,
    '',
    ...accessLines(endpoint, example),
    ...parameterLines(endpoint, shared, isUnique),
    ...answerLines(endpoint, shared),
    ...errorLines(endpoint),
    '```sh',
    example?.curl ?? curlOf(endpoint),
    '```',
    '',
    ...(example === undefined ? [] : ['```json', example.answer, '```', '']),
  ].join('\n');
}

/**
 * The descriptions of management API calls say who may call them, and their examples are those that the page at `/docs`
 * fills in.
 */
export function isManagement(path: string): boolean {
  return path.startsWith('/api/v1/');
}

export function curlOf<Caller>(endpoint: Endpoint<Caller>, method = usualMethod(endpoint)): string {
  const { json, lines } = endpoint.example ?? {};
  const body = lines ?? (json === undefined ? undefined : JSON.stringify(json));
  return [
    'curl -u "$CARILLON_USER:$CARILLON_PASSWORD"',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$CARILLON_URL${pathOfExample(endpoint, method)}"`,
    ...(body === undefined || method === 'GET' ? [] : [`-d '${body.replaceAll("'", "'\\''")}'`]),
  ].join(' ');
}

function usualMethod<Caller>({ methods }: Endpoint<Caller>): Method {
  return methods.includes('GET') ? 'GET' : (methods[0] ?? 'GET');
}

/** The path and the query of the example. */
export function pathOfExample<Caller>(
  { path, body, methods, example }: Endpoint<Caller>,
  method: Method,
): string {
  const { url = {} } = example ?? {};
  const inPath = namesInPath(path);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(url[name])));
  // Where a call has two forms, what is in the URL of one is in the body of the other.
  const isInBody = methods.length > 1 && takesBody(method) && body !== 'lines';
  const inQuery = isInBody ? [] : Object.entries(url).filter(([name]) => !inPath.includes(name));
  const query = inQuery.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return `${filled}${query === '' ? '' : `?${query}`}`;
}

/** The name of a call's page, and of its recorded answer. */
export function callName<Caller>({ operation, path }: Endpoint<Caller>): string {
  return operation ?? path.split('/').at(-1) ?? '';
}

/** What the page of one call says: what it is, and then its parameters, its answer, and the objects in that. */
export function callText<Caller>(
  endpoint: Endpoint<Caller>,
  endpoints: readonly Endpoint<Caller>[],
): { readonly head: string; readonly rest: string } {
  const { path, methods, description } = endpoint;
  const within = new Set(objectsIn(endpoint.answer as Schema).map(({ title }) => title));
  within.delete((endpoint.answer as Schema).title);
  const objects = new Map([...sharedObjects(endpoints)].filter(([name]) => within.has(name)));
  const shared: Shared = { objects, written: new Set(), calls: [] };
  return {
    head: [
      `\`${methods.join('` or `')}\` \`${path}\``,
      '',
      description,
      '',
      ...accessLines(endpoint, examples[path]),
    ].join('\n'),
    rest: [
      '## Parameters',
      '',
      ...withNone(parameterLines(endpoint, shared, false)),
      '## Answer',
      '',
      ...answerLines(endpoint, shared).filter((line) => line !== '**Answer**'),
      ...objectLines([endpoint], shared),
    ].join('\n'),
  };
}

function withNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['None.', ''] : lines;
}

/** Empty if the conventions say everything. */
function accessLines<Caller>(
  { path, methods, credentials: { apiKey, password } }: Endpoint<Caller>,
  example: Example | undefined,
): readonly string[] {
  const words = [
    ...(apiKey && password
      ? [`**Scope of a key**: \`${scopeOf({ path, methods })}\`.`]
      : [`**Credentials**: ${password ? 'any method but an API key' : 'Basic authentication only'}.`]),
    ...(example === undefined ? [] : [`**Role**: ${roleWords(example)}.`]),
  ];
  return words.length === 0 ? [] : [words.join(' '), ''];
}

function roleWords({ roles }: Example): string {
  if (roles.length === 0) return 'none needed';
  return roles.map((role) => `\`${role}\``).join(' or ');
}

function parameterLines<Caller>(
  { path, title, methods, table, isIdempotent, takesVersion }: Endpoint<Caller>,
  { calls }: Shared,
  isUnique: boolean,
): readonly string[] {
  const entries = Object.entries(table.parameters);
  const offered = entries.filter(([, parameter]) => parameter.isUnavailable !== true);
  const refused = entries.filter(([, parameter]) => parameter.isUnavailable === true);
  const byGet = !methods.every(takesBody);
  const byPost = methods.some(takesBody);
  const inPath = namesInPath(path);
  const own = new Map(
    offered.filter(([name]) => !inPath.includes(name)).map(([name, one]) => [name, meaningOf(one)]),
  );
  const like = callLike(own, calls);
  if (isUnique && (byPost || like === undefined)) calls.push({ title, entries: own });
  const isPaged = own.has('after') && own.has('limit') && own.get('limit') === usualLimit;
  const isListed = ([name]: readonly [string, unknown]) =>
    !(like?.entries.get(name) === own.get(name) && own.has(name)) &&
    !(isPaged && ['after', 'limit'].includes(name));
  const rows = offered
    .filter(isListed)
    .flatMap(([name, parameter]) =>
      inPath.includes(name)
        ? [pathRow(name, parameter, byGet && byPost)]
        : parameterRows(name, parameter, byGet, byPost),
    );
  const heads = [
    ...(byPost ? ['in JSON'] : []),
    ...(byGet ? ['in a URL'] : []),
    'type',
    'default',
    'meaning',
  ];
  return [
    ...(like === undefined
      ? []
      : [`Takes the parameters of ${linkTo(like.title)}${rows.length === 0 ? '.' : ', and:'}`, '']),
    ...(rows.length === 0
      ? []
      : [`| ${heads.join(' | ')} |`, `|${' --- |'.repeat(heads.length)}`, ...rows, '']),
    ...(isPaged ? [`Takes ${linkTo('Lists', '`limit` and `after`')}.`, ''] : []),
    ...(isIdempotent === true
      ? [`Takes the header ${linkTo('Sending twice by mistake', '`Idempotency-Key`')}.`, '']
      : []),
    ...(takesVersion === true
      ? [`Takes the header ${linkTo('Changing the version that you know', '`If-Match`')}.`, '']
      : []),
    ...(refused.length === 0
      ? []
      : [
          `Not offered in this version, and refused with [\`not_available\`](errors.md#not_available) when given: ${refused
            .map(([name, parameter]) => refusedWords(name, parameter, byGet))
            .join(', ')}.`,
          '',
        ]),
  ];
}

/** Everything that a row says about a parameter except its names. */
function meaningOf(parameter: Parameter<unknown>): string {
  const { schema, description } = parameter;
  return JSON.stringify([schema, description, defaultWords(parameter), clearingWords(parameter)]);
}

const usualLimit = meaningOf(pageParameters.limit);

/** The number of shared parameters or fields from which it is shorter to refer to another call or object. */
const fewestAlike = 5;

/** Of the calls described above whose parameters are all among these, the call with the most parameters. */
function callLike(
  own: ReadonlyMap<string, string>,
  calls: Shared['calls'],
): Shared['calls'][number] | undefined {
  const within = calls.filter(
    ({ entries }) =>
      entries.size >= fewestAlike && [...entries].every(([name, text]) => own.get(name) === text),
  );
  return within.toSorted((a, b) => b.entries.size - a.entries.size)[0];
}

function refusedWords(name: string, { urlNames }: Parameter<unknown>, byGet: boolean): string {
  const [url] = byGet ? urlNames : [];
  return url === undefined ? `\`${name}\`` : `\`${name}\` (\`${url.name}\`)`;
}

/** A path parameter is in the same place for every method. */
function pathRow(name: string, { schema, description }: Parameter<unknown>, byBoth: boolean): string {
  const place = `\`{${name}}\` in the path`;
  return row([...(byBoth ? [place] : []), place, typeWords(schema as Schema), '*needed*', description]);
}

function parameterRows(
  name: string,
  parameter: Parameter<unknown>,
  byGet: boolean,
  byPost: boolean,
): readonly string[] {
  const { schema, urlNames, description } = parameter;
  const notes = byGet ? urlNames.filter(({ note }) => note !== undefined) : [];
  const meaning = [description, ...notes.map((url) => `\`${url.name}\`: ${url.note}`)].join(' ');
  const own = row([
    ...(byPost ? [`\`${name}\``] : []),
    ...(byGet ? [urlNames.map((url) => `\`${url.name}\``).join(', ')] : []),
    typeWords(schema as Schema) + clearingWords(parameter),
    defaultWords(parameter),
    meaning,
  ]);
  const inner = fieldsOfItems(schema as Schema, name).map((field) =>
    row([
      `\`${field.name}\``,
      ...(byGet ? [''] : []),
      typeWords(field.schema),
      isNeeded(field, schema as Schema) ? '*needed*' : '',
      field.schema.description ?? '',
    ]),
  );
  return [own, ...(byPost ? inner : [])];
}

function clearingWords(parameter: Parameter<unknown>): string {
  if (parameter.clearedBy === undefined) return '';
  return clearsByNull(parameter) ? ', or `null`' : ', or empty';
}

function isNeeded({ name }: NamedField, list: Schema): boolean {
  return list.items?.required?.includes(name.slice(name.indexOf('[].') + 3)) === true;
}

function defaultWords({ required, absent }: Parameter<unknown>): string {
  if (required) return '*needed*';
  return absent === undefined || Array.isArray(absent) ? '' : `\`${JSON.stringify(absent)}\``;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(inCell).join(' | ')} |`;
}

function answerLines<Caller>(
  { answer, answersText, answersCsv, answersPage, answersLines }: Endpoint<Caller>,
  { objects }: Shared,
): readonly string[] {
  const schema = answer as Schema;
  if (answersLines === true) return [`**Answer**: a file of JSON lines. ${schema.description}`, ''];
  if (answersPage === true) return [`**Answer**: an HTML page. ${schema.description}`, ''];
  if (answersCsv === true) return [`**Answer**: a CSV file. ${schema.description}`, ''];
  if (schema.properties === undefined) {
    const asText =
      answersText === true ? ', or plain text for callers whose `Accept` prefers `text/plain` to JSON' : '';
    return [`**Answer**: ${schema.description} A JSON string${asText}.`, ''];
  }
  const name = sharedName(schema, objects);
  if (name !== undefined) return [`**Answer**: ${linkTo(objectHeading(name), name)}`, ''];
  const { part, rest } = withoutObject(schema, objects);
  if (part === undefined) return ['**Answer**', '', ...fieldTable(schema, objects), ''];
  return [`**Answer**: ${linkTo(objectHeading(part), part)}, and:`, '', ...fieldTable(rest, objects), ''];
}

/** For an object that has all fields of another: the name of the other, and the remaining fields. */
function withoutObject(schema: Schema, objects: Shared['objects']): { part?: string; rest: Schema } {
  const { properties = {} } = schema;
  const isSame = ([key, field]: readonly [string, Schema]) =>
    JSON.stringify(properties[key]) === JSON.stringify(field);
  const within = [...objects].filter(([name, { properties: fields = {} }]) => {
    const entries = Object.entries(fields);
    return name !== schema.title && entries.length >= fewestAlike && entries.every(isSame);
  });
  const [largest] = within.toSorted(([, a], [, b]) => fieldsOf(b).length - fieldsOf(a).length);
  if (largest === undefined) return { rest: schema };
  const [part, object] = largest;
  const others = Object.entries(properties).filter(([key]) => !fieldsOf(object).includes(key));
  return { part, rest: { properties: Object.fromEntries(others) } };
}

const fieldsOf = ({ properties = {} }: Schema) => Object.keys(properties);

function sharedName({ title = '' }: Schema, objects: Shared['objects']): string | undefined {
  return objects.has(title) ? title : undefined;
}

function fieldTable(schema: Schema, objects: Shared['objects']): readonly string[] {
  const isShared = (one: Schema) => sharedName(one, objects) !== undefined;
  const rows = fieldsWithin(schema, isShared).map(({ name, schema: field }) => {
    const named = sharedName(field.items ?? field, objects);
    const link = named === undefined ? undefined : linkTo(objectHeading(named), named);
    const words =
      link === undefined ? answerType(name, field) : field.items === undefined ? link : `list of ${link}`;
    return row([`\`${name}\``, words, field.description ?? '']);
  });
  return ['| field | type | meaning |', '| --- | --- | --- |', ...rows];
}

function answerType(name: string, field: Schema): string {
  return name.endsWith('status') ? 'text: a [status](#status-codes)' : typeWords(field);
}

function errorLines<Caller>({ errors = [] }: Endpoint<Caller>): readonly string[] {
  if (errors.length === 0) return [];
  const links = errors.map((code) => `[\`${code}\`](errors.md#${code})`);
  return [`**Specific errors**: ${links.join(', ')}.`, ''];
}
