/** `carillon simulate`: makes the simulator carrier of the running server do what phones do. */
import { Command } from 'commander';

export function simulateCommand(): Command {
  const simulate = new Command('simulate').description('let the simulator carrier of the running server act');
  simulate
    .command('incoming')
    .description('a phone sends an SMS to one of our numbers')
    .requiredOption('--to <number>', 'the number that receives it')
    .requiredOption('--from <number>', 'the phone that sends it')
    .requiredOption('--text <text>', 'what it says')
    .action(incoming);
  return simulate;
}

interface IncomingOptions {
  readonly to: string;
  readonly from: string;
  readonly text: string;
}

async function incoming({ to, from, text }: IncomingOptions): Promise<void> {
  const [{ readConfig }, { command }] = await Promise.all([import('../config.ts'), import('../control.ts')]);
  const stored = (await command(readConfig(process.env).dataFolder, 'simulate-incoming', {
    to,
    from,
    text,
  })) as {
    readonly id: string;
    readonly routed: boolean;
    readonly processId: number;
  };
  const owner = stored.routed
    ? `for the user who rents ${to}`
    : `but nobody rents ${to}: see carillon unrouted`;
  console.log(`Incoming SMS ${stored.id} is stored by the server of process ${stored.processId}, ${owner}.`);
}
