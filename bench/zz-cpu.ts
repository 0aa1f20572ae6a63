import { spawn } from 'node:child_process'; import { once } from 'node:events'; import { readdirSync, readFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { load } from './load.ts';
function cpu(pid: number) { const m = new Map<string, number>(); for (const t of readdirSync(`/proc/${pid}/task`)) { try { const s = readFileSync(`/proc/${pid}/task/${t}/stat`, 'utf8'); const f = s.slice(s.lastIndexOf(')') + 2).split(' '); m.set(t, (Number(f[11]) + Number(f[12])) * 10); } catch {} } return m; }
const body = JSON.stringify({ to: ['46701740699'], message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.' });
async function run(name: string, pid: number, url: string, headers: Record<string, string>) { await load({ url, headers, body, seconds: 2, connections: 50, mayBreak: true }); const a = cpu(pid); const secs = Number(process.env.S ?? 4); const r = await load({ url, headers, body, seconds: secs, connections: 50, mayBreak: true }); const b = cpu(pid); const n = r.perSecond * secs; const rows = [...b].map(([k, v]) => [k, (v - (a.get(k) ?? 0)) * 1000 / n] as const).filter(([, v]) => v > 0.5).sort((x, y) => y[1] - x[1]); console.log(name, Math.round(r.perSecond) + '/s', 'p50', r.p50Ms, 'p99', r.p99Ms, 'us/req', rows.reduce((s, [, v]) => s + v, 0).toFixed(1), '|', rows.map(([, v]) => v.toFixed(1)).join(' ')); return r.perSecond; }
const variants = (process.env.V ?? '|').split('|');
const roles = (process.env.ROLES ?? 'http,').split(',');
const child = spawn(process.execPath, ['--import', 'tsx', 'bench/bare-route.ts', '8300'], { stdio: ['ignore', 'pipe', 'inherit'] }); await once(child.stdout!, 'data');
if (!process.env.NOBARE) await run('bare', child.pid!, 'http://127.0.0.1:8300/restsms/svcrest/send', {});
let port = 8400;
for (const v of variants) for (const role of roles) {
  const [flags, ...envs] = v.split(';'); const env = Object.fromEntries(envs.map((e) => e.split('=')));
  const folder = mkdtempSync('/tmp/zz-'); writeFileSync(folder + '/p.yaml', `companies:\n  - name: Bench\n    defaultSender: Bench\n    users: [{ username: ada, password: "the password of bench", roles: [send] }]\ncarriers: [{ name: sim, type: simulator, receiptDelayMs: 500 }]\nroutes: [{ name: all, prefix: "", carriers: [sim] }]\n`); port++;
  const s = spawn(process.execPath, [...flags!.split(' ').filter(Boolean), 'bin/carillon.js', 'serve', ...(role ? ['--roles', role] : [])], { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH, CARILLON_DATA: folder + '/d', CARILLON_HTTP: `127.0.0.1:${port}`, CARILLON_SECRET: 'the secret of the benchmarks, long enough to be one', CARILLON_SMTP: 'off', CARILLON_LOG: 'warn', CARILLON_PROVISION: folder + '/p.yaml', ...env } });
  for (;;) { try { if ((await fetch(`http://127.0.0.1:${port}/readyz`)).ok) break; } catch {} await new Promise((r) => setTimeout(r, 20)); }
  const key = await (await fetch(`http://127.0.0.1:${port}/authentication/auth/apikey?name=b`, { headers: { authorization: 'Basic ' + Buffer.from('ada:the password of bench').toString('base64') } })).json() as string;
  await run(`[${v}] ${role || 'all'}`, s.pid!, `http://127.0.0.1:${port}/restsms/svcrest/send`, { 'x-api-key': key });
  s.kill('SIGKILL'); await once(s, 'exit');
}
child.kill();
