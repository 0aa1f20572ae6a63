/** Tests that `bin/carillon.js` runs the server with the Node that was installed along with it, or with the user's own. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { until } from './harness/awake.ts';
import { program } from './harness/program.ts';

const command = join(program(), '..', '..', 'bin', 'carillon.js');
const folder = mkdtempSync(join(tmpdir(), 'carillon-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces the Node that npm itself runs on, and reports that it was called. */
const npmsNode = join(folder, 'node');
writeFileSync(npmsNode, '#!/bin/sh\necho "own: $*"\n');
chmodSync(npmsNode, 0o755);

const platform = `${process.platform}-${process.arch}`;
const brought = join(command, '..', '..', 'node_modules', `node-${platform}`, 'bin', 'node');

/**
 * Runs the command as an npm script does: with the Node that was installed along with it, which is the first in the path of
 * npm scripts.
 */
function byNpm(npmsVersion: string, env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr } = spawnSync(brought, [command, '--version'], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      npm_node_execpath: npmsNode,
      npm_config_user_agent: `npm/11.0.0 node/${npmsVersion} linux x64`,
      ...env,
    },
  });
  return { stdout, stderr };
}

/** A zombie counts as ended too, since nobody may be waiting for a process that has lost its parent. */
function hasEnded(processId: number): boolean {
  const status = `/proc/${processId}/status`;
  return !existsSync(status) || /^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}

const version = expect.stringMatching(/^\d+\.\d+\.\d+\n$/);
const own = expect.stringMatching(/^own: .*dist\/main\.js --version\n$/);

describe.skipIf(!existsSync(brought))('the Node that runs the server', () => {
  test('[RUN-1] The Node that Carillon brings runs the server if the installed one is older, without a word', () => {
    expect(byNpm('v20.19.0')).toEqual({ stdout: version, stderr: '' });
    expect(byNpm('v22.20.0')).toEqual({ stdout: version, stderr: '' });
  });

  test('[RUN-1] The installed Node runs the server if it is new enough, or if CARILLON_NODE asks for it', () => {
    expect(byNpm('v24.0.0')).toEqual({ stdout: own, stderr: '' });
    expect(byNpm('v26.1.0')).toEqual({ stdout: own, stderr: '' });
    expect(byNpm('v20.19.0', { CARILLON_NODE: 'own' })).toEqual({ stdout: own, stderr: '' });
  });

  test('[RUN-1] A command ends with the exit code and the output of the Node that was chosen to run it', () => {
    const { status, stderr } = spawnSync(process.execPath, [command, 'aply'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, "error: unknown command 'aply'\n(Did you mean apply?)\n"]);
  });

  const serve = async () => {
    const env = {
      PATH: process.env.PATH,
      CARILLON_DATA: mkdtempSync(join(folder, 'data-')),
      CARILLON_HTTP: '127.0.0.1:0',
      CARILLON_SMTP: 'off',
    };
    const starter = spawn(process.execPath, [command, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(starter, 'close');
    let processId = 0;
    createInterface(starter.stderr).on('line', (line) => {
      if (line.startsWith('{')) processId = JSON.parse(line).processId ?? processId;
    });
    // Only after this line does the server shut down cleanly on a signal; the log names its process a moment earlier.
    const lines = createInterface(starter.stdout);
    await new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        if (line.startsWith('Carillon is ready')) resolve();
      });
    });
    await until(() => processId > 0);
    return { starter, ended, processId };
  };

  test('[RUN-4] The server stops in order when the process that was started gets SIGTERM', async () => {
    const { starter, ended, processId } = await serve();
    starter.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await until(() => hasEnded(processId));
  });

  test('[RUN-4] The server does not go on serving when the process that was started is killed', async () => {
    const { starter, ended, processId } = await serve();
    starter.kill('SIGKILL');
    await ended;
    await until(() => hasEnded(processId));
  });
});
