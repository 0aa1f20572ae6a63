/** What the lockfile must say although no package manager writes it on its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './sources.ts';

interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly os?: string;
  readonly libc?: readonly string[];
  readonly optional?: boolean;
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const broughtNodes = Object.entries(lock.packages).filter(([path]) =>
  /^node_modules\/node-(?:linux|darwin)-/.test(path),
);

test('[RUN-1] The bundled Node is passed over if it cannot run: on Linux it needs glibc', () => {
  expect(broughtNodes.length).toBeGreaterThan(1);
  for (const [path, { version, os, libc, optional }] of broughtNodes) {
    expect([path, optional]).toEqual([path, true]);
    expect(version).toMatch(/^24\./);
    if (os === 'linux') expect([path, libc]).toEqual([path, ['glibc']]);
  }
});

test('The lockfile names no host, so that an install uses the registry of its own settings', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

test('[RUN-1] An install without the lockfile brings the same packages as with the lockfile, since all are named by version', () => {
  const { '': own, ...locked } = lock.packages;
  const isVersion = (wanted: string | undefined) => /^\d+\.\d+\.\d+$/.test(wanted ?? '');
  const named = { ...own?.dependencies, ...own?.optionalDependencies };
  expect(Object.values(named).filter((wanted) => !isVersion(wanted))).toEqual([]);
  for (const [path, { dev, dependencies = {}, optionalDependencies = {} }] of Object.entries(locked)) {
    if (dev === true) continue;
    // Whatever a package requests by range, Carillon also requests by exact version.
    for (const [name, wanted] of Object.entries({ ...dependencies, ...optionalDependencies }))
      expect([path, name, isVersion(wanted) || isVersion(named[name])]).toEqual([path, name, true]);
  }
});

test('The package mailauth uses the nodemailer, undici and tldts of Carillon, because the versions that it asks for have known faults', () => {
  const own = ['nodemailer', 'undici', 'tldts'].map((name) => `node_modules/mailauth/node_modules/${name}`);
  expect(own.filter((path) => lock.packages[path] !== undefined)).toEqual([]);
});
