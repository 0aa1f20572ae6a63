/** Serves the portal's files, and one document for all its pages, which the page's scripts distinguish. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BuiltFiles, builtFilesIn, isFileName, sendBuiltFile } from '../http/answers/built-files.ts';
import { escapeHtml } from '../wire/escape-html.ts';
import type { ShownProvider } from './provider-pages.ts';

const documentName = 'index.html';
/** The build names files in this folder by their content, so an existing file never changes. */
const hashedFolder = 'assets/';
const notBuilt = 'This server was built without the portal. Run npm run build to build it.';

export function addPortalPages(
  app: FastifyInstance,
  {
    folder,
    pathPrefix,
    providers,
  }: {
    readonly folder: string;
    readonly pathPrefix: string;
    /** Identity providers that the sign-in page offers to everybody. */
    readonly providers: () => Promise<readonly ShownProvider[]>;
  },
): void {
  const builtFiles = builtFilesIn(folder, documentName, notBuilt);
  const answer = async (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const files = await builtFiles();
    const name = request.params['*'] ?? '';
    const file = files.get(name);
    if (file !== undefined && name !== documentName) {
      const isHashed = name.startsWith(hashedFolder);
      return sendBuiltFile(
        request,
        reply,
        file,
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    }
    // A request for a script of an earlier build is answered as not found rather than with the page.
    if (
      name.startsWith('api/') ||
      name.startsWith(hashedFolder) ||
      (isFileName(name) && name !== documentName)
    )
      return reply.callNotFound();
    return sendDocument(reply, files, pathPrefix, await providers());
  };
  const headToo = { exposeHeadRoute: true };
  app.get('/portal', headToo, answer);
  app.get('/portal/*', headToo, answer);
}

function sendDocument(
  reply: FastifyReply,
  files: BuiltFiles,
  pathPrefix: string,
  providers: readonly ShownProvider[],
): FastifyReply {
  const document = files.get(documentName)?.bytes.toString() ?? '';
  const html = document
    .replaceAll('"/portal/', `"${pathPrefix}/portal/`)
    .replace('name="sign-in-providers" content=""', () => {
      const content = providers.length === 0 ? '' : escapeHtml(JSON.stringify(providers));
      return `name="sign-in-providers" content="${content}"`;
    });
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
