/** Starts the relay of `mail-sink.ts` as a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface MailSink {
  readonly child: ChildProcess;
  readonly port: number;
  /** The number of e-mails accepted so far. */
  count(): Promise<number>;
}

export async function startMailSink(): Promise<MailSink> {
  const child = fork(fileURLToPath(new URL('./mail-sink.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    child,
    port,
    async count() {
      child.send('count');
      const [count] = (await once(child, 'message')) as [number];
      return count;
    },
  };
}
