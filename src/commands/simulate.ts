/** `carillon simulate`: lets the running server's simulator carrier act as a phone. */

import { Command, InvalidArgumentError } from 'commander';
import { command } from '../app/control.ts';
import type { Concatenation } from '../carriers/carrier.ts';
import { readConfig } from '../config/config.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { type JsonOption, jsonOption } from './list.ts';

export function simulateCommand(): Command {
  const simulate = new Command('simulate');
  simulate
    .command('incoming')
    .description('let a simulated phone send an SMS to a number of this server')
    .requiredOption('--to <number>', 'the number that receives the SMS')
    .requiredOption('--from <number>', 'the phone that sends the SMS')
    .requiredOption('--text <text>', 'the text of the SMS')
    .option('--part <n/m>', 'send only part n of an SMS of m parts', parsePart)
    .option('--reference <number>', 'the reference that the parts of an SMS share', Number, 0)
    .option(...jsonOption)
    .action(incoming);
  return simulate;
}

interface IncomingOptions extends JsonOption {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly part?: Pick<Concatenation, 'part' | 'parts'>;
  readonly reference: number;
}

function parsePart(given: string): IncomingOptions['part'] {
  const [, part, parts] = /^(\d{1,3})\/(\d{1,3})$/.exec(given) ?? [];
  const [place, count] = [Number(part), Number(parts)];
  if (place >= 1 && place <= count && count <= 255) return { part: place, parts: count };
  throw new InvalidArgumentError('Give the part and the number of parts, such as 1/3.');
}

async function incoming({ part, reference, json = false, ...sms }: IncomingOptions): Promise<void> {
  const input = part === undefined ? sms : { ...sms, concatenation: { ...part, reference } };
  const stored = (await command(readConfig(process.env).dataFolder, 'simulate-incoming', input)) as {
    readonly id: string;
    readonly routed: boolean;
    readonly awaitsParts?: true;
    readonly processId: number;
  };
  if (json) return printJson(stored, 2);
  const { id, processId } = stored;
  if (stored.awaitsParts)
    print(`The part is stored by server process ${processId}; incoming SMS ${id} waits for its other parts.`);
  else {
    const owner = stored.routed
      ? 'for the user it belongs to'
      : 'but belongs to nobody: see carillon unrouted';
    print(`Incoming SMS ${id} is stored by server process ${processId}, ${owner}.`);
  }
}
