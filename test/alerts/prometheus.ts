/** Runs Prometheus as its users do: it watches the disk of a host, and a rule of its own says when that is almost full. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import { installedVersion, StartedProgram } from './started-program.ts';

/** Undefined where it is not installed (Debian: prometheus). */
export const prometheusVersion = installedVersion('prometheus');

/** The latest value counts even if it is old, so that a busy machine, where a scrape fails, does not resolve the alert. */
export const diskRule = {
  alert: 'DiskAlmostFull',
  expr: 'last_over_time(disk_free_ratio[1h]) < 0.1',
  labels: { severity: 'critical' },
  annotations: { summary: '{{ $labels.instance }} has {{ $value | humanizePercentage }} of its disk left' },
};

/** `disk` and `alertmanager`: host and port. */
function configurationOf(disk: string, alertmanager: string): object {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
    scrape_configs: [
      { job_name: 'disks', static_configs: [{ targets: [disk], labels: { instance: 'db1' } }] },
    ],
  };
}

export interface PrometheusAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: string;
}

export class Prometheus {
  /** Of the disk of db1. The next scrape finds it. */
  freeRatio = 0.5;
  readonly #disk: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(`disk_free_ratio ${this.freeRatio}\n`);
  });
  #program: StartedProgram | undefined;

  /** Once it has started, it knows the host and the Alertmanager: what it can tell nobody, it tells again a minute later. */
  static async start({ alertmanager }: { readonly alertmanager: string }): Promise<Prometheus> {
    const prometheus = new Prometheus();
    try {
      await prometheus.#start(new URL(alertmanager).host);
      return prometheus;
    } catch (error) {
      await prometheus.close();
      throw error;
    }
  }

  async #start(alertmanager: string): Promise<void> {
    await once(this.#disk.listen(0, '127.0.0.1'), 'listening');
    const disk = `127.0.0.1:${(this.#disk.address() as AddressInfo).port}`;
    const program = new StartedProgram({
      program: 'prometheus',
      files: {
        'prometheus.yml': configurationOf(disk, alertmanager),
        'rules.yml': { groups: [{ name: 'disks', rules: [diskRule] }] },
      },
      argumentsIn: (folder) => [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
      ],
      port: await freePort(),
    });
    this.#program = program;
    await program.isReady();
    await until(async () => (await this.#read('alertmanagers')).activeAlertmanagers.length === 1);
    await until(async () => (await this.#read('query?query=disk_free_ratio')).result.length === 1);
  }

  /** The alerts that fire by its rules. */
  async firing(): Promise<readonly PrometheusAlert[]> {
    return (await this.#read('alerts')).alerts;
  }

  async close(): Promise<void> {
    await this.#program?.close();
    this.#disk.closeAllConnections();
    this.#disk.close();
  }

  // biome-ignore lint/suspicious/noExplicitAny: what it answers is described at https://prometheus.io/docs/prometheus/latest/querying/api/
  async #read(path: string): Promise<any> {
    const answer = (await this.#program?.read(`/api/v1/${path}`)) as { readonly data: unknown };
    return answer.data;
  }
}
