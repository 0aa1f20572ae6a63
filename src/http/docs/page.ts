/** The page at `/docs`, for reading and trying the OpenAPI document without anything from another server. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { securitySchemes } from './openapi-security.ts';

/** Swagger UI sets style attributes; no script runs except this server's two files. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function page(root: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carillon API</title>
<link rel="icon" type="image/png" href="${root}/favicon-32x32.png">
<link rel="stylesheet" href="${root}/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${root}/swagger-ui-bundle.js"></script>
<script src="${root}/start.js"></script>
</body>
</html>
`;
}

/** `openApiDocument` is created on first request, because it takes a tenth of a server's start. */
export function addDocsPage(app: FastifyInstance, pathPrefix: string, openApiDocument: () => object): void {
  const root = `${pathPrefix}/docs`;
  const html = page(root);
  const documentJson = madeOnce(() => JSON.stringify(openApiDocument()));
  const pageJson = madeOnce(() => JSON.stringify(docsDocument(openApiDocument())));
  const script = docsScript({ pathPrefix, documentUrl: `${root}/page.json` });
  const headToo = { exposeHeadRoute: true };
  app.get('/docs', headToo, (_request, reply) => {
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html);
  });
  app.get('/docs/', headToo, (_request, reply) => {
    reply.redirect(root, 308);
  });
  app.get('/docs/openapi.json', headToo, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(documentJson());
  });
  app.get('/docs/page.json', headToo, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(pageJson());
  });
  app.get('/docs/start.js', headToo, (_request, reply) => {
    reply.type('text/javascript; charset=utf-8').send(script);
  });
  addDocsFiles(app);
}

function madeOnce(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/*
 * Page behaviour beyond Swagger UI: a login is tried before it counts, and only one login is active at a time, since a
 * call with two logins is refused (API: authentication). The browser itself never asks for a password: if the page sent
 * what the browser has stored for this server, a 401 would open the browser's own dialog.
 */

/** This call requests and changes nothing and is open to any account, so 401 means that the credentials are wrong. */
const trialCall = '/restsms/svcrest/status?I=0&R=F';

interface DocsScript {
  /** Precedes every path of the API; empty for none. */
  readonly pathPrefix: string;
  /** The URL of the document shown on the page. */
  readonly documentUrl: string;
}

function docsScript({ pathPrefix, documentUrl }: DocsScript): string {
  return `const trialCall = ${JSON.stringify(pathPrefix + trialCall)};
${trial}
${plugins}
SwaggerUIBundle({
  url: ${JSON.stringify(documentUrl)},
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [oneLogin, withoutAddress],
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
});
`;
}

const trial = `const text = (value) => (typeof value === 'string' ? value : '');

function headersOf(scheme, value) {
  if (scheme === 'apiKeyHeader') return text(value) === '' ? undefined : { 'X-API-Key': value };
  const { username, password } = value || {};
  if (text(username) === '' || text(password) === '') return undefined;
  const octets = new TextEncoder().encode(username + ':' + password);
  return { Authorization: 'Basic ' + btoa(String.fromCharCode(...octets)) };
}

/** The reason why the server rejects these credentials; undefined if it accepts them. */
async function faultOf(scheme, value) {
  try {
    const headers = headersOf(scheme, value);
    if (headers === undefined)
      return scheme === 'basic' ? 'Enter a user name and a password.' : 'Enter an API key.';
    const answer = await fetch(trialCall, { headers, credentials: 'omit' });
    if (answer.ok || answer.status === 403) return undefined;
    return (await answer.json()).error;
  } catch (error) {
    return 'The server could not be reached: ' + error.message;
  }
}
`;

const plugins = `/** Of the document that the page shows, which is not the one for programs. */
const withoutAddress = { wrapComponents: { InfoUrl: () => () => null } };

const oneLogin = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize, system) => async (given) => {
          system.errActions.clear({ source: 'login' });
          for (const [scheme, login] of Object.entries(given)) {
            const fault = await faultOf(scheme, login && login.value);
            if (fault !== undefined) {
              system.errActions.newAuthErr({ authId: scheme, source: 'login', level: 'refused', message: fault });
              return;
            }
            const others = Object.keys(system.authSelectors.authorized().toJS()).filter((other) => other !== scheme);
            if (others.length > 0) system.authActions.logout(others);
            authorize({ [scheme]: login });
          }
        },
      },
    },
  },
};
`;

interface Operation {
  /** Absent if it equals the document's default. */
  readonly security?: readonly object[];
}

interface OpenApiDocument {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly security: readonly object[];
  readonly components: object;
}

const { basic, apiKeyHeader } = securitySchemes;
const shown = { basic, apiKeyHeader };

const firstSteps = `**To try it**: log in with **Authorize**, open a call, press *Try it out* and *Execute*. The values filled in are for the demo company of the first start: send first, then read. To have an SMS arrive at its number, run \`carillon simulate incoming --to 46701740605 --from 46701740699 --text "Hi there"\`.

[The whole document](docs/openapi.json) is for programs: clients can be generated from it.`;

/**
 * The document as shown on the page: with the two logins that people type, one of which every call accepts. The other
 * methods are for programs. With a form for each, a user could fill in several, and a call with more than one is refused.
 */
function docsDocument(document: object): object {
  const { info, paths, security, components, ...rest } = document as OpenApiDocument;
  return {
    ...rest,
    security: security.filter(isShown),
    info: { ...info, description: `${info.description}\n\n${firstSteps}` },
    paths: mapped(paths, (operations) =>
      mapped(operations, (operation) =>
        operation.security === undefined
          ? operation
          : { ...operation, security: operation.security.filter(isShown) },
      ),
    ),
    components: { ...components, securitySchemes: shown },
  };
}

/** The empty requirement, which represents credentials in a body, would make a call look open to all. */
function isShown(requirement: object): boolean {
  const names = Object.keys(requirement);
  return names.length > 0 && names.every((name) => name in shown);
}

function mapped<Value, Made>(
  record: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value)]));
}

/** The media type of each file of Swagger UI. `scripts/bundle.mjs` copies the same three files beside the program. */
const typeOf = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

interface DocsFile {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Each file has its own route, so no request input ever becomes part of a file path. */
function addDocsFiles(app: FastifyInstance): void {
  const folder = docsFolder();
  for (const [name, type] of Object.entries(typeOf)) {
    const file = readOnce(join(folder, name));
    app.get(`/docs/${name}`, { exposeHeadRoute: true }, async (request, reply) =>
      send(request, reply, type, await file()),
    );
  }
}

/** The build has its own copy; a program run from source uses npm's. */
function docsFolder(): string {
  const built = fileURLToPath(new URL('../../swagger-ui', import.meta.url));
  if (existsSync(built)) return built;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

/** Read on first request because few servers ever show the page. The files total two megabytes. */
function readOnce(path: string): () => Promise<DocsFile> {
  let reading: Promise<DocsFile> | undefined;
  return () => {
    reading ??= readDocsFile(path).catch((error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

async function readDocsFile(path: string): Promise<DocsFile> {
  const bytes = await readFile(path);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { bytes, etag }: DocsFile,
): FastifyReply {
  reply.header('cache-control', 'public, max-age=3600').header('etag', etag);
  if (hasAlready(headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

/** RFC 9110, section 13.1.2: compared weakly, since a compressing proxy makes the tag weak. */
function hasAlready(tags: string | undefined, etag: string): boolean {
  if (tags === undefined) return false;
  return tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
