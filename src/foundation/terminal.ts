/**
 * The only way to write to the terminal: what others have named or written reaches it as text only, so that nothing in it
 * moves, colours, hides or reorders.
 */
import { inspect } from 'node:util';

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

/**
 * Controls, with all that begins an escape sequence; what sets the direction of writing, or is not seen; ends of lines
 * and paragraphs; halves of surrogate pairs. Joiners (U+200C, U+200D) belong to scripts and emoji.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

/** On one line; what is no text is shown by its number, as in JSON. */
export function printable(text: string): string {
  return text.replace(unprintable, escapeUnits);
}

/** In quotes, where a text may have spaces at its ends, or nothing in it. */
export function quotedPrintable(text: string): string {
  return printable(JSON.stringify(text));
}

/** JSON that says the same. */
export function printableJson(value: unknown, indent?: number): string {
  // Line feeds that are left stand between values.
  return JSON.stringify(value, null, indent).replace(unprintable, (found) =>
    found === '\n' ? found : escapeUnits(found),
  );
}

function escapeUnits(found: string): string {
  const units = Array.from({ length: found.length }, (_, index) => found.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
