/** The only way to write to the terminal: values from outside are made harmless. */
import { inspect } from 'node:util';
import { printable, printableJson } from './printable.ts';

/** Each is a line, whatever stands in it. */
export function print(...lines: readonly string[]): void {
  console.log(lines.map(printable).join('\n'));
}

/** To standard error. */
export function printError(...lines: readonly string[]): void {
  console.error(lines.map(printable).join('\n'));
}

/** A fault of our own, with its stack. */
export function printFault(error: unknown): void {
  printError(...inspect(error).split('\n'));
}

export function printJson(value: unknown, indent?: number): void {
  console.log(printableJson(value, indent));
}

/** For programs: as it is, except on a terminal. Answers when there is room for more. */
export async function printData(text: string): Promise<void> {
  const shown = process.stdout.isTTY ? text.split(/\r?\n/).map(printable).join('\n') : text;
  if (!process.stdout.write(shown)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** On a terminal, in the place of so many lines before. */
export function reprint(before: number, lines: readonly string[]): void {
  if (before > 0 && process.stdout.isTTY) process.stdout.write(`\u001b[${before}A\u001b[0J`);
  print(...lines);
}

/** On one line of the screen, rewritten; a log gets none of it. */
export function printProgress(text: string, isLast: boolean): void {
  process.stderr.write(`\r${printable(text)}${isLast ? '\n' : ''}`);
}

/** A question, to standard error: what the command prints may go to a file. */
export function prompt(question: string): void {
  process.stderr.write(question === '\n' ? question : printable(question));
}

/** What a command prints is what it is for: when nobody reads on (`carillon usage | head`), nothing is left to do. */
export function exitWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    printError(`The output cannot be written: ${error.message}.`);
    process.exit(1);
  });
  // Where faults would be told.
  process.stderr.on('error', () => undefined);
}

/** A server has more to do than to print, and goes on whatever becomes of its output. */
export function ignoreMissingReader(): void {
  process.stdout.removeAllListeners('error').on('error', () => undefined);
}
