/** Runs Kannel as a peer for comparison: bearerbox and smsbox on a fresh store, with one bind to the sink. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/harness/free-port.ts';
import { pause } from './measure.ts';
import { cpuMs } from './process-usage.ts';
import type { SinkPorts } from './smsc-sink.ts';

/** The version of `bearerbox`, or undefined where Kannel is not installed. */
export function findKannel(): string | undefined {
  try {
    const text = execFileSync('sh', ['-c', 'PATH=$PATH:/usr/sbin bearerbox --version 2>&1'], {
      encoding: 'utf8',
    });
    return /version `?([0-9.]+)/.exec(text)?.[1] ?? 'of an unknown version';
  } catch {
    return undefined;
  }
}

/** Where Kannel keeps messages that are under way: in files, or only in memory. */
export const everyKannelStore = ['spool', 'memory'] as const;
export type KannelStore = (typeof everyKannelStore)[number];

export interface KannelOptions {
  readonly sink: SinkPorts;
  readonly store: KannelStore;
  /** Kannel's `max-pending-submits`. */
  readonly window: number;
}

export async function startKannel({ sink, store, window }: KannelOptions): Promise<Kannel> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-kannel-'));
  const [admin, boxes, sendsms] = [await freePort(), await freePort(), await freePort()];
  mkdirSync(join(folder, 'spool'));
  const configuration = join(folder, 'kannel.conf');
  writeFileSync(configuration, describe({ folder, admin, boxes, sendsms, sink, store, window }));
  const kannel = new Kannel(folder, sendsms, sink.http, configuration);
  try {
    await kannel.start(admin);
    return kannel;
  } catch (error) {
    await kannel.close();
    throw error;
  }
}

interface Layout extends KannelOptions {
  readonly folder: string;
  readonly admin: number;
  readonly boxes: number;
  readonly sendsms: number;
}

/** Logs panics only. `wait-ack` and similar settings keep Kannel's defaults. */
function describe({ folder, admin, boxes, sendsms, sink, store, window }: Layout): string {
  return `group = core
admin-port = ${admin}
admin-interface = 127.0.0.1
admin-password = bench
smsbox-port = ${boxes}
smsbox-interface = 127.0.0.1
box-allow-ip = 127.0.0.1
log-file = "${folder}/bearerbox.log"
log-level = 4
${store === 'spool' ? `store-type = spool\nstore-location = "${folder}/spool"` : '# Without a store, messages are kept in memory.'}
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = sink
host = 127.0.0.1
port = ${sink.smpp}
transceiver-mode = true
smsc-username = bench
smsc-password = bench
system-type = ""
max-pending-submits = ${window}

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${boxes}
sendsms-port = ${sendsms}
sendsms-interface = 127.0.0.1
log-file = "${folder}/smsbox.log"
log-level = 4
global-sender = 46731230001

group = sendsms-user
username = bench
password = bench

group = sms-service
keyword = default
text = "-"
`;
}

const readyLimitMs = 20_000;
/** Every report: accepted by the SMSC (8), delivered (1), failed (2), buffered (4), refused by the SMSC (16). */
const everyReport = 31;

export class Kannel {
  readonly url: string;
  readonly #folder: string;
  readonly #configuration: string;
  readonly #children: ChildProcess[] = [];

  constructor(folder: string, sendsms: number, callbacks: number, configuration: string) {
    this.#folder = folder;
    this.#configuration = configuration;
    process.once('exit', this.#abandon);
    const query = new URLSearchParams({
      username: 'bench',
      password: 'bench',
      to: '46701740699',
      text: 'Hello from the benchmark',
      'dlr-mask': String(everyReport),
      'dlr-url': `http://127.0.0.1:${callbacks}/%d`,
    });
    this.url = `http://127.0.0.1:${sendsms}/cgi-bin/sendsms?${query}`;
  }

  readonly #abandon = () => {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  };

  async start(admin: number): Promise<void> {
    this.#run('bearerbox');
    await this.#until(async () => (await fetch(`http://127.0.0.1:${admin}/status.txt?password=bench`)).ok);
    this.#run('smsbox');
    await this.#until(async () => {
      const status = await (await fetch(`http://127.0.0.1:${admin}/status.txt?password=bench`)).text();
      return /smsbox/.test(status) && /online/.test(status) && (await fetch(this.url)).status === 202;
    });
  }

  cpuMs(): number {
    return this.#children.reduce((sum, { pid }) => sum + cpuMs(pid ?? 0), 0);
  }

  async close(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    process.off('exit', this.#abandon);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #run(box: 'bearerbox' | 'smsbox'): void {
    const environment = { PATH: `${process.env.PATH}:/usr/sbin` };
    this.#children.push(spawn(box, ['-v', '4', this.#configuration], { stdio: 'ignore', env: environment }));
  }

  async #until(isReady: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + readyLimitMs;
    while (!(await isReady().catch(() => false))) {
      if (performance.now() > deadline) throw new Error('Kannel did not become ready');
      await pause(50);
    }
  }
}
