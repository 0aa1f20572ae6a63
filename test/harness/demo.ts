/** A server as newcomers have it: at its first start, with the company that it made and the password that it printed. */
import { rmSync } from 'node:fs';
import { startWholeApp, type WholeApp, type WholeAppOptions } from './app.ts';

export interface Demo {
  readonly app: WholeApp;
  readonly username: string;
  readonly password: string;
}

export async function startDemo(
  options: Pick<WholeAppOptions, 'env' | 'node' | 'program'> = {},
): Promise<Demo> {
  return demoOf(await startWholeApp({ engine: 'sqlite', ...options }));
}

/** The same server as at a first start once more: on the same address, with all that it had gone. */
export async function startDemoAgain(app: WholeApp): Promise<Demo> {
  await app.kill();
  rmSync(app.env.CARILLON_DATA as string, { recursive: true });
  const written = app.stdout.length;
  await app.restart();
  return demoOf(app, written);
}

/** What it has written since then has the password in it. */
async function demoOf(app: WholeApp, since = 0): Promise<Demo> {
  for (;;) {
    const written = app.stdout.slice(since);
    const username = /^ +username +(\S+)$/m.exec(written)?.[1];
    const password = /^ +password +(\S+)$/m.exec(written)?.[1];
    if (username !== undefined && password !== undefined) {
      const warning = app.stderr.split('\n').find((line) => line.includes('may be without people'));
      if (warning !== undefined) throw new Error(`The demo is not whole: ${warning}`);
      return { app, username, password };
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
