/** Lets a long-running command stop in an orderly way on a signal, and at once on a second one. */

import { printError, printFault } from '../foundation/terminal.ts';

/** The keypress that stops `npm start` arrives twice: from the terminal and from npm. */
const samePressMs = 500;

export function stopOnSignal(stop: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > samePressMs) process.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    stoppingSince = performance.now();
    printError(`${signal}: finishing what is under way. A second signal stops at once.`);
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        printFault(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (process.env.CARILLON_NODE === 'brought') followStarter(() => onSignal('SIGTERM'));
}

/** `bin/carillon.js` started this process in its place; if that starter is killed, nothing else would stop this one. */
function followStarter(stop: () => void): void {
  process.once('disconnect', stop);
  process.channel?.unref();
}
