/**
 * The only way to write to the terminal: names and texts from outside reach it as text only, so that they cannot move the
 * cursor or colour, hide or reorder anything.
 */
import { inspect } from 'node:util';

/** Leaves standard output to a protocol: what anything prints, packages too, goes to standard error. */
export function printOnlyErrors(): void {
  console.log = console.error;
}

/** Each argument prints as one line, whatever it contains. */
export function print(...lines: readonly string[]): void {
  console.log(lines.map(printable).join('\n'));
}

/** Prints to standard error. */
export function printError(...lines: readonly string[]): void {
  console.error(lines.map(printable).join('\n'));
}

/** Prints an error in our own code, with its stack. */
export function printFault(error: unknown): void {
  printError(...inspect(error).split('\n'));
}

export function printJson(value: unknown, indent?: number): void {
  console.log(printableJson(value, indent));
}

/** Prints output for programs: unchanged, except on a terminal. Resolves when there is room for more. */
export async function printData(text: string): Promise<void> {
  const shown = process.stdout.isTTY ? text.split(/\r?\n/).map(printable).join('\n') : text;
  if (!process.stdout.write(shown)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** On a terminal, replaces this many previous lines. */
export function reprint(before: number, lines: readonly string[]): void {
  if (before > 0 && process.stdout.isTTY) process.stdout.write(`\u001b[${before}A\u001b[0J`);
  print(...lines);
}

/** Rewrites one line of the screen; a log gets none of it. */
export function printProgress(text: string, isLast: boolean): void {
  process.stderr.write(`\r${printable(text)}${isLast ? '\n' : ''}`);
}

/** Asks on standard error, since the command's output may go to a file. */
export function prompt(question: string): void {
  process.stderr.write(question === '\n' ? question : printable(question));
}

/** A command exists for its output: if the reader stops (`carillon usage | head`), nothing is left to do. */
export function exitWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    printError(`The output cannot be written: ${error.message}.`);
    process.exit(1);
  });
  // Errors would be reported on this very stream.
  process.stderr.on('error', () => undefined);
}

/** A server does more than print, and continues whatever happens to its output. */
export function ignoreMissingReader(): void {
  process.stdout.removeAllListeners('error').on('error', () => undefined);
}

/**
 * Control characters, including all that begin an escape sequence; characters that set the writing direction or are
 * invisible; line and paragraph separators; lone surrogates. Joiners (U+200C, U+200D) are left because scripts and emoji need
 * them.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

/** Makes a text printable on one line; characters that are not text appear as numbers, as in JSON. */
export function printable(text: string): string {
  return text.replace(unprintable, escapeUnits);
}

/** Adds quotes for texts that may be empty or have spaces at their ends. */
export function quotedPrintable(text: string): string {
  return printable(JSON.stringify(text));
}

/** Equivalent JSON that is safe to print. */
export function printableJson(value: unknown, indent?: number): string {
  // The remaining line feeds are those between values.
  return JSON.stringify(value, null, indent).replace(unprintable, (found) =>
    found === '\n' ? found : escapeUnits(found),
  );
}

function escapeUnits(found: string): string {
  const units = Array.from({ length: found.length }, (_, index) => found.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
