/** Runs `carillon smsc` as its users do: as a separate process, into which a test may type. */
import { spawn } from 'node:child_process';
import { program } from '../harness/program.ts';
import { until } from './carrier-recorder.ts';

export interface CarillonSmsc {
  readonly port: number;
  readonly stdout: string;
  readonly stderr: string;
  type(line: string): void;
  /** Sends Ctrl-C and returns the exit code. */
  stop(): Promise<number | null>;
  kill(): void;
}

/** Listens on a free port. */
export async function startCarillonSmsc(...parameters: readonly string[]): Promise<CarillonSmsc> {
  const child = spawn(process.execPath, [program(), 'smsc', '--port', '0', ...parameters], { stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  let exitCode: number | null | undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  child.once('close', (code) => {
    exitCode = code;
  });
  const listening = /^The SMSC listens at 127\.0\.0\.1:(\d+)\.[\s\S]*^Type /m;
  await until(() => listening.test(output.stdout) || exitCode !== undefined);
  const port = Number(listening.exec(output.stdout)?.[1]);
  if (exitCode !== undefined) throw new Error(`carillon smsc has ended with ${exitCode}: ${output.stderr}`);
  return {
    port,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    type: (line) => void child.stdin.write(`${line}\n`),
    async stop() {
      child.kill('SIGINT');
      await until(() => exitCode !== undefined);
      return exitCode ?? null;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
