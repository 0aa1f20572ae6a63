/** Runs Prometheus Alertmanager as its users do, with Carillon as the receiver of its webhook. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';

/** Undefined where it is not installed (Debian: prometheus-alertmanager). */
export const alertmanagerVersion = (() => {
  try {
    const text = execFileSync('sh', ['-c', 'prometheus-alertmanager --version 2>&1'], { encoding: 'utf8' });
    return /version ([0-9.]+)/.exec(text)?.[1] ?? 'of an unknown version';
  } catch {
    return undefined;
  }
})();

interface AlertmanagerOptions {
  /** Where its webhook posts, and the Bearer token for it. */
  readonly url: string;
  readonly token?: string;
  /** Its own port; any free one by default. */
  readonly port?: number;
}

/** JSON is YAML too. */
function configurationOf({ url, token }: AlertmanagerOptions): string {
  const authorization = token === undefined ? {} : { authorization: { credentials: token } };
  return JSON.stringify({
    route: {
      receiver: 'carillon',
      group_by: ['alertname'],
      group_wait: '1s',
      group_interval: '1s',
      repeat_interval: '1h',
    },
    receivers: [
      {
        name: 'carillon',
        webhook_configs: [{ url, send_resolved: true, http_config: authorization }],
      },
    ],
  });
}

export interface Silence {
  readonly id: string;
  readonly comment: string;
  readonly createdBy: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
  readonly matchers: readonly object[];
}

export class Alertmanager {
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'carillon-alertmanager-'));
  readonly #child: ChildProcess;

  private constructor(port: number, options: AlertmanagerOptions) {
    this.url = `http://127.0.0.1:${port}`;
    const configuration = join(this.#folder, 'alertmanager.yml');
    writeFileSync(configuration, configurationOf(options));
    this.#child = spawn(
      'prometheus-alertmanager',
      [
        `--config.file=${configuration}`,
        `--storage.path=${join(this.#folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
        '--log.level=error',
      ],
      { stdio: 'ignore' },
    );
    process.once('exit', this.#abandon);
  }

  static async start(options: AlertmanagerOptions): Promise<Alertmanager> {
    const alertmanager = new Alertmanager(options.port ?? (await freePort()), options);
    await until(async () => (await alertmanager.#get('/-/ready'))?.ok === true);
    return alertmanager;
  }

  /** As Prometheus posts alerts; one without an end fires. */
  async post(...alerts: readonly object[]): Promise<void> {
    const answer = await fetch(`${this.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  async silences(): Promise<readonly Silence[]> {
    return (await (await this.#get('/api/v2/silences'))?.json()) as Silence[];
  }

  /** How many of its alerts are silenced. */
  async silenced(): Promise<number> {
    const answer = await this.#get('/api/v2/alerts?active=false&inhibited=false&unprocessed=false');
    const alerts = (await answer?.json()) as readonly unknown[] | undefined;
    return alerts?.length ?? 0;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGKILL');
      await ended;
    }
    process.off('exit', this.#abandon);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #get(path: string): Promise<Response | undefined> {
    return fetch(this.url + path).catch(() => undefined);
  }

  readonly #abandon = () => {
    this.#child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
