/** The page at `/`: says what this server is and leads to the documentation of its API. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

const style = `
:root { color-scheme: light dark; --ink: #1c2733; --soft: #5b6b7b; --paper: #fbfaf7; --line: #e3dfd5; --bronze: #9a6a1f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ece8df; --soft: #a3adb8; --paper: #14191f; --line: #2b333c; --bronze: #d9a55a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 2rem; background: var(--paper);
  color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-width: 34rem; }
h1 { margin: 0; font: 600 2.75rem/1.1 Georgia, 'Times New Roman', serif; letter-spacing: -0.01em; }
h1::after { content: ''; display: block; width: 3.5rem; height: 3px; margin: 1.25rem 0; background: var(--bronze); }
p { margin: 0 0 1.25rem; }
.soft { color: var(--soft); font-size: 0.9375rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 2rem 0; padding: 0; }
a { color: var(--bronze); text-underline-offset: 0.2em; }
nav a { padding: 0.6rem 1.1rem; border: 1px solid var(--line); border-radius: 0.5rem; text-decoration: none; }
nav a:first-child { background: var(--bronze); border-color: var(--bronze); color: var(--paper); font-weight: 600; }
a:focus-visible { outline: 3px solid var(--bronze); outline-offset: 3px; }
`;

function page(pathPrefix: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carillon</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Carillon</h1>
<p>This server sends and receives SMS, and tells at any time what became of each one.</p>
<p class="soft">Programs speak to it over HTTP. The documentation shows every call, and lets you try it.</p>
<nav>
<a href="${pathPrefix}/docs">API documentation</a>
<a href="${pathPrefix}/docs/openapi.json">OpenAPI document</a>
</nav>
</main>
</body>
</html>
`;
}

export function addHomePage(app: FastifyInstance, pathPrefix: string): void {
  const html = page(pathPrefix);
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  app.get('/', { exposeHeadRoute: true }, (_request, reply) => {
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html);
  });
}
