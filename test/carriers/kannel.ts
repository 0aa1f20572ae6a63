/** Kannel, as a client of an SMPP server: it takes SMS by HTTP, submits them, and reports by HTTP what becomes of them. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';

/** Whether Kannel is installed here (Debian: kannel). */
export const hasKannel = (() => {
  try {
    execFileSync('bearerbox', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Login {
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
}

export interface Kannel {
  /** The URLs called so far: `/mo` for an incoming SMS, `/dlr` for a receipt. */
  readonly heard: readonly URLSearchParams[];
  /** Coding 0 is GSM-7, 2 is UCS-2. */
  send(from: string, to: string, text: string, coding?: 0 | 2): Promise<void>;
  close(): Promise<void>;
}

export async function startKannel({ port, systemId, password }: Login): Promise<Kannel> {
  const heard: URLSearchParams[] = [];
  const listener = createServer((request, response) => {
    heard.push(new URL(request.url ?? '/', 'http://kannel').searchParams);
    response.end();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const told = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const [admin, boxes, sending] = [await freePort(), await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'carillon-kannel-'));
  const groups = [
    [
      'core',
      `admin-port = ${admin}`,
      'admin-password = x',
      `smsbox-port = ${boxes}`,
      'dlr-storage = internal',
    ],
    [
      'smsc',
      'smsc = smpp',
      'host = 127.0.0.1',
      `port = ${port}`,
      'transceiver-mode = true',
      'system-type = ""',
    ],
    ['smsbox', 'bearerbox-host = 127.0.0.1', `sendsms-port = ${sending}`],
    ['sendsms-user', 'username = u', 'password = p', 'max-messages = 10', 'concatenation = true'],
    ['sms-service', 'keyword = default', 'max-messages = 0'],
  ];
  groups[1]?.push(`smsc-username = ${systemId}`, `smsc-password = ${password}`);
  groups[4]?.push(`get-url = "${told}/mo?from=%p&to=%P&text=%a"`);
  const file = join(folder, 'kannel.conf');
  writeFileSync(
    file,
    groups.map(([group, ...lines]) => [`group = ${group}`, ...lines, ''].join('\n')).join('\n'),
  );
  const start = (name: string) => {
    const child = spawn(name, [file], { stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGKILL'));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    return { child, ended };
  };
  const reaches = (url: string) =>
    fetch(url).then(
      () => true,
      () => false,
    );
  const bearer = start('bearerbox');
  await until(() => reaches(`http://127.0.0.1:${admin}/status`));
  const sms = start('smsbox');
  await until(() => reaches(`http://127.0.0.1:${sending}/`));
  return {
    heard,
    async send(from, to, text, coding = 0) {
      const what = { from, to, text, charset: 'UTF-8', coding: String(coding) };
      const query = { username: 'u', password: 'p', 'dlr-mask': '3', ...what };
      const dlr = { 'dlr-url': `${told}/dlr?state=%d&receipt=%A` };
      const asked = new URLSearchParams({ ...query, ...dlr });
      const answer = await fetch(`http://127.0.0.1:${sending}/cgi-bin/sendsms?${asked}`);
      if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
    },
    async close() {
      for (const { child, ended } of [sms, bearer]) {
        child.kill('SIGKILL');
        await ended;
      }
      listener.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
