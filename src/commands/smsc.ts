/** `carillon smsc`: an SMSC for tests, which produces the situations that Carillon is to be tested in. */

import { createInterface } from 'node:readline';
import { Command, Option } from 'commander';
import { systemClock } from '../foundation/clock.ts';
import { print, printData, printError } from '../foundation/terminal.ts';
import { connectionAdvice, isRandom } from '../smsc/behaviour.ts';
import { EventLog } from '../smsc/event-log.ts';
import { operatorHelp, readOperatorLine } from '../smsc/incoming-sms.ts';
import { flagOf, readBehaviour, readBehaviourFile, type Setting, settings } from '../smsc/read-behaviour.ts';
import { Smsc } from '../smsc/smsc.ts';
import { printTable } from './list.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export function smscCommand(): Command {
  const smsc = new Command('smsc')
    .option(
      '--behaviour <file>',
      'settings of its behaviour (YAML); other options take precedence over the file',
    )
    .option('--quiet', 'count events instead of printing a line for each', false);
  for (const [name, setting] of Object.entries(settings)) smsc.addOption(flagFor(name, setting));
  return smsc.addHelpText('after', '\nDetails and examples: docs/smsc.md').action(run);
}

function flagFor(name: string, { form, description, shownDefault }: Setting<unknown>): Option {
  const flag = flagOf(name);
  const isSwitch = form === 'true|false';
  const words = shownDefault === '' ? description : `${description} (default: ${shownDefault})`;
  return new Option(isSwitch ? `${flag} [${form}]` : `${flag} <${form}>`, words);
}

interface SmscOptions {
  readonly behaviour?: string;
  readonly quiet: boolean;
  readonly [setting: string]: unknown;
}

async function run({ behaviour: file, quiet, ...flags }: SmscOptions): Promise<void> {
  const content = file === undefined ? undefined : readBehaviourFile(file);
  const read = readBehaviour(content, flags);
  if ('faults' in read) {
    printError(...read.faults);
    process.exitCode = 1;
    return;
  }
  const { behaviour } = read;
  const journal = new EventLog(systemClock, quiet ? undefined : (text) => void printData(text));
  const smsc = new Smsc(behaviour, journal, systemClock);
  const port = await smsc.listen();
  print(
    `The SMSC listens at ${behaviour.host}:${port}. To connect Carillon, put this into its provisioning file:`,
    '',
  );
  print(...connectionAdvice(behaviour, port).split('\n'));
  if (isRandom(behaviour)) print('', `To repeat this run: --seed ${smsc.seed}`);
  print('', 'Type FROM TO TEXT to let a phone send an SMS, "help" for more, Ctrl-C to stop.', '');
  stopOnSignal(() => stop(smsc, journal));
  await readOperatorLines(smsc);
}

async function stop(smsc: Smsc, journal: EventLog): Promise<void> {
  const undelivered = await smsc.stop();
  journal.flush();
  printTable(['', ''], [...journal.counts(), ['never delivered', String(undelivered)]]);
}

/** Carries out typed commands until the input ends. */
async function readOperatorLines(smsc: Smsc): Promise<void> {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const read = readOperatorLine(line);
    if (read.act === 'incoming') smsc.originate(read.sms);
    else if (read.act === 'drop') smsc.dropAll();
    else if (read.act === 'help') print(...operatorHelp.split('\n'));
    else if (read.act === 'wrong') print(...read.sentence.split('\n'));
  });
}
