/** The pages at `/docs` as files: every call has one, every link leads somewhere, and they are light. */
import { gzipSync } from 'node:zlib';
import Value from 'typebox/value';
import { expect, test } from 'vitest';
import answers from '../../scripts/docs/answers.json' with { type: 'json' };
import { callName } from '../../scripts/docs/api-page.ts';
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import { docsSite } from '../../scripts/docs/site.ts';

const site = docsSite(allEndpoints);
const pages = [...site].filter(([name]) => name.endsWith('.html'));
const recorded: Readonly<Record<string, string>> = answers;

test('[CONV-2] Each call has a page at /docs with its path, its parameters, its errors, and what it answers', () => {
  for (const endpoint of allEndpoints) {
    const page = site.get(`${callName(endpoint)}.html`) ?? '';
    const parameters = Object.keys(endpoint.table.parameters);
    for (const said of [endpoint.path, ...parameters, ...(endpoint.errors ?? [])])
      expect(page).toContain(said);
    expect(page).toContain('<p class="label">Answer</p>');
  }
});

test('[CONV-2] The answers at /docs are those of a server, and have the fields that the calls describe (npm run docs:answers records them)', () => {
  const wrong = allEndpoints.flatMap((endpoint) => {
    const name = callName(endpoint);
    const text = recorded[name];
    if (text === undefined) return [`${name} has none`];
    const { answersCsv, answersLines, answersPage } = endpoint;
    if (answersCsv === true || answersLines === true || answersPage === true) return [];
    const value: unknown = JSON.parse(text);
    return Value.Check(endpoint.answer, value) && nothingUnknown(endpoint.answer as ObjectSchema, value)
      ? []
      : [name];
  });
  expect(wrong).toEqual([]);
});

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly items?: ObjectSchema;
  readonly additionalProperties?: unknown;
}

function nothingUnknown(schema: ObjectSchema, value: unknown): boolean {
  if (Array.isArray(value))
    return value.every((item) => schema.items === undefined || nothingUnknown(schema.items, item));
  const { properties = {}, additionalProperties = false } = schema;
  // An object without declared properties may have any.
  if (
    Object.keys(properties).length === 0 ||
    additionalProperties !== false ||
    typeof value !== 'object' ||
    value === null
  )
    return true;
  return Object.entries(value).every(
    ([key, inner]) => properties[key] !== undefined && nothingUnknown(properties[key], inner),
  );
}

test('[RUN-1] Every link between the pages at /docs leads to a page, and to a heading that it has', () => {
  const idsOf = new Map(
    pages.map(([name, html]) => [name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const broken = pages.flatMap(([name, html]) =>
    [...html.matchAll(/ href="(?:\.\/)?([^":#]*)(?:#([^"]*))?"/g)].flatMap(([, to = '', anchor]) => {
      if (to === 'openapi.json' || to === '../portal/' || site.has(to)) return [];
      const target = anchor !== undefined && to === '' ? name : `${to || 'index'}.html`;
      const ids = idsOf.get(target);
      const isThere = ids !== undefined && (anchor === undefined || ids.has(anchor));
      return isThere ? [] : [`${name}: ${to}#${anchor ?? ''}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('[RUN-1] What a browser loads to show a page at /docs is at most 60 kB', () => {
  const weigh = (name: string) => gzipSync(site.get(name) ?? '').length;
  const shared = ['site.css', 'site.js', 'bell.svg'].map(weigh).reduce((sum, one) => sum + one);
  const calls = pages.map(([name]) => name).filter((name) => name !== 'errors.html');
  for (const name of calls) expect([name, weigh(name) + shared < 60_000]).toEqual([name, true]);
});
