/**
 * Builds the pages of the portal into `dist/pages`, or serves them during development, beside a server on port 8080.
 */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = process.env.CARILLON_URL ?? 'http://127.0.0.1:8080';

/** Lists the files that the pages are made of, for the notices of their licences (`scripts/third-party.mjs`). */
const listsModules: Plugin = {
  name: 'lists-modules',
  generateBundle(_, output) {
    const modules = Object.values(output).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    this.emitFile({ type: 'asset', fileName: 'modules.json', source: JSON.stringify(modules) });
  },
};

const root = fileURLToPath(new URL('.', import.meta.url));

/** Names a class as briefly as the names in other sheets allow: pages carry the names of all classes that they use. */
function classOf(name: string, sheet: string): string {
  const hash = createHash('sha256').update(relative(root, sheet)).digest('base64url');
  return `${name}-${hash.slice(0, 4)}`;
}

export default defineConfig({
  root,
  base: '/portal/',
  plugins: [react(), listsModules],
  publicDir: false,
  css: { modules: { generateScopedName: classOf } },
  build: {
    outDir: fileURLToPath(new URL('../dist/pages', import.meta.url)),
    // All of these browsers support `light-dark()`, which the colours use.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    emptyOutDir: true,
    // The policy of the pages allows no `data:` in scripts, and files are hashed.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // This check says in each build that the plug-ins take most of the time, which is true.
      checks: { pluginTimings: false },
      // The router and the frame are each kept in one piece: if their many small files were split by the pages that use
      // them, the router's would weigh 3 kB more, and the frame's 2.4 kB.
      output: {
        codeSplitting: {
          groups: [
            { name: 'router', test: '@tanstack/react-router' },
            { name: 'frame', test: /portal.src.(app.shell|session.session-gate|design.(tokens|base))\./ },
          ],
        },
      },
    },
  },
  // Scripts and styles load files by relative paths, so the pages work under any path prefix of the server.
  experimental: {
    renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  server: { proxy: { '/api': server, '/portal/api': server } },
});
