/**
 * The files of Swagger UI that the page at `/docs` loads. Each has a route of its own: what a request says is never made
 * into the path of a file.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The media type of each file. `scripts/bundle.mjs` copies the same three files beside the program. */
const typeOf = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

interface DocsFile {
  readonly bytes: Buffer;
  readonly etag: string;
}

export function addDocsFiles(app: FastifyInstance): void {
  const folder = docsFolder();
  for (const [name, type] of Object.entries(typeOf)) {
    const file = readOnce(join(folder, name));
    app.get(`/docs/${name}`, { exposeHeadRoute: true }, async (request, reply) =>
      send(request, reply, type, await file()),
    );
  }
}

/** The build has a copy of them; a program that runs from its source takes them from where npm has put them. */
function docsFolder(): string {
  const built = fileURLToPath(new URL('../../swagger-ui', import.meta.url));
  if (existsSync(built)) return built;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

/** When it is first asked for: few servers ever show the page. Two megabytes in all. */
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

/** RFC 9110, section 13.1.2: compared weakly, since a proxy that compresses makes the tag a weak one. */
function hasAlready(tags: string | undefined, etag: string): boolean {
  if (tags === undefined) return false;
  return tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
