/**
 * The package that people install: packed as by `npm publish`, installed into an empty folder by each version of Node, and
 * run there. Requires a build; dependencies come from npm's cache or its registry.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from './harness/awake.ts';
import { startDemo } from './harness/demo.ts';
import { nodeOf, triedNodes } from './harness/other-nodes.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'carillon-package-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const megabyte = 1_000_000;
const paths = process.env.PATH?.split(delimiter) ?? [];

/** Leaves out what the npm that started the tests passes to its scripts, such as the project's folder. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|CARILLON_|VITEST)/.test(name) || /^npm_config_(?:cache|registry)$/.test(name),
  ),
);

function npm(node: string, folder: string, ...parameters: readonly string[]): void {
  const found = paths.map((path) => join(path, 'npm')).find((file) => existsSync(file));
  if (found === undefined) throw new Error('npm is not in the path');
  execFileSync(node, [realpathSync(found), ...parameters], {
    cwd: folder,
    env: { ...environment, PATH: [dirname(node), ...paths].join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Packs as if from a fresh clone, with only the files that Git has or would add. */
function pack(): string {
  const clone = join(root, 'clone');
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: project, encoding: 'utf8', maxBuffer: 64 * megabyte });
  for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(project, name))))
    cpSync(join(project, file), join(clone, file));
  symlinkSync(join(project, 'node_modules'), join(clone, 'node_modules'));
  const packed = join(root, 'packed');
  mkdirSync(packed);
  npm(process.execPath, clone, 'pack', '--silent', '--pack-destination', packed);
  const [name] = readdirSync(packed);
  if (name === undefined) throw new Error('npm has packed nothing');
  return join(packed, name);
}

const filesBelow = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' });

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

const lockAt = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Lock;

describe('the package, packed from a fresh clone', () => {
  let tarball: string;
  beforeAll(() => {
    tarball = pack();
  });

  test('[RUN-1] The npm package weighs less than 13 MB', () => {
    expect(statSync(tarball).size).toBeLessThan(13 * megabyte);
  });

  describe.each(triedNodes)('with Node %i', (major) => {
    const node = nodeOf(major);
    // The run ends with a line that names the versions that were left out.
    describe.skipIf(node === undefined && process.env.CI === undefined)('installed', () => {
      const folder = join(root, `node-${major}`);
      const installed = join(folder, 'node_modules', 'carillon');
      beforeAll(() => {
        if (node === undefined) throw new Error(`CI must not pass without Node ${major}.`);
        mkdirSync(folder);
        // Without this file, npm would install into a parent folder that has packages.
        writeFileSync(join(folder, 'package.json'), '{ "private": true }');
        const quick = ['--prefer-offline', '--no-audit', '--no-fund'];
        npm(node, folder, 'install', tarball, '--omit=dev', '--ignore-scripts', '--engine-strict', ...quick);
      });

      test('[RUN-1] The installed package has the portal, the API page and the licences of its contents, and no source maps', () => {
        const files = filesBelow(installed);
        expect(files).toEqual(
          expect.arrayContaining([
            'dist/main.js',
            ...['dist/pages/index.en.html', 'dist/pages/index.sv.html'],
            'dist/docs/index.html',
          ]),
        );
        expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
        const notices = readFileSync(join(installed, 'dist', 'THIRD-PARTY.txt'), 'utf8');
        for (const name of ['fastify', 'mailauth', 'nodemailer', 'pg', 'pino', 'react'])
          expect(notices).toMatch(new RegExp(`^-{80}\n${name} \\d.*\n\n.*\\S`, 'm'));
      });

      test('[RUN-1] The installed package brings few others, each in the version that the lockfile has', () => {
        const { packages } = lockAt(join(folder, 'node_modules', '.package-lock.json'));
        const locked = lockAt(join(project, 'package-lock.json')).packages;
        const brought = Object.entries(packages).filter(([path]) => path !== 'node_modules/carillon');
        for (const [path, { version }] of brought)
          expect([path, version]).toEqual([path, locked[path]?.version]);
        const names = brought.map(([path]) => path.replace('node_modules/', ''));
        expect(names.filter((name) => !/^(?:@node-rs|@photostructure|node-)/.test(name))).toEqual([]);
        const withMaps = filesBelow(join(folder, 'node_modules')).filter((file) => file.endsWith('.map'));
        // No source maps are installed, except for two that this package's own author ships.
        expect(withMaps.filter((file) => !file.startsWith('@photostructure/sqlite/'))).toEqual([]);
      });

      test('[RUN-1] The installed package has everything that its program loads when first needed', () => {
        const dist = join(installed, 'dist');
        const bundles = [
          'main.bundle.js',
          ...readdirSync(join(dist, 'packages')).map((name) => `packages/${name}`),
        ];
        expect(bundles.length).toBeGreaterThan(3);
        for (const bundle of bundles.map((name) => join(dist, name))) {
          const required = [
            ...readFileSync(bundle, 'utf8').matchAll(/require\("(\.\.?\/[^"]+\.(?:js|json))"\)/g),
          ];
          for (const [, file] of required)
            expect(existsSync(join(dirname(bundle), file as string)), file).toBe(true);
          if (bundle.endsWith('main.bundle.js')) expect(required.length).toBeGreaterThan(5);
          else
            execFileSync(node as string, ['--eval', `require(${JSON.stringify(bundle)})`], { stdio: 'pipe' });
        }
      });

      test.each(major < 24 ? ['brought', 'own'] : ['own'])(
        '[RUN-1] [SEND-1] The package serves by the Node that is %s: an SMS is delivered, and the portal and the API page are there',
        async (which) => {
          const demo = await startDemo({
            node: node as string,
            program: join(installed, 'bin', 'carillon.js'),
            env: which === 'own' ? { CARILLON_NODE: 'own' } : {},
          });
          const { app } = demo;
          try {
            const client = app.as(demo);
            const sms = { to: ['46701740699'], message: 'Hello from the package' };
            const { body: sent } = await client.post('/restsms/svcrest/send', sms);
            const [{ id }] = sent.accepted;
            await until(async () => {
              const { body } = await client.get('/restsms/svcrest/status', { I: id, R: 'F' });
              return body.statuses?.[0]?.status === 'DELIVERED';
            });
            for (const page of ['/portal/', '/docs']) await expectWholePage(app.baseUrl, page);
            expect(await app.stop()).toBe(0);
          } finally {
            await app.close();
          }
        },
      );
    });
  });
});

/** Loads the page with everything it refers to. */
async function expectWholePage(baseUrl: string, path: string): Promise<void> {
  const page = await fetch(baseUrl + path);
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
  expect(links.length).toBeGreaterThan(1);
  for (const link of links) {
    const file = await fetch(new URL(link, page.url));
    expect([link, file.status, (await file.arrayBuffer()).byteLength > 100]).toEqual([link, 200, true]);
  }
}
