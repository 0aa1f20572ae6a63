/** `carillon serve`: runs the server, from its start to a graceful end. */
import { Command } from 'commander';
import type { ServeOptions } from '../config/config.ts';
import { ignoreMissingReader, print } from '../foundation/terminal.ts';
import type { DemoCredentials } from '../provisioning/demo.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .option('--roles <roles>', 'the roles of this server: http,dispatch,mail,jobs (default: all)')
    .option('--no-demo', 'create no demo company in an empty store')
    .action(serve);
}

async function serve({ roles, demo }: ServeOptions): Promise<void> {
  ignoreMissingReader();
  const { readConfig } = await import('../config/config.ts');
  const config = readConfig(process.env, { roles, demo });
  const { startApp } = await import('../app/app.ts');
  const app = await startApp(config);
  stopOnSignal(() => app.stop());
  print(app.url === undefined ? 'Carillon is running.' : `Carillon is ready at ${app.url}/`);
  if (app.demo !== undefined && app.url !== undefined)
    print(...demoBlock(app.demo, app.url, app.demoLink).split('\n'));
}

/** The simulator delivers to recipients ending in 14 or more; this number belongs to no one (see `demo.ts`). */
const demoRecipient = '46701740699';

function demoBlock({ username, password }: DemoCredentials, url: string, link?: string): string {
  const body = JSON.stringify({ to: [demoRecipient], message: 'Hello from Carillon' });
  return `
  The store was empty, so a demo company was created. Its credentials are shown only this once:

    username   ${username}
    password   ${password}

  Send a first SMS (to the built-in simulator; no phone rings):

    curl -u '${username}:${password}' ${url}/restsms/svcrest/send -d '${body}'
${link === undefined ? '' : linkBlock(url + link)}`;
}

function linkBlock(address: string): string {
  return `
  Or sign in to the portal with this link (valid once, for 30 minutes), and choose a password of your own:

    ${address}
`;
}
