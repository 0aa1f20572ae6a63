/** Faults of the store, the nodes and the clock, which affect all lines of a site. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import type { EngineName } from '../harness/engines.ts';
import { query } from '../harness/messaging.ts';
import type { PostgresServer } from '../harness/postgres.ts';
import { fill } from '../harness/small-disk.ts';
import type { FaultySmsc } from './faulty-smsc.ts';
import type { Line } from './line.ts';
import type { Site } from './site.ts';

export interface SiteFault {
  readonly name: string;
  readonly engines: readonly EngineName[];
  /** Starts the fault and ends it. */
  readonly strike: (site: Site, line: Line, smsc: FaultySmsc) => Promise<void>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const both = ['sqlite', 'postgres'] as const;
const hourMs = 60 * 60 * 1_000;

function stopped(how: Parameters<PostgresServer['stop']>[0]) {
  return async ({ postgres }: Site) => {
    await postgres?.stop(how);
    await delay(1_500);
    await postgres?.start();
  };
}

/** Freezes the server for this long, with all its connections left open. */
async function frozen(app: WholeApp, forMs: number): Promise<void> {
  const pid = app.pid as number;
  process.kill(pid, 'SIGSTOP');
  await delay(forMs);
  process.kill(pid, 'SIGCONT');
}

const first = ({ apps }: Site) => apps[0] as WholeApp;

export const storeFaults: readonly SiteFault[] = [
  { name: 'PostgreSQL stopped in order, started again', engines: ['postgres'], strike: stopped('fast') },
  { name: 'PostgreSQL crashed, started again', engines: ['postgres'], strike: stopped('immediate') },
  {
    name: 'connections to PostgreSQL cut, twenty times',
    engines: ['postgres'],
    async strike(site) {
      for (let time = 0; time < 20; time++) {
        await query(
          first(site),
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'carillon%'",
        );
        await delay(50);
      }
    },
  },
  {
    name: 'PostgreSQL frozen for 12 s',
    engines: ['postgres'],
    async strike({ postgres }) {
      postgres?.freeze();
      await delay(12_000);
      postgres?.thaw();
    },
  },
  {
    name: 'disk full for 2 s',
    engines: ['sqlite'],
    async strike({ disk }) {
      if (disk === undefined) throw new Error('no file system can be mounted here: that takes root');
      const ballast = join(disk, 'ballast');
      fill(ballast);
      await delay(2_000);
      rmSync(ballast);
    },
  },
];

export const nodeFaults: readonly SiteFault[] = [
  {
    name: 'node killed, started again',
    engines: both,
    async strike(site) {
      await delay(200);
      await first(site).kill();
      await first(site).restart();
    },
  },
  {
    name: 'node stopped in order, started again',
    engines: both,
    async strike(site) {
      await delay(200);
      await first(site).restart();
    },
  },
  {
    name: 'log on a full disk',
    engines: both,
    async strike(site) {
      await first(site).restart({ stderrFile: '/dev/full' });
      await delay(1_000);
      await first(site).restart();
    },
  },
  {
    name: 'node frozen for 3 s',
    engines: both,
    strike: (site) => delay(200).then(() => frozen(first(site), 3_000)),
  },
  {
    name: 'node frozen until another has taken over its work, for 40 s',
    engines: ['postgres'],
    async strike(site, line, smsc) {
      const second = await site.addNode();
      const enough = smsc.arrived + 100;
      const load = line.send(site.clients, 200);
      await until(() => smsc.arrived >= enough);
      await frozen(first(site), 40_000);
      await load;
      await second.stop();
    },
  },
  {
    name: 'clock set ahead by 5 h, and back',
    engines: both,
    async strike(site) {
      for (const hours of [5, 0]) {
        site.setClock(hours * hourMs);
        await delay(1_500);
      }
    },
  },
  {
    name: 'clock set back by 5 h, and ahead',
    engines: both,
    async strike(site) {
      for (const hours of [-5, 0]) {
        site.setClock(hours * hourMs);
        await delay(1_500);
      }
    },
  },
];
