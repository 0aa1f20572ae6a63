/** Builds the pages of the portal into `dist/pages`, or serves them while they are worked on, beside a server on port 8080. */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = process.env.CARILLON_URL ?? 'http://127.0.0.1:8080';

/** Says of which files the pages are made, for the notices of their licences (`scripts/third-party.mjs`). */
const listsModules: Plugin = {
  name: 'lists-modules',
  generateBundle(_, output) {
    const modules = Object.values(output).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    this.emitFile({ type: 'asset', fileName: 'modules.json', source: JSON.stringify(modules) });
  },
};

const root = fileURLToPath(new URL('.', import.meta.url));

/** Of a class, as short as it can be told from those of other sheets: pages carry the names of all that they use. */
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
    // `light-dark()` in the colours, which all of these know.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    emptyOutDir: true,
    // A policy that allows no `data:` in scripts, and files that are hashed.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Says in each build that the plug-ins take most of it, which is so.
      checks: { pluginTimings: false },
      // Each in one piece: cut by which page uses what of it, the router's many small files weigh 3 kB more, the frame's 2.4.
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
  // Under whatever prefix the server has: what scripts and styles load lies beside them.
  experimental: {
    renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  server: { proxy: { '/api': server, '/portal/api': server } },
});
