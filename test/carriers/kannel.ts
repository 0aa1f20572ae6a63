/** Runs Kannel as its users do: bearerbox and smsbox as processes, bound to an SMSC, with a service that passes incoming SMS on. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';

const environment = { PATH: `${process.env.PATH}:/usr/sbin` };

/** Debian: kannel. */
export const hasKannel = (() => {
  try {
    execFileSync('sh', ['-c', 'command -v bearerbox && command -v smsbox'], {
      env: environment,
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
})();

export interface KannelOptions {
  /** The port of the SMSC, and of `sendsms`. */
  readonly smsc: number;
  readonly sendsms: number;
  /** Where incoming SMS go. */
  readonly incomingUrl: string;
  readonly login?: { readonly systemId: string; readonly password: string };
}

/** As docs/http-carriers.md describes it. */
function configurationOf(
  { smsc, sendsms, incomingUrl, login = { systemId: 'kannel', password: 'secret' } }: KannelOptions,
  folder: string,
  admin: number,
  boxes: number,
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
log-level = 1
store-type = spool
store-location = "${folder}/spool"
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

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${boxes}
sendsms-port = ${sendsms}
sendsms-interface = 127.0.0.1
log-file = "${folder}/smsbox.log"
log-level = 1
mo-recode = true
http-request-retry = 100
http-queue-delay = 1

group = sendsms-user
username = carillon
password = secret
max-messages = 255
concatenation = true

group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "${incomingUrl}?id=%I&from=%p&to=%P&text=%b"
`;
}

export class Kannel {
  readonly folder = mkdtempSync(join(tmpdir(), 'carillon-kannel-'));
  readonly #children: ChildProcess[] = [];

  static async start(options: KannelOptions): Promise<Kannel> {
    const kannel = new Kannel();
    try {
      await kannel.#start(options);
      return kannel;
    } catch (error) {
      await kannel.close();
      throw error;
    }
  }

  async #start(options: KannelOptions): Promise<void> {
    const [admin, boxes] = [await freePort(), await freePort()];
    mkdirSync(join(this.folder, 'spool'));
    const configuration = join(this.folder, 'kannel.conf');
    writeFileSync(configuration, configurationOf(options, this.folder, admin, boxes));
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
    const sendsms = `http://127.0.0.1:${options.sendsms}/cgi-bin/sendsms`;
    await until(async () => (await fetch(sendsms).catch(() => undefined))?.status === 403);
  }

  async close(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #run(box: 'bearerbox' | 'smsbox', configuration: string): void {
    this.#children.push(spawn(box, ['-v', '4', configuration], { stdio: 'ignore', env: environment }));
  }
}
