/** Controls the trial's SMSC: a process that is killed and restarted on the same port and file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../harness/free-port.ts';
import { SmscBook } from './smsc-book.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const script = fileURLToPath(new URL('./smsc.ts', import.meta.url));

export class SmscProcess {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'carillon-smsc-'));
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<SmscProcess> {
    const smsc = new SmscProcess(await freePort());
    await smsc.start();
    return smsc;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, ['--import', 'tsx', script, String(this.port), this.#file], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const killWithUs = () => child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));
    const ended = once(child, 'exit').then(() => {
      throw new Error('the SMSC of the trial has ended before it was ready');
    });
    await Promise.race([once(child.stdout, 'data'), ended]);
    ended.catch(() => undefined);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /**
   * Returns false if no client was bound in that time. The file grows with each submission and receipt, which need a
   * bind.
   */
  async startAndBeUsed(withinMs: number): Promise<boolean> {
    const size = () => (existsSync(this.#file) ? statSync(this.#file).size : 0);
    const before = size();
    await this.start();
    const deadline = Date.now() + withinMs;
    while (size() === before && Date.now() < deadline) await delay(10);
    return size() > before;
  }

  read(): SmscBook {
    return new SmscBook(this.#file);
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, 'book');
  }
}
