/** A monitoring program that tests start as its users do: from a package of the system, with files in a folder of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/awake.ts';

/** Undefined where the program is not installed. */
export function installedVersion(program: string): string | undefined {
  try {
    const text = execFileSync('sh', ['-c', `${program} --version 2>&1`], { encoding: 'utf8' });
    return /version ([0-9.]+)/.exec(text)?.[1] ?? 'of an unknown version';
  } catch {
    return undefined;
  }
}

export interface ProgramOptions {
  readonly program: string;
  /** By name; objects are written as JSON, which is YAML too. */
  readonly files: Readonly<Record<string, object>>;
  /** Where it keeps what it knows is up to the arguments: `folder` is removed at the end. */
  readonly argumentsIn: (folder: string) => readonly string[];
  readonly port: number;
}

export class StartedProgram {
  readonly url: string;
  readonly #program: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'carillon-alerts-'));
  readonly #child: ChildProcess;

  constructor({ program, files, argumentsIn, port }: ProgramOptions) {
    this.#program = program;
    this.url = `http://127.0.0.1:${port}`;
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(this.#folder, name), JSON.stringify(content));
    const listening = [`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
    this.#child = spawn(program, [...argumentsIn(this.#folder), ...listening], { stdio: 'ignore' });
    process.once('exit', this.#abandon);
  }

  async isReady(): Promise<void> {
    await until(async () => {
      if (this.#hasEnded()) throw new Error(`${this.#program} ended as it started`);
      return (await fetch(`${this.url}/-/ready`).catch(() => undefined))?.ok === true;
    });
  }

  async read(path: string): Promise<unknown> {
    const answer = await fetch(this.url + path);
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  }

  async close(): Promise<void> {
    if (!this.#hasEnded()) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGKILL');
      await ended;
    }
    process.off('exit', this.#abandon);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  readonly #abandon = () => {
    this.#child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
