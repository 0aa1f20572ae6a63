/** Tests what a command tells a user of the machine other than the user that runs the server. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Control, openControl } from '../src/app/control.ts';
import { program } from './harness/program.ts';

const example = 'docs/examples/provisioning.yaml';
/** As root, who may read everything, the test runs commands as another user; otherwise it sets the data folder's mode to 0. */
const another = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const closed = 'uid' in another ? 0o700 : 0;
const isAble =
  process.platform !== 'win32' &&
  spawnSync(process.execPath, [program(), '--version'], { ...another, cwd: tmpdir() }).status === 0;

describe.skipIf(!isAble)('another user of the machine', () => {
  let folder = '';
  let data = '';
  let control: Control | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-another-'));
    data = join(folder, 'data');
    copyFileSync(example, join(folder, 'a.yaml'));
    for (const path of [folder, join(folder, 'a.yaml')]) chmodSync(path, 0o755);
    expect(await run({}, 'apply', join(folder, 'a.yaml'))).toMatchObject({ exitCode: 0, stderr: '' });
    const log = { warn: () => undefined, info: () => undefined };
    control = await openControl(data, { commands: {}, api: (_, response) => response.end() }, log);
  });
  afterAll(async () => {
    chmodSync(data, 0o700);
    await control?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function run(who: typeof another, ...parameters: readonly string[]) {
    const env = { PATH: process.env.PATH, CARILLON_DATA: data };
    const child = spawn(process.execPath, [program(), ...parameters], { env, cwd: tmpdir(), ...who });
    const written = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk) => {
        written[name] += String(chunk);
      });
    return new Promise<typeof written & { readonly exitCode: number | null }>((resolve) => {
      child.once('close', (exitCode) => resolve({ exitCode, ...written }));
    });
  }

  /** Each command reads a different file of the folder first. */
  const commands = {
    'carillon.db': ['keys', 'list', 'alice'],
    secret: ['apply', '../a.yaml'],
    'control.sock': ['simulate', 'incoming', '--to', '46731230001', '--from', '46701740699', '--text', 'Hi'],
  };

  async function expectRefusals(): Promise<void> {
    for (const [file, [command = '', ...others]] of Object.entries(commands)) {
      const parameters = others.map((one) => (one === '../a.yaml' ? join(folder, 'a.yaml') : one));
      const sentence = `${join(data, file)} cannot be read by this user: `;
      expect(await run(another, command, ...parameters), file).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^${sentence}[^\\n]*\\n$`)),
      });
    }
  }

  test('[RUN-3] A command of another system user says which file that user may not read if the folder is closed', async () => {
    chmodSync(data, closed);
    await expectRefusals();
  });

  test('[RUN-3] A command of another system user says which file that user may not read if only the files are closed', async () => {
    chmodSync(data, 0o755);
    const mode = 'uid' in another ? 0o600 : 0;
    for (const file of Object.keys(commands)) chmodSync(join(data, file), mode);
    await expectRefusals();
  });
});
