/**
 * Builds the pages at `/docs` from the endpoint tables and the guides: a page for each call, one for the errors, one for
 * each guide. They are plain HTML with the portal's colours; a script adds search, copying and trying a call.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { Marked } from 'marked';
import { catalogue, type ErrorCode } from '../../src/foundation/errors.ts';
import type { Endpoint, Method } from '../../src/http/endpoints/endpoint.ts';
import { takesBody } from '../../src/http/request-context.ts';
import { examples } from './api-examples.ts';
import { apiIntroduction } from './api-introduction.ts';
import { callName, callText, curlOf, sectionsOf } from './api-page.ts';
import { errorsPage } from './errors-page.ts';
import { typeScriptOf } from './type-script.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** The answer to each call's example, by the call's name, as `npm run docs:answers` recorded it. */
const answers: Readonly<Record<string, string>> = JSON.parse(read('scripts/docs/answers.json'));

/** The guides that a newcomer needs first, in this order. */
const firstGuides = ['first-sms', 'receipts', 'webhooks', 'retrying'];
/** These have pages of their own here, or are about the source. */
const noGuides = ['README', 'api', 'errors', 'conformance', 'tour', 'field-cases'];

interface Page {
  /** The last part of its URL; empty for the first page. */
  readonly name: string;
  readonly title: string;
  /** HTML. */
  readonly body: string;
  /** What the search finds it by, besides its title. */
  readonly words: string;
}

interface Group {
  readonly heading: string;
  readonly pages: readonly Page[];
}

/** The files of the site, by their paths below `/docs/`. */
export function docsSite<Caller>(endpoints: readonly Endpoint<Caller>[]): ReadonlyMap<string, string> {
  const toHtml = htmlWriter(placesOf(endpoints));
  const groups = [
    { heading: 'Guides', pages: [firstPage(toHtml), ...guidesOf(firstGuides, toHtml)] },
    { heading: 'More guides', pages: guidesOf(otherGuides(), toHtml) },
    {
      heading: 'Reference',
      pages: [
        pageOf('conventions', apiIntroduction(), toHtml, 'Conventions'),
        pageOf('errors', errorsPage(), toHtml, 'Errors'),
      ],
    },
    ...sectionsOf(endpoints).map(({ heading, members }) => ({
      heading,
      pages: members.map((endpoint) => callPage(endpoint, endpoints, toHtml)),
    })),
  ];
  const pages = groups.flatMap((group) => group.pages);
  const names = pages.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`two pages are called ${twice}`);
  const found = pages.map(({ name, title, words }) => ({ name, title, words }));
  return new Map([
    ...pages.map((page) => [`${page.name || 'index'}.html`, whole(page, groups)] as const),
    ['search.json', JSON.stringify(found)],
    ['site.js', read('scripts/docs/site/site.js')],
    ['site.css', read('portal/src/design/tokens.css') + read('scripts/docs/site/site.css')],
    ['bell.svg', read('portal/src/design/bell.svg')],
  ]);
}

function whole({ name, title, body }: Page, groups: readonly Group[]): string {
  const link = (page: Page) =>
    `<li><a href="./${page.name}"${page.name === name ? ' aria-current="page"' : ''}>${escaped(page.title)}</a></li>`;
  const list = groups
    .map(({ heading, pages }) => {
      const isOpen = heading === 'Guides' || pages.some((page) => page.name === name);
      return `<details${isOpen ? ' open' : ''}><summary>${escaped(heading)}</summary><ul>${pages.map(link).join('')}</ul></details>`;
    })
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Carillon</title>
<link rel="icon" type="image/svg+xml" href="./bell.svg">
<link rel="stylesheet" href="./site.css">
<script type="module" src="./site.js"></script>
</head>
<body>
<a class="skip" href="#page">Skip to the text</a>
<header>
<a class="brand" href="./"><img src="./bell.svg" alt="" width="24" height="24">Carillon <span>API</span></a>
<search><label>Search <input type="search" id="search" autocomplete="off" placeholder="Call, field, error" hidden></label><ul id="found" hidden></ul></search>
<a href="./openapi.json">OpenAPI</a>
<a href="../portal/">Portal</a>
</header>
<div class="frame">
<nav aria-label="Contents"><details class="contents" open><summary>Contents</summary>${list}</details></nav>
<main id="page" tabindex="-1"><h1>${escaped(title)}</h1>
${body}</main>
</div>
</body>
</html>
`;
}

function firstPage(toHtml: ToHtml): Page {
  const guide = (name: string) =>
    `<li><a href="./${name}">${escaped(titleOf(read(`docs/${name}.md`)))}</a></li>`;
  return {
    name: '',
    title: 'Send SMS by HTTP',
    words: 'start beginning overview',
    body: `<p>Carillon takes SMS over HTTP, hands them to carriers, and tells what became of each. Begin with a guide:</p>
<ul class="guides">${firstGuides.map(guide).join('')}</ul>
${toHtml(
  `Each call has a page, in the list of contents: its parameters, its answer with values as a new server gives them, its
errors, and a form that tries it on this server. [Conventions](api.md) that hold for all calls are on a page of their own, and
[all errors](errors.md) on another. Clients can be generated from the [OpenAPI document](openapi.json).`,
)}`,
  };
}

function otherGuides(): readonly string[] {
  return readdirSync(new URL('docs/', root))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .filter((name) => !noGuides.includes(name) && !firstGuides.includes(name))
    .sort();
}

function guidesOf(names: readonly string[], toHtml: ToHtml): readonly Page[] {
  return names.map((name) => pageOf(name, read(`docs/${name}.md`), toHtml));
}

/** A document without its heading, which becomes the title. */
function pageOf(name: string, markdown: string, toHtml: ToHtml, title = titleOf(markdown)): Page {
  const headings = [...markdown.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => heading);
  const codes = [...markdown.matchAll(/<a id="(\w+)">/g)].map(([, code = '']) => code);
  return {
    name,
    title,
    words: [...headings, ...codes].join(' '),
    body: toHtml(markdown.replace(/^<!--.*-->\n/, '').replace(/^# .+$/m, '')),
  };
}

const titleOf = (markdown: string) => /^# (.+)$/m.exec(markdown)?.[1] ?? '';

function callPage<Caller>(
  endpoint: Endpoint<Caller>,
  endpoints: readonly Endpoint<Caller>[],
  toHtml: ToHtml,
): Page {
  const text = callText(endpoint, endpoints);
  const { title, path, methods, table, errors = [] } = endpoint;
  const name = callName(endpoint);
  const parameters = Object.entries(table.parameters);
  const urlNames = parameters.flatMap(([, { urlNames: names }]) => names.map((one) => one.name));
  return {
    name,
    title,
    words: [path, ...methods, ...parameters.map(([key]) => key), ...urlNames, ...errors].join(' '),
    body: [
      toHtml(text.head),
      exampleHtml(endpoint),
      tryHtml(endpoint),
      toHtml(text.rest),
      errorsHtml(errors, toHtml),
    ].join('\n'),
  };
}

/** The method that the page shows: the one with a body where there are two, since GET's form stands beside it. */
function mainMethod<Caller>({ methods }: Endpoint<Caller>): Method {
  return methods.find(takesBody) ?? methods[0] ?? 'GET';
}

function exampleHtml<Caller>(endpoint: Endpoint<Caller>): string {
  const { path, methods } = endpoint;
  const own = examples[path];
  const method = mainMethod(endpoint);
  const recorded = answers[callName(endpoint)];
  const answer = own?.answer ?? recorded;
  const byGet =
    own === undefined && methods.length > 1 && methods.includes('GET')
      ? `<details><summary>By GET</summary>${code(curlOf(endpoint, 'GET'))}</details>`
      : '';
  return `<section class="example" aria-label="Example">
<fieldset class="tabs"><legend>Example</legend>
<label><input type="radio" name="language" value="curl" checked>curl</label>
<label><input type="radio" name="language" value="typescript">TypeScript</label></fieldset>
<div class="curl">${code(own?.curl ?? curlOf(endpoint, method))}</div>
<div class="typescript">${code(typeScriptOf(endpoint, method))}</div>
${byGet}
${answer === undefined ? '' : `<p class="label">Answer</p>${code(readable(answer))}`}
</section>`;
}

/** Each line of an answer is JSON, or the text of a file. */
function readable(answer: string): string {
  return answer
    .split('\n')
    .map((line) => {
      try {
        return JSON.stringify(JSON.parse(line), undefined, 2);
      } catch {
        return line;
      }
    })
    .join('\n');
}

const code = (text: string) =>
  `<pre tabindex="0"><code>${escaped(text.replaceAll('npx carillon', 'carillon'))}</code></pre>`;

/** The form in which a call is tried. The script shows it, because without the script it does nothing. */
function tryHtml<Caller>(endpoint: Endpoint<Caller>): string {
  const method = mainMethod(endpoint);
  const { path, credentials, body, example = {} } = endpoint;
  const { url = {}, json, lines } = example;
  const given = Object.entries(url).filter(
    ([name]) => !takesBody(method) || body === 'lines' || path.includes(`{${name}}`),
  );
  const urlNames =
    takesBody(method) && body !== 'lines'
      ? given.map(([name]) => name)
      : Object.values(endpoint.table.parameters).flatMap(({ urlNames: names }) =>
          names.map(({ name }) => name),
        );
  const values = new Map(given.map(([name, value]) => [name, String(value)]));
  const fields = urlNames.map(
    (name) =>
      `<label><code>${name}</code><input name="${name}" value="${escaped(values.get(name) ?? '')}" autocomplete="off"></label>`,
  );
  const text = lines ?? JSON.stringify(json ?? {}, undefined, 2);
  const bodyField = takesBody(method)
    ? `<label>${body === 'lines' ? 'Lines' : 'JSON'}<textarea name=" body" rows="${Math.min(16, text.split('\n').length + 1)}" spellcheck="false">${escaped(text)}</textarea></label>`
    : '';
  const key = credentials.apiKey
    ? '<label>or API key<input name=" key" type="password" autocomplete="off"></label>'
    : '';
  const warning =
    method === 'GET' ? '' : '<p>This really calls this server, and does what the call does.</p>';
  return `<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${escaped(path)}">${warning}
<fieldset><legend>Sign in</legend><label>User name<input name=" username" autocomplete="username"></label>
<label>Password<input name=" password" type="password" autocomplete="current-password"></label>${key}</fieldset>
<fieldset><legend>${method} <code>${escaped(path)}</code></legend>${fields.join('')}${bodyField}</fieldset>
<button type="submit">Call</button>
<output aria-live="polite"></output></form></details>`;
}

function errorsHtml(codes: readonly ErrorCode[], toHtml: ToHtml): string {
  if (codes.length === 0) return '';
  const rows = codes.map((one) => {
    const { status, meaning } = catalogue[one];
    return `| [\`${one}\`](errors.md#${one}) | ${status} ${STATUS_CODES[status]} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  const text = ['## Errors', '', '| code | status | meaning |', '| --- | --- | --- |', ...rows, '', ''];
  return toHtml(`${text.join('\n')}Besides, [errors that any call can give](errors.md).`);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

type ToHtml = (markdown: string) => string;

/** `places`: where a heading of the API reference is on this site. */
function htmlWriter(places: ReadonlyMap<string, string>): ToHtml {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = placeOf(href, places);
        return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
      },
      // No page here shows a picture; the text of one says what it shows.
      image: ({ text }) => escaped(text),
      code: ({ text }) => `${code(text)}\n`,
      table({ header, rows }) {
        const cell = (tag: string, { tokens }: (typeof header)[number]) =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        const lines = rows.map((cells) => `<tr>${cells.map((one) => cell('td', one)).join('')}</tr>`);
        const head = header.map((one) => cell('th', one)).join('');
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${lines.join('')}</tbody></table></div>\n`;
      },
    },
  });
  return (markdown) => marked.parse(markdown, { async: false });
}

/** Each heading of the API reference, by its anchor: a call has its own page, a section is at the first of its calls. */
function placesOf<Caller>(endpoints: readonly Endpoint<Caller>[]): ReadonlyMap<string, string> {
  const headings = [...apiIntroduction().matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  );
  const sections = sectionsOf(endpoints);
  const pageOfCall = (endpoint: Endpoint<Caller> | undefined) =>
    endpoint === undefined ? './' : `./${callName(endpoint)}`;
  return new Map([
    ['calls', './'],
    ...sections
      .flatMap(({ members }) => members)
      .map((one) => [anchorOf(one.title), pageOfCall(one)] as const),
    ...sections.map(({ heading, members }) => [anchorOf(heading), pageOfCall(members[0])] as const),
    ...headings.map((anchor) => [anchor, `./conventions#${anchor}`] as const),
  ]);
}

/** Where a link of the documents leads on the site; undefined for what the site does not have, such as sources. */
function placeOf(href: string, places: ReadonlyMap<string, string>): string | undefined {
  if (/^https?:/.test(href) || href === 'openapi.json') return href;
  const [file = '', anchor = ''] = href.split('#');
  const at = anchor === '' ? '' : `#${anchor}`;
  if (file === '') return places.get(anchor) ?? at;
  const name = /^(?:docs\/)?([\w-]+)\.md$/.exec(file)?.[1];
  if (name === 'api') return places.get(anchor) ?? './conventions';
  if (name === 'errors') return `./errors${at}`;
  return name === undefined || noGuides.includes(name) ? undefined : `./${name}${at}`;
}

/** The anchor that a heading has in the documents. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
