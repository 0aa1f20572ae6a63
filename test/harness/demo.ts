/** A server as newcomers have it: at its first start, with the company that it made and the password that it printed. */
import { startWholeApp, type WholeApp, type WholeAppOptions } from './app.ts';

export interface Demo {
  readonly app: WholeApp;
  readonly username: string;
  readonly password: string;
}

export async function startDemo(options: Pick<WholeAppOptions, 'env'> = {}): Promise<Demo> {
  const app = await startWholeApp({ engine: 'sqlite', ...options });
  for (;;) {
    const username = /^ +username +(\S+)$/m.exec(app.stdout)?.[1];
    const password = /^ +password +(\S+)$/m.exec(app.stdout)?.[1];
    if (username !== undefined && password !== undefined) return { app, username, password };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
