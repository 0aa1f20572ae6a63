/**
 * Serves the portal's files, and one document for all its pages, which the page's scripts distinguish. The document, and what
 * it loads, is built for each language (decision 93).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Language, preferredLanguage } from '../foundation/language.ts';
import { builtFilesIn, isFileName, sendBuiltFile } from '../http/answers/built-files.ts';
import { escapeHtml } from '../wire/escape-html.ts';
import { languageInCookies } from '../wire/language-cookies.ts';
import type { ShownProvider } from './provider-pages.ts';

const documentName = (language: Language) => `index.${language}.html`;
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
  const builtFiles = builtFilesIn(folder, documentName('en'), notBuilt);
  const answer = async (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const files = await builtFiles();
    const name = request.params['*'] ?? '';
    const file = files.get(name);
    const isDocument = name.endsWith('.html');
    if (file !== undefined && !isDocument) {
      const isHashed = name.startsWith(hashedFolder);
      return sendBuiltFile(
        request,
        reply,
        file,
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    }
    // A request for a script of an earlier build is answered as not found rather than with the page.
    if (name.startsWith('api/') || name.startsWith(hashedFolder) || (isFileName(name) && !isDocument))
      return reply.callNotFound();
    const html = files.get(documentName(languageFor(request)))?.bytes.toString() ?? '';
    return sendDocument(reply, html, pathPrefix, await providers());
  };
  const headToo = { exposeHeadRoute: true };
  app.get('/portal', headToo, answer);
  app.get('/portal/*', headToo, answer);
}

/** What the page asked for by its cookies, otherwise what the browser asks for. */
function languageFor({ headers }: FastifyRequest): Language {
  return languageInCookies(headers.cookie ?? '') ?? preferredLanguage(headers['accept-language']);
}

function sendDocument(
  reply: FastifyReply,
  document: string,
  pathPrefix: string,
  providers: readonly ShownProvider[],
): FastifyReply {
  const html = document
    .replaceAll('"/portal/', `"${pathPrefix}/portal/`)
    .replace('name="sign-in-providers" content=""', () => {
      const content = providers.length === 0 ? '' : escapeHtml(JSON.stringify(providers));
      return `name="sign-in-providers" content="${content}"`;
    });
  return reply
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .header('vary', 'accept-language, cookie')
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
