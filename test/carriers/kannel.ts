/**
 * Runs Kannel as its users do, and as a peer for comparison: bearerbox and smsbox as processes on a fresh store, bound to an
 * SMSC, with a service that passes incoming SMS on.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';

const environment = { PATH: `${process.env.PATH}:/usr/sbin` };

/** Undefined where Kannel is not installed (Debian: kannel). */
export const kannelVersion = (() => {
  try {
    const text = execFileSync('sh', ['-c', 'command -v smsbox && bearerbox --version 2>&1'], {
      env: environment,
      encoding: 'utf8',
    });
    return /version `?([0-9.]+)/.exec(text)?.[1] ?? 'of an unknown version';
  } catch {
    return undefined;
  }
})();

/** Where Kannel keeps messages that are under way: in files, or only in memory. */
export const everyKannelStore = ['spool', 'memory'] as const;
export type KannelStore = (typeof everyKannelStore)[number];

export interface KannelOptions {
  /** The port of the SMSC. */
  readonly smsc: number;
  readonly login?: { readonly systemId: string; readonly password: string };
  /** Kannel's `max-pending-submits`; its default if absent. */
  readonly window?: number;
  readonly store?: KannelStore;
  /** Where incoming SMS go; by default, nowhere. */
  readonly incomingUrl?: string;
  /** Logs panics only. */
  readonly isQuiet?: boolean;
}

/** As docs/http-carriers.md describes it. `wait-ack` and similar settings keep Kannel's defaults. */
function configurationOf(
  { smsc, login = { systemId: 'kannel', password: 'secret' }, window, store, incomingUrl }: KannelOptions,
  { folder, admin, boxes, sendsms, level }: Place,
): string {
  return `
group = core
admin-port = ${admin}
admin-interface = 127.0.0.1
admin-password = carillon
smsbox-port = ${boxes}
smsbox-interface = 127.0.0.1
box-allow-ip = 127.0.0.1
log-file = "${folder}/bearerbox.log"
log-level = ${level}
${store === 'memory' ? '# Without a store, messages are kept in memory.' : `store-type = spool\nstore-location = "${folder}/spool"`}
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = operator
host = 127.0.0.1
port = ${smsc}
transceiver-mode = true
smsc-username = ${login.systemId}
smsc-password = ${login.password}
system-type = ""
${window === undefined ? '' : `max-pending-submits = ${window}`}

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${boxes}
sendsms-port = ${sendsms}
sendsms-interface = 127.0.0.1
log-file = "${folder}/smsbox.log"
log-level = ${level}
mo-recode = true
http-request-retry = 100
http-queue-delay = 1
global-sender = 46731230001

group = sendsms-user
username = carillon
password = secret
max-messages = 255
concatenation = true

group = sms-service
keyword = default
catch-all = true
max-messages = 0
${incomingUrl === undefined ? 'text = "-"' : `get-url = "${incomingUrl}?id=%I&from=%p&to=%P&text=%b"`}
`;
}

interface Place {
  readonly folder: string;
  readonly admin: number;
  readonly boxes: number;
  readonly sendsms: number;
  readonly level: number;
}

export class Kannel {
  readonly folder = mkdtempSync(join(tmpdir(), 'carillon-kannel-'));
  readonly #sendsms: number;
  readonly #children: ChildProcess[] = [];

  private constructor(sendsms: number) {
    this.#sendsms = sendsms;
    process.once('exit', this.#abandon);
  }

  static async start({
    sendsms,
    ...options
  }: KannelOptions & { readonly sendsms?: number }): Promise<Kannel> {
    const kannel = new Kannel(sendsms ?? (await freePort()));
    try {
      await kannel.#start(options);
      return kannel;
    } catch (error) {
      await kannel.close();
      throw error;
    }
  }

  /** Calls with the user of the configuration; Kannel answers 403 to others. */
  sendsmsUrl(parameters: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams({ username: 'carillon', password: 'secret', ...parameters });
    return `http://127.0.0.1:${this.#sendsms}/cgi-bin/sendsms?${query}`;
  }

  get pids(): readonly number[] {
    return this.#children.flatMap(({ pid }) => pid ?? []);
  }

  async close(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    process.off('exit', this.#abandon);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #start(options: KannelOptions): Promise<void> {
    const [admin, boxes] = [await freePort(), await freePort()];
    mkdirSync(join(this.folder, 'spool'));
    const configuration = join(this.folder, 'kannel.conf');
    const place = { folder: this.folder, sendsms: this.#sendsms, level: options.isQuiet ? 4 : 1 };
    writeFileSync(configuration, configurationOf(options, { ...place, admin, boxes }));
    const status = async () => {
      const answer = await fetch(`http://127.0.0.1:${admin}/status.txt?password=carillon`).catch(
        () => undefined,
      );
      return answer?.text();
    };
    this.#run('bearerbox', configuration);
    await until(async () => (await status())?.includes('online') === true);
    this.#run('smsbox', configuration);
    await until(async () => /smsbox:/.test((await status()) ?? ''));
    const stranger = this.sendsmsUrl({ password: '' });
    await until(async () => (await fetch(stranger).catch(() => undefined))?.status === 403);
  }

  readonly #abandon = () => {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  };

  #run(box: 'bearerbox' | 'smsbox', configuration: string): void {
    this.#children.push(spawn(box, ['-v', '4', configuration], { stdio: 'ignore', env: environment }));
  }
}
