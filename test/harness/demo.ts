/** A server as new users find it: at its first start, with the company it created and the password it printed. */
import { rmSync } from 'node:fs';
import { startWholeApp, type WholeApp, type WholeAppOptions } from './app.ts';

export interface Demo {
  readonly app: WholeApp;
  readonly username: string;
  readonly password: string;
}

export async function startDemo(
  options: Pick<WholeAppOptions, 'env' | 'node' | 'program' | 'isNamed'> = {},
): Promise<Demo> {
  return demoOf(await startWholeApp({ engine: 'sqlite', ...options }));
}

/** Puts the same server through another first start, on the same address with all its data removed. */
export async function startDemoAgain(app: WholeApp): Promise<Demo> {
  await app.kill();
  rmSync(app.env.CARILLON_DATA as string, { recursive: true });
  const written = app.stdout.length;
  await app.restart();
  return demoOf(app, written);
}

/** The output since then contains the password. */
async function demoOf(app: WholeApp, since = 0): Promise<Demo> {
  for (;;) {
    const written = app.stdout.slice(since);
    const username = /^ +username +(\S+)$/m.exec(written)?.[1];
    const password = /^ +password +(\S+)$/m.exec(written)?.[1];
    if (username !== undefined && password !== undefined) {
      const warning = app.stderr.split('\n').find((line) => line.includes('its address book may be empty'));
      if (warning !== undefined) throw new Error(`The demo is not whole: ${warning}`);
      return { app, username, password };
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
