/** The page at `/docs`: the OpenAPI document to read and to try, without anything from another server. */
import type { FastifyInstance } from 'fastify';
import { docsDocument } from './document.ts';
import { addDocsFiles } from './files.ts';
import { docsScript } from './script.ts';

/** Swagger UI sets style attributes; no script but the two files of this server runs. */
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

/** `openApiDocument` is made when somebody first asks for it: it takes a tenth of a server's start. */
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
