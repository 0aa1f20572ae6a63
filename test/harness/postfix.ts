/**
 * A separate Postfix for a test, with a signing opendkim in front of it if the test asks for one (Debian packages postfix and
 * opendkim).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './awake.ts';
import { freePort } from './free-port.ts';
import { SmtpClient } from './smtp-client.ts';

export interface PostfixOptions {
  /** The port that mail to the phones' domain goes to. */
  readonly gatewayPort: number;
  /** Settings by name, as the manual tells people to write them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Signs the domain's mail with the selector `s1` and this private key (PEM). */
  readonly signing?: { readonly domain: string; readonly key: string };
}

export interface Postfix {
  readonly port: number;
  /** Its log so far. */
  log(): string;
  /** Retries the queued e-mail. */
  flush(): void;
  stop(): Promise<void>;
}

/** Why Postfix can't run here; undefined if it can. */
export function whyNoPostfix(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can start Postfix';
  for (const program of ['postfix', 'opendkim']) if (!isThere(program)) return `${program} is not installed`;
  return undefined;
}

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-postfix-'));
  // Postfix's processes run as different users.
  chmodSync(folder, 0o755);
  for (const name of ['conf', 'queue', 'data']) mkdirSync(join(folder, name));
  execFileSync('chown', ['postfix', join(folder, 'data')]);
  const port = await freePort();
  const log = join(folder, 'mail.log');
  const signer = options.signing === undefined ? undefined : await startSigner(folder, options.signing);
  const settings = {
    ...ground(folder, log),
    transport_maps: `inline:{sms.example=smtp:[127.0.0.1]:${options.gatewayPort}}`,
    ...(signer === undefined ? {} : { smtpd_milters: `inet:127.0.0.1:${signer.port}` }),
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(folder, 'conf', 'main.cf'), lines.join(''));
  writeFileSync(join(folder, 'conf', 'master.cf'), services(port));
  const starter = spawn('postfix', ['-c', join(folder, 'conf'), 'start-fg'], { stdio: 'ignore' });
  await untilAnswers(port);
  // The master is a separate process that would outlive its parent.
  const master = Number(readFileSync(join(folder, 'queue', 'pid', 'master.pid'), 'utf8'));
  const killWithUs = () => process.kill(master, 'SIGKILL');
  process.once('exit', killWithUs);
  return {
    port,
    log: () => readFileSync(log, 'utf8'),
    flush: () => void execFileSync('postqueue', ['-c', join(folder, 'conf'), '-f']),
    async stop() {
      process.off('exit', killWithUs);
      process.kill(master);
      await ended(starter);
      signer?.process.kill();
      if (signer !== undefined) await ended(signer.process);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ground(folder: string, log: string): Readonly<Record<string, string>> {
  return {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    maillog_file: log,
    maillog_file_prefixes: folder,
    myhostname: 'mx.care.example',
    mydestination: '',
    mynetworks: '127.0.0.0/8',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    alias_maps: '',
    smtp_host_lookup: 'native',
    // By default, the shortest wait is a minute.
    queue_run_delay: '1h',
    minimal_backoff_time: '1h',
  };
}

function services(port: number): string {
  const unix = [
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
  ];
  const others = ['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`);
  const more = ['smtp unix - - n - - smtp', 'error unix - - n - - error', 'retry unix - - n - - error'];
  const last = [
    'discard unix - - n - - discard',
    'flush unix n - n 1000? 0 flush',
    'proxymap unix - - n - - proxymap',
  ];
  const postlog = 'postlog unix-dgram n - n - 1 postlogd';
  const all = [`127.0.0.1:${port} inet n - n - - smtpd`, 'pickup unix n - n 60 1 pickup', ...unix, ...others];
  return [...all, ...more, ...last, postlog, ''].join('\n');
}

async function startSigner(folder: string, { domain, key }: NonNullable<PostfixOptions['signing']>) {
  const port = await freePort();
  const file = join(folder, 's1.private');
  writeFileSync(file, key, { mode: 0o600 });
  const settings = join(folder, 'opendkim.conf');
  const lines = ['Mode s', `Domain ${domain}`, 'Selector s1', `KeyFile ${file}`, 'RequireSafeKeys no'];
  const more = ['Canonicalization relaxed/relaxed', `Socket inet:${port}@127.0.0.1`, ''];
  writeFileSync(settings, [...lines, ...more].join('\n'));
  const process = spawn('opendkim', ['-f', '-x', settings], { stdio: 'ignore' });
  return { port, process };
}

async function untilAnswers(port: number): Promise<void> {
  await until(async () => {
    const client = new SmtpClient(port);
    const { code } = await client.reply();
    client.close();
    return code === 220;
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}
