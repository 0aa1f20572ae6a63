/** Serves the pages at `/docs`, which the build made from the endpoint tables, and the OpenAPI document. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { builtFilesIn, sendBuiltFile } from '../answers/built-files.ts';

/** Allows only files and calls of this server, and nothing inline in a page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const documentName = 'index.html';
const notBuilt = 'This server was built without the pages of its API. Run npm run build to build them.';

/** `openApiDocument` is created on first request, because it takes a tenth of a server's start. */
export function addDocsPages(
  app: FastifyInstance,
  {
    folder,
    pathPrefix,
    openApiDocument,
  }: { readonly folder: string; readonly pathPrefix: string; readonly openApiDocument: () => object },
): void {
  const builtFiles = builtFilesIn(folder, documentName, notBuilt);
  let documentJson: string | undefined;
  const headToo = { exposeHeadRoute: true };
  app.get('/docs/openapi.json', headToo, (_request, reply) => {
    documentJson ??= JSON.stringify(openApiDocument());
    reply.type('application/json; charset=utf-8').send(documentJson);
  });
  // The pages' links are relative to this folder.
  app.get('/docs', headToo, (_request, reply) => {
    reply.redirect(`${pathPrefix}/docs/`, 308);
  });
  const answer = async (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const files = await builtFiles();
    const name = request.params['*'] || 'index';
    const file = files.get(name) ?? files.get(`${name}.html`);
    if (file === undefined) return reply.callNotFound();
    reply.header('content-security-policy', policy);
    return sendBuiltFile(request, reply, file, 'no-cache');
  };
  app.get('/docs/*', headToo, answer);
}
