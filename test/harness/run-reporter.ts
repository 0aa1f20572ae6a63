/**
 * Reports a run: its progress; at the end, what was skipped and how to enable it; and with `CARILLON_SLOWEST=20`, that many
 * of the files that used the most processor time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { hasBrowser } from './browser-windows.ts';
import { nodeOf, triedNodes } from './other-nodes.ts';
import { findPostgres } from './postgres.ts';

interface Extra {
  /** What is not tested without the packages. */
  readonly tests: string;
  readonly isThere: () => boolean;
  readonly packages: string;
}

/** The package is tried with each version of Node that there is. */
const ofPackage = 'test/package.test.ts';

/** What tests need on the machine besides Node, by Debian package name. */
const extras: readonly Extra[] = [
  { tests: 'PostgreSQL', isThere: () => findPostgres() !== undefined, packages: 'postgresql' },
  { tests: 'the portal in a browser', isThere: () => hasBrowser, packages: 'chromium-headless-shell' },
  {
    tests: 'mail by Postfix',
    isThere: () => existsSync('/usr/sbin/postfix') && existsSync('/usr/sbin/opendkim'),
    packages: 'postfix opendkim libsasl2-modules',
  },
  { tests: 'mail by swaks', isThere: () => isInPath('swaks'), packages: 'swaks libnet-ssleay-perl' },
  { tests: 'SMPP by Wireshark’s dissector', isThere: () => isInPath('tshark'), packages: 'tshark' },
  { tests: 'SMPP by Net::SMPP', isThere: hasNetSmpp, packages: 'libnet-smpp-perl' },
  {
    tests: 'alerts by Prometheus',
    isThere: () => isInPath('prometheus') && isInPath('prometheus-alertmanager'),
    packages: 'prometheus prometheus-alertmanager',
  },
];

function isInPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function hasNetSmpp(): boolean {
  return spawnSync('perl', ['-MNet::SMPP', '-e', '1']).status === 0;
}

/** Progress lines per run. */
const progressLines = 20;

export default class RunReporter implements Reporter {
  #vitest: Vitest | undefined;
  #files = 0;
  #ended = 0;
  #failed = 0;
  #startedAt = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    this.#startedAt = performance.now();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended += 1;
    if (!module.ok()) this.#failed += 1;
    const step = Math.ceil(this.#files / progressLines);
    if (this.#files < progressLines || this.#ended % step !== 0) return;
    const passed = Math.round(performance.now() - this.#startedAt) / 60_000;
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} of them failed`;
    this.#say(`--- ${this.#ended} of ${this.#files} test files in ${passed.toFixed(1)} min${failed}`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.#sayCosts(modules);
    if (modules.some(({ relativeModuleId }) => relativeModuleId === ofPackage)) this.#sayAbsentNodes();
    // A run of a few files needs few of these packages.
    if (this.#files < progressLines) return;
    for (const { tests, isThere, packages } of extras)
      if (!isThere()) this.#say(`Left out: tests of ${tests}. To have them too: apt-get install ${packages}`);
  }

  #sayAbsentNodes(): void {
    const absent = triedNodes.filter((major) => nodeOf(major) === undefined);
    if (absent.length === 0) return;
    const packages = absent.map((major) => `n${major}@npm:node-linux-${process.arch}@${major}`);
    this.#say(
      `Left out: tests of the package with Node ${absent.join(', ')}. To have them too: npm install --no-save --ignore-scripts --prefix FOLDER ${packages.join(' ')}, and name their folders bin in CARILLON_OLDER_NODES`,
    );
  }

  #sayCosts(modules: readonly TestModule[]): void {
    const slowest = Number(process.env.CARILLON_SLOWEST ?? 0);
    if (slowest === 0) return;
    const costs = modules.map((module) => ({
      file: `${module.project.name} ${module.relativeModuleId}`,
      processorMs: module.meta().processorMs ?? 0,
      ms: module.diagnostic().duration,
    }));
    for (const project of new Set(modules.map(({ project: { name } }) => name))) {
      const own = costs.filter(({ file }) => file.startsWith(`${project} `));
      const [processor, all] = [sum(own, 'processorMs'), sum(own, 'ms')];
      this.#say(
        `${project}: ${own.length} files, ${seconds(processor)} s of processor time, ${seconds(all)} s`,
      );
    }
    this.#say(
      `In all: ${seconds(sum(costs, 'processorMs'))} s of processor time. The dearest, with their own time:`,
    );
    costs.sort((a, b) => b.processorMs - a.processorMs);
    for (const { file, processorMs, ms } of costs.slice(0, slowest))
      this.#say(`${seconds(processorMs)} s of${seconds(ms)} s  ${file}`);
  }

  #say(line: string): void {
    this.#vitest?.logger.log(line);
  }
}

function sum<Key extends string>(all: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return all.reduce((total, one) => total + one[key], 0);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1).padStart(7);
}
