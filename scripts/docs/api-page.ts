/** The API reference for people, from the endpoint tables. */

import type { AcceptedCredentials } from '../../src/http/credentials/credentials.ts';
import type { Endpoint } from '../../src/http/endpoints/endpoint.ts';
import { namesInPath } from '../../src/http/endpoints/path-table.ts';
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
  const contents = sections.map(({ heading }) => `- [${heading}](#${anchorOf(heading)})`);
  return [
    generatedBy,
    apiIntroduction(),
    '## Calls',
    '',
    ...contents,
    '',
    ...sections.map(({ heading, members }) =>
      [`## ${heading}`, '', ...members.map(endpointSection)].join('\n'),
    ),
  ].join('\n');
}

interface Section<Caller> {
  readonly heading: string;
  readonly members: readonly Endpoint<Caller>[];
}

/** In the order of the page: the calls of the service itself first, then those of the management API. */
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

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function endpointSection<Caller>(endpoint: Endpoint<Caller>): string {
  const { path, methods, title, description, credentials } = endpoint;
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
    `**Credentials**: ${credentialWords(credentials)}.${example === undefined ? '' : ` **Role**: ${roleWords(example)}.`}`,
    '',
    ...parameterLines(endpoint),
    ...answerLines(endpoint),
    ...errorLines(endpoint),
    '```sh',
    example?.curl ?? curlOf(endpoint),
    '```',
    '',
    ...(example === undefined ? [] : ['```json', example.answer, '```', '']),
  ].join('\n');
}

/** Calls of the management API say themselves who may, and are shown as the page at `/docs` fills them in. */
export function isManagement(path: string): boolean {
  return path.startsWith('/api/v1/');
}

export function curlOf<Caller>({ path, methods, example = {} }: Endpoint<Caller>): string {
  const { url = {}, json, lines } = example;
  const inPath = namesInPath(path);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(url[name])));
  const inQuery = Object.entries(url).filter(([name]) => !inPath.includes(name));
  const query = inQuery.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  const body = lines ?? (json === undefined ? undefined : JSON.stringify(json));
  return [
    'curl -u "$CARILLON_USER:$CARILLON_PASSWORD"',
    ...(methods.includes('GET') ? [] : [`-X ${methods[0]}`]),
    `"$CARILLON_URL${filled}${query === '' ? '' : `?${query}`}"`,
    ...(body === undefined || methods.includes('GET') ? [] : [`-d '${body.replaceAll("'", "'\\''")}'`]),
  ].join(' ');
}

function credentialWords({ apiKey, password }: AcceptedCredentials): string {
  if (apiKey && password) return 'any method';
  if (password) return 'any method but an API key';
  return 'Basic authentication only';
}

function roleWords({ roles }: Example): string {
  if (roles.length === 0) return 'none needed';
  return roles.map((role) => `\`${role}\``).join(' or ');
}

function parameterLines<Caller>({
  path,
  methods,
  table,
  isIdempotent,
  takesVersion,
}: Endpoint<Caller>): readonly string[] {
  const entries = Object.entries(table.parameters);
  const offered = entries.filter(([, parameter]) => parameter.isUnavailable !== true);
  const refused = entries.filter(([, parameter]) => parameter.isUnavailable === true);
  const byGet = !methods.every(takesBody);
  const byPost = methods.some(takesBody);
  const heads = [
    ...(byPost ? ['in JSON'] : []),
    ...(byGet ? ['in a URL'] : []),
    'type',
    'default',
    'meaning',
  ];
  const inPath = namesInPath(path);
  const rows = offered.flatMap(([name, parameter]) =>
    inPath.includes(name)
      ? [pathRow(name, parameter, byGet && byPost)]
      : parameterRows(name, parameter, byGet, byPost),
  );
  return [
    `| ${heads.join(' | ')} |`,
    `|${' --- |'.repeat(heads.length)}`,
    ...rows,
    '',
    ...(isIdempotent === true
      ? ['Takes the header [`Idempotency-Key`](#sending-twice-by-mistake).', '']
      : []),
    ...(takesVersion === true
      ? ['Takes the header [`If-Match`](#changing-the-version-that-you-know).', '']
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

function refusedWords(name: string, { urlNames }: Parameter<unknown>, byGet: boolean): string {
  const [url] = byGet ? urlNames : [];
  return url === undefined ? `\`${name}\`` : `\`${name}\` (\`${url.name}\`)`;
}

/** Where it stands is the same by any method. */
function pathRow(name: string, { schema, description }: Parameter<unknown>, isTold: boolean): string {
  const place = `\`{${name}}\` in the path`;
  return row([...(isTold ? [place] : []), place, typeWords(schema as Schema), '*needed*', description]);
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

function answerLines<Caller>({
  answer,
  answersText,
  answersCsv,
  answersLines,
}: Endpoint<Caller>): readonly string[] {
  const schema = answer as Schema;
  if (answersLines === true) return [`**Answer**: a file of JSON lines. ${schema.description}`, ''];
  if (answersCsv === true) return [`**Answer**: a CSV file. ${schema.description}`, ''];
  if (schema.properties === undefined) {
    const asText =
      answersText === true ? ', or plain text for callers whose `Accept` prefers `text/plain` to JSON' : '';
    return [`**Answer**: ${schema.description} A JSON string${asText}.`, ''];
  }
  return [
    '**Answer**',
    '',
    '| field | type | meaning |',
    '| --- | --- | --- |',
    ...fieldsWithin(schema).map(({ name, schema: field }) =>
      row([`\`${name}\``, answerType(name, field), field.description ?? '']),
    ),
    '',
  ];
}

function answerType(name: string, field: Schema): string {
  return name.endsWith('status') ? 'text: a [status](#status-codes)' : typeWords(field);
}

function errorLines<Caller>({ errors = [] }: Endpoint<Caller>): readonly string[] {
  if (errors.length === 0) return [];
  const links = errors.map((code) => `[\`${code}\`](errors.md#${code})`);
  return [`**Errors of its own**: ${links.join(', ')}.`, ''];
}
