/** Reads a new password from an operator: typed twice on a terminal without echo, or from another program. */
import { StartError } from '../foundation/errors.ts';
import { prompt } from '../foundation/terminal.ts';

/** Far more than a password may have. */
const maxInputBytes = 64 * 1024;
const endOfText = '\u0004';
const interrupt = '\u0003';

export async function readNewPassword(username: string): Promise<string> {
  if (!process.stdin.isTTY) return readAll(process.stdin);
  const password = await readUnseen(process.stdin, `New password for ${username}: `);
  if ((await readUnseen(process.stdin, 'Once more: ')) !== password)
    throw new StartError('The two passwords differ. Nothing was changed.');
  return password;
}

/** Reads one line, with or without its line ending. */
export async function readAll(input: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxInputBytes) throw new StartError('The password from standard input is too long.');
    chunks.push(bytes);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new StartError('The password from standard input is not UTF-8.');
  }
  const password = text.replace(/\r?\n$/, '');
  if (/[\r\n]/.test(password))
    throw new StartError('Standard input has more than one line. Give only the password.');
  return password;
}

export interface Terminal {
  setRawMode(raw: boolean): unknown;
  setEncoding(encoding: 'utf8'): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: 'data', listener: (text: string) => void): unknown;
  off(event: 'data', listener: (text: string) => void): unknown;
}

/** Handles the editing keys of a line: delete a character, delete everything, and end the line. Ctrl-C ends the command. */
export function readUnseen(terminal: Terminal, question: string): Promise<string> {
  prompt(question);
  terminal.setEncoding('utf8');
  terminal.setRawMode(true);
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = (finish: () => void) => {
      terminal.off('data', onData);
      terminal.setRawMode(false);
      terminal.pause();
      prompt('\n');
      finish();
    };
    const onData = (text: string) => {
      for (const key of text) {
        if (key === '\r' || key === '\n' || key === endOfText) return end(() => resolve(typed.join('')));
        if (key === interrupt) return end(() => reject(new StartError('Nothing was changed.')));
        if (key === '\u007f' || key === '\b') typed.pop();
        else if (key === '\u0015') typed = [];
        else typed.push(key);
      }
    };
    terminal.on('data', onData);
    terminal.resume();
  });
}
