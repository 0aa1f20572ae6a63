/** `carillon watch`: shows live what happens to a company's messages. */
import { Command } from 'commander';
import { type Hint, LiveHints } from '../changes/live-hints.ts';
import { systemClock } from '../foundation/clock.ts';
import { print, printError, printJson } from '../foundation/terminal.ts';
import { companyNamed, inStore } from './as-operator.ts';
import { instant, iso, type JsonOption, jsonOption } from './list.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export function watchCommand(): Command {
  return new Command('watch')
    .argument('<company>', 'the name of the company')
    .option(...jsonOption)
    .action(watch);
}

async function watch(company: string, { json = false }: JsonOption): Promise<void> {
  await inStore(async (store) => {
    const companyId = await companyNamed(store, company);
    const warn = (details: object, message: string) => printError(`${message}: ${JSON.stringify(details)}`);
    const hints = new LiveHints({ store, clock: systemClock, log: { warn } });
    await hints.subscribe(companyId, (hint) => {
      if (hint.topic === 'conversations' || hint.topic === 'runs') return;
      if (json) printJson(asJson(company, hint));
      else print(asLine(hint));
    });
    printError(`Watching ${company}. Ctrl-C ends it.`);
    await new Promise<void>((resolve) => stopOnSignal(() => hints.stop().then(resolve)));
  });
}

function asLine({ at, topic, counts }: Hint): string {
  const what = [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
  return `${instant(at)}  ${topic.padEnd(8)}  ${what}`;
}

/** For programs: one line per hint. */
function asJson(company: string, { at, topic, counts }: Hint) {
  return { at: iso(at), company, topic, counts: Object.fromEntries(counts) };
}
