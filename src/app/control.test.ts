import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { type RequestListener, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awakeMs, pause } from '../../test/harness/awake.ts';
import { ServiceError, StartError } from '../foundation/errors.ts';
import { type Control, command, openControl } from './control.ts';

const log = { warn: () => undefined, info: () => undefined };
const api: RequestListener = ({ url }, response) => response.end(url);

describe('the operator’s socket', () => {
  let folder: string;
  let socket: string;
  const open: Control[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-control-'));
    socket = join(folder, 'control.sock');
  });
  afterEach(async () => {
    for (const control of open.splice(0)) await control.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string): Promise<Control> {
    const control = await openControl(folder, { commands: { name: async () => ({ name }) }, api }, log);
    open.push(control);
    return control;
  }

  async function end(control: Control | undefined): Promise<void> {
    if (control === undefined) return;
    open.splice(open.indexOf(control), 1);
    await control.close();
  }

  const ask = async () => (await command(folder, 'name', null)).name;

  async function answererAfterTakeover(): Promise<unknown> {
    const deadline = awakeMs() + 20_000;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (awakeMs() > deadline) throw error;
      }
      await pause(50);
    }
  }

  test('[RUN-4] The operator’s socket is open to its owner only, names its process, and is removed with the server', async () => {
    const control = await start('a');
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(await command(folder, 'name', null)).toEqual({ name: 'a', processId: process.pid });
    await end(control);
    expect(existsSync(socket)).toBe(false);
    await expect(ask()).rejects.toThrow(
      /^No Carillon server accepts commands at .*control\.sock\. .*CARILLON_DATA/,
    );
  });

  test('[RUN-4] The operator’s socket passes on why a command was refused', async () => {
    const refuse = async () => {
      throw new ServiceError('not_found', 'There is no simulator.');
    };
    open.push(await openControl(folder, { commands: { refuse }, api }, log));
    await expect(command(folder, 'refuse', null)).rejects.toThrow('There is no simulator.');
    await expect(command(folder, 'dance', null)).rejects.toThrow(
      'The server does not know the command dance.',
    );
  });

  test('[RUN-4] When the operator’s socket breaks, the error says that the command may have been carried out', async () => {
    const server = createServer((connection) => connection.once('data', () => connection.destroy()));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const asked = ask();
    await expect(asked).rejects.toBeInstanceOf(StartError);
    await expect(asked).rejects.toThrow(/control\.sock broke: .* may still have been carried out\.$/);
    await new Promise((resolve) => server.close(resolve));
  });

  test('[RUN-4] The operator’s socket passes API calls on, whatever their URL', async () => {
    await start('a');
    const path = '/api/v1/messages?q=a/b';
    const answered = await new Promise<string>((resolve, reject) => {
      const asked = request({ socketPath: socket, path }, (answer) => text(answer).then(resolve, reject));
      asked.on('error', reject).end();
    });
    expect(answered).toBe(path);
  });

  test('[RUN-2] The operator’s socket stays with the first server on a data folder and passes to another when that server ends', async () => {
    const first = await start('first');
    const second = await start('second');
    await pause(1_500);
    expect(await ask()).toBe('first');
    await end(first);
    expect(await answererAfterTakeover()).toBe('second');
    await start('third');
    expect(await ask()).toBe('second');
    await end(second);
    expect(await answererAfterTakeover()).toBe('third');
  });

  test('[RUN-2] Of many servers started at the same time, one holds the operator’s socket, whichever of the others end', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const controls = await Promise.all(names.map(start));
    const holder = await ask();
    for (const [index, control] of controls.entries()) if (names[index] !== holder) await end(control);
    expect(await ask()).toBe(holder);
    expect(open).toHaveLength(1);
  });

  test('[RUN-2] A server that waits for the operator’s socket can end without harm to the one that holds it', async () => {
    await start('first');
    for (const name of ['second', 'third']) await end(await start(name));
    expect(existsSync(socket)).toBe(true);
    expect(await ask()).toBe('first');
  });

  test('[DLV-6] An operator’s socket left behind by a killed process is replaced', async () => {
    const program = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
    expect(() => execFileSync(process.execPath, ['-e', program], { stdio: 'ignore' })).toThrow();
    expect(existsSync(socket)).toBe(true);
    await start('next');
    expect(await ask()).toBe('next');
  });
});
