/** Generates the load where wrk is missing, with Node's own client on the same number of persistent connections. */
import { Agent, request } from 'node:http';

export interface Load {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body to POST; a GET is sent if absent. */
  readonly body?: string;
  readonly seconds: number;
  readonly connections: number;
  /** True when the server is killed during the load. */
  readonly mayBreak?: boolean;
}

export async function nodeLoad({ url, headers = {}, body, seconds, connections }: Load) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  let failed = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const client = async () => {
    while (performance.now() - startedAt < seconds * 1_000) {
      const askedAt = performance.now();
      const status = await ask(agent, url, headers, body).catch(() => 0);
      if (status >= 200 && status < 300) latencies.push(performance.now() - askedAt);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const elapsedMs = performance.now() - startedAt;
  agent.destroy();
  const { user, system } = process.cpuUsage(cpuBefore);
  latencies.sort((a, b) => a - b);
  const percentile = (percent: number) =>
    latencies[Math.floor((latencies.length * percent) / 100)] ?? Number.NaN;
  return {
    answered: latencies.length,
    perSecond: latencies.length / (elapsedMs / 1_000),
    p50Ms: percentile(50),
    p99Ms: percentile(99),
    cores: (user + system) / 1_000 / elapsedMs,
    failed,
  };
}

function ask(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body ?? ''));
    const options =
      body === undefined
        ? { method: 'GET', agent, headers }
        : { method: 'POST', agent, headers: { ...headers, 'content-length': length } };
    const asking = request(url, options, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', reject);
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
