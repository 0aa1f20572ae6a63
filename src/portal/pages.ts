/**
 * Serves the portal's pages from memory: files that were built and compressed beforehand, and one document for all paths,
 * which the page's scripts distinguish. A path is looked up exactly as received, so none leads out of the folder.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../foundation/errors.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** The compressed forms, by the name of their coding. */
  readonly coded: ReadonlyMap<string, Buffer>;
}

type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const documentName = 'index.html';
/** The build names files in this folder by their content, so an existing file never changes. */
const hashedFolder = 'assets/';

export function addPortalPages(
  app: FastifyInstance,
  { folder, pathPrefix }: { readonly folder: string; readonly pathPrefix: string },
): void {
  let reading: Promise<BuiltFiles> | undefined;
  // Not cached while there is no build, which may be made while the server runs.
  const builtFiles = () => {
    reading ??= readBuiltFiles(folder).catch((error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  const answer = async (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const files = await builtFiles();
    const name = request.params['*'] ?? '';
    const file = files.get(name);
    if (file !== undefined && name !== documentName) return sendFile(request, reply, name, file);
    // A request for a script of an earlier build is answered as not found rather than with the page.
    if (
      name.startsWith('api/') ||
      name.startsWith(hashedFolder) ||
      (extname(name) in types && name !== documentName)
    )
      return reply.callNotFound();
    return sendDocument(reply, files, pathPrefix);
  };
  const headToo = { exposeHeadRoute: true };
  app.get('/portal', headToo, answer);
  app.get('/portal/*', headToo, answer);
}

function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { type, bytes, coded }: BuiltFile,
): FastifyReply {
  const accepted = headers['accept-encoding'] ?? '';
  const coding = codings.map(([one]) => one).find((one) => coded.has(one) && accepts(accepted, one));
  reply
    .header(
      'cache-control',
      name.startsWith(hashedFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
    )
    .header('vary', 'accept-encoding')
    .type(type);
  if (coding === undefined) return reply.send(bytes);
  return reply.header('content-encoding', coding).send(coded.get(coding));
}

/** RFC 9110, section 12.5.3. A star is ignored, which costs some bytes for clients that send only a star. */
function accepts(header: string, coding: string): boolean {
  return header
    .toLowerCase()
    .split(',')
    .some((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
}

function sendDocument(reply: FastifyReply, files: BuiltFiles, pathPrefix: string): FastifyReply {
  const html = (files.get(documentName)?.bytes.toString() ?? '').replaceAll(
    '"/portal/',
    `"${pathPrefix}/portal/`,
  );
  return reply
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Allows only files of this server, and nothing inline in the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A few megabytes at most. */
async function readBuiltFiles(folder: string): Promise<BuiltFiles> {
  const bytes = new Map<string, Buffer>();
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    bytes.set(relative(folder, path).split(sep).join('/'), await readFile(path));
  }
  if (!bytes.has(documentName)) throw notBuilt();
  const files = new Map<string, BuiltFile>();
  for (const [name, own] of bytes) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const coded = codings.flatMap(([coding, ending]) => {
      const compressed = bytes.get(name + ending);
      return compressed === undefined ? [] : [[coding, compressed] as const];
    });
    files.set(name, { type, bytes: own, coded: new Map(coded) });
  }
  return files;
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notBuilt();
    throw error;
  }
}

function notBuilt(): ServiceError {
  return new ServiceError(
    'not_found',
    'This server was built without the portal. Run npm run build to build it.',
  );
}
