/** Starts, queries and stops the sink for the benchmarks. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuMs } from './process-usage.ts';
import type { SinkCount, SinkPorts } from './smsc-sink.ts';

const script = fileURLToPath(new URL('./smsc-sink.ts', import.meta.url));

export async function startSink(): Promise<Sink> {
  const child = fork(script, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [ports] = (await once(child, 'message')) as [SinkPorts];
  return new Sink(child, ports);
}

export class Sink {
  readonly ports: SinkPorts;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, ports: SinkPorts) {
    this.#child = child;
    this.ports = ports;
  }

  async count(): Promise<SinkCount> {
    this.#child.send('count');
    const [count] = (await once(this.#child, 'message')) as [SinkCount];
    return count;
  }

  cpuMs(): number {
    return cpuMs(this.#child.pid ?? 0);
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
