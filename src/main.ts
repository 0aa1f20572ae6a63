/** The program's entry point: executes the command line and exits. */
import { runCommandLine, tellFault } from './command-line.ts';
import { exitWithoutReader } from './foundation/terminal.ts';

exitWithoutReader();
runCommandLine(process.argv.slice(2)).catch((error: unknown) => {
  tellFault(error);
  process.exit(1);
});
