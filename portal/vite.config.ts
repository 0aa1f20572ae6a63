/**
 * Builds the pages of the portal for one language, `vite build --mode sv`, or serves them in all languages during development,
 * beside a server on port 8080.
 */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { isBuiltLanguage, oneLanguage } from './one-language.ts';

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

/** What the first screen shows, with the addresses of all pages. A test weighs that screen. */
function isOnFirstScreen(id: string): boolean {
  return (
    /node_modules.(@tanstack.(query-core|react-query)|react-dom|react|scheduler)./.test(id) ||
    /portal.src.(home|routing)./.test(id) ||
    /portal.src.([a-z-]+.routes|conversations.address|messages.filters|usage.view)\.ts$/.test(id) ||
    /portal.src.api.(client|fault|live-hints|queries)\./.test(id) ||
    /portal.src.app.(main|pages|router|shell|texts)\./.test(id) ||
    /portal.src.browser.(clock|kept|value)\./.test(id) ||
    /portal.src.session.(session|session-gate|sign-in|sign-in-frame|texts)\./.test(id) ||
    /portal.src.words.(language|numbers|times|words)\./.test(id) ||
    /portal.src.design.(base|button|dialog|empty-state|fault-text|field|icons|layout|notice|page)\./.test(
      id,
    ) ||
    /portal.src.design.(phone-number|skeleton-rows|status-badge|texts|time|toasts|tokens)\./.test(id)
  );
}

/** Rooms that are opened one after the other come in one file. */
const together: Readonly<Record<string, readonly string[]>> = {
  administration: ['audit', 'books', 'company', 'email', 'keys', 'numbers', 'opt-outs', 'users', 'webhooks'],
  frame: ['app', 'session'],
  operator: ['network', 'operator'],
  sent: ['batches', 'messages', 'scheduled', 'sendings', 'simulator', 'usage'],
  written: ['compose', 'conversations', 'people', 'sending', 'templates'],
};

/** The file of the pages that are loaded when one of them is opened. */
function fileOf(id: string): string | undefined {
  const room = /portal.src.([a-z-]+)./.exec(id)?.[1];
  if (room === undefined || room === 'api') return undefined;
  return Object.keys(together).find((name) => together[name]?.includes(room)) ?? room;
}

/** Rules that the pages share with the server do nothing by being loaded, so those that a page does not use are left out. */
const withoutUnused = { moduleSideEffects: (id: string) => !/[/\\]src[/\\](foundation|wire)[/\\]/.test(id) };

/** A rule that pages share with the server names a sentence; pages have their own words for what they find wrong. */
const withoutSentences: Plugin = {
  name: 'without-sentences',
  load: (id) =>
    /[/\\]src[/\\]foundation[/\\]sentences\.ts$/.test(id)
      ? "export const inEnglish = () => ''; export const storedReason = inEnglish;"
      : null,
};

/**
 * React comes as CommonJS, so each element of a page would be made by a property of a module, `(0, runtime.jsx)(…)`, rather than
 * by a function. Without this, the pages weigh 2 kB more. In production, `jsxs` is the same function as `jsx`.
 */
const makesElements: Plugin = {
  name: 'makes-elements',
  apply: 'build',
  enforce: 'pre',
  resolveId: (id, importer) => (id === runtime && importer !== ownRuntime ? ownRuntime : null),
  load: (id) =>
    id === ownRuntime
      ? `import { Fragment as F, jsx as j } from '${runtime}';
        export const Fragment = F, jsx = j;
        export { jsx as jsxs };`
      : null,
};
const runtime = 'react/jsx-runtime';
const ownRuntime = `\0${runtime}`;

/** Pages are built for a language, which the mode names. */
function forLanguage(command: string, mode: string): readonly Plugin[] {
  if (isBuiltLanguage(mode)) return [oneLanguage(mode)];
  if (command === 'build')
    throw new Error(`Pages are built for a language, such as --mode sv, and not for ${mode}.`);
  return [];
}

export default defineConfig(({ command, mode }) => ({
  root,
  base: '/portal/',
  plugins: [react(), listsModules, withoutSentences, makesElements, ...forLanguage(command, mode)],
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
      treeshake: withoutUnused,
      // This check says in each build that the plug-ins take most of the time, which is true.
      checks: { pluginTimings: false },
      // Small files compress badly, and a browser asks for each. So there is a file for the first screen, one for what several
      // rooms share besides, and one for each room.
      output: {
        codeSplitting: {
          groups: [
            { name: 'router', test: '@tanstack/react-router' },
            { name: 'first', test: isOnFirstScreen },
            {
              name: 'shared',
              minShareCount: 2,
              test: /portal.src.(api|browser|design|session|words).|src.wire./,
            },
            { name: (id) => fileOf(id) ?? null, test: (id) => fileOf(id) !== undefined },
          ],
        },
      },
    },
  },
  worker: { format: 'es', plugins: () => [withoutSentences], rolldownOptions: { treeshake: withoutUnused } },
  // Scripts and styles load files by relative paths, so the pages work under any path prefix of the server.
  experimental: {
    renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  server: { proxy: { '/api': server, '/portal/api': server } },
}));
