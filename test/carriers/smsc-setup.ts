/**
 * Runs our SMSC in the test's process, collects what it prints, and binds clients of another implementation to it.
 */
import { systemClock } from '../../src/foundation/clock.ts';
import { EventLog } from '../../src/smsc/event-log.ts';
import { readBehaviour } from '../../src/smsc/read-behaviour.ts';
import { Smsc } from '../../src/smsc/smsc.ts';
import { NpmEsme } from './npm-esme.ts';

export interface RunningSmsc {
  readonly smsc: Smsc;
  readonly port: number;
  readonly journal: EventLog;
  /** The lines so far, without their times. */
  lines(): readonly string[];
}

const running: Smsc[] = [];
const esmes: NpmEsme[] = [];

/** `file` is YAML. Receipts are sent at once unless it says otherwise. */
export async function startSmsc(
  file = '',
  flags: Readonly<Record<string, unknown>> = {},
): Promise<RunningSmsc> {
  const read = readBehaviour(file, { receiptMs: 0, port: 0, ...flags });
  if ('faults' in read) throw new Error(read.faults.join('\n'));
  let written = '';
  const journal = new EventLog(systemClock, (text) => {
    written += text;
  });
  const smsc = new Smsc(read.behaviour, journal, systemClock);
  const port = await smsc.listen();
  running.push(smsc);
  const lines = () => {
    journal.flush();
    return written
      .split('\n')
      .slice(0, -1)
      .map((line) => line.replace(/^[\d:.]{12} {2}(\w+) +/, '$1 '));
  };
  return { smsc, port, journal, lines };
}

export async function bound(...parameters: Parameters<typeof NpmEsme.bound>): Promise<NpmEsme> {
  const esme = await NpmEsme.bound(...parameters);
  esmes.push(esme);
  return esme;
}

/** For `afterEach`: clients first. */
export async function stopSmscs(): Promise<void> {
  for (const esme of esmes.splice(0)) esme.close();
  await Promise.all(running.splice(0).map((smsc) => smsc.stop()));
}
