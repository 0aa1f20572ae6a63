/**
 * Runs a command inside the test's process, which is much cheaper than starting one. A command that exits its process (as for
 * an unknown option) or listens to signals (`watch`) has to use `WholeApp.run`.
 */
import { runCommandLine, tellFault } from '../../src/command-line.ts';
import type { CommandResult } from './app.ts';

let isRunning = false;

/** Runs one command at a time, because output, exit code and environment belong to the process. */
export async function runHere(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<CommandResult> {
  if (isRunning) throw new Error('Another command is still running here.');
  isRunning = true;
  const { log, error } = console;
  const { write } = process.stdout;
  const before = process.env;
  const exitCodeBefore = process.exitCode;
  let [stdout, stderr] = ['', ''];
  try {
    process.env = { ...env };
    process.exitCode = 0;
    console.log = (text: string) => {
      stdout += `${text}\n`;
    };
    console.error = (text: string) => {
      stderr += `${text}\n`;
    };
    process.stdout.write = (chunk: string | Uint8Array) => {
      stdout += String(chunk);
      return true;
    };
    await runCommandLine(words).catch((fault: unknown) => {
      tellFault(fault);
      process.exitCode = 1;
    });
    return { exitCode: Number(process.exitCode), stdout, stderr };
  } finally {
    Object.assign(console, { log, error });
    process.stdout.write = write;
    process.env = before;
    process.exitCode = exitCodeBefore;
    isRunning = false;
  }
}
