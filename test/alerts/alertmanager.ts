/** Runs Prometheus Alertmanager as its users do, with Carillon as the receiver of its webhook. */
import { freePort } from '../harness/free-port.ts';
import { installedVersion, StartedProgram } from './started-program.ts';

/** Undefined where it is not installed (Debian: prometheus-alertmanager). */
export const alertmanagerVersion = installedVersion('prometheus-alertmanager');

interface AlertmanagerOptions {
  /** Where its webhook posts, and the Bearer token for it. */
  readonly url: string;
  readonly token?: string;
  /** Its own port; any free one by default. */
  readonly port?: number;
}

function configurationOf({ url, token }: AlertmanagerOptions): object {
  const authorization = token === undefined ? {} : { authorization: { credentials: token } };
  return {
    route: {
      receiver: 'carillon',
      group_by: ['alertname'],
      group_wait: '0s',
      group_interval: '1s',
      repeat_interval: '1h',
    },
    receivers: [
      {
        name: 'carillon',
        webhook_configs: [{ url, send_resolved: true, http_config: authorization }],
      },
    ],
  };
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
  readonly #program: StartedProgram;

  private constructor(program: StartedProgram) {
    this.#program = program;
  }

  static async start(options: AlertmanagerOptions): Promise<Alertmanager> {
    const program = new StartedProgram({
      program: 'prometheus-alertmanager',
      files: { 'alertmanager.yml': configurationOf(options) },
      argumentsIn: (folder) => [
        `--config.file=${folder}/alertmanager.yml`,
        `--storage.path=${folder}/data`,
        '--cluster.listen-address=',
      ],
      port: options.port ?? (await freePort()),
    });
    await program.isReady();
    return new Alertmanager(program);
  }

  get url(): string {
    return this.#program.url;
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

  /** Those that hold. */
  async silences(): Promise<readonly Silence[]> {
    const all = (await this.#program.read('/api/v2/silences')) as readonly Silence[];
    return all.filter(({ status }) => status.state === 'active');
  }

  /** As `amtool silence expire` does. */
  async expire({ id }: Silence): Promise<void> {
    const answer = await fetch(`${this.url}/api/v2/silence/${id}`, { method: 'DELETE' });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** The names of its alerts that are silenced. */
  async silenced(): Promise<readonly string[]> {
    const alerts = await this.#program.read('/api/v2/alerts?active=false&inhibited=false&unprocessed=false');
    return (alerts as readonly { labels: { alertname: string } }[]).map(({ labels }) => labels.alertname);
  }

  close(): Promise<void> {
    return this.#program.close();
  }
}
