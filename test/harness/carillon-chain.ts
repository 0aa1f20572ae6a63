/** Two servers: the second is the SMPP carrier of the first, and has a simulator. */
import { standardProvisioning, startWholeApp, type WholeApp } from './app.ts';
import { freePort } from './free-port.ts';

export interface Chain {
  readonly first: WholeApp;
  readonly second: WholeApp;
  /** Where clients of the first bind, as `alice`. */
  readonly port: number;
  close(): Promise<void>;
}

export const chainLogin = { system_id: 'alice', password: 'eight-ch' } as const;

function withLogin(provisioning: string): string {
  const login = `smpp: { systemId: ${chainLogin.system_id}, password: ${chainLogin.password}, binds: 5 }`;
  return provisioning.replace(/(alice's long password", roles: \[.*?\])/, `$1, ${login}`);
}

/** `env` is that of the second. */
export async function startChain(env: Readonly<Record<string, string>> = {}): Promise<Chain> {
  const [port, between] = [await freePort(), await freePort()];
  const server = (at: number) => ({ CARILLON_SMPP_SERVER: `127.0.0.1:${at}` });
  const second = await startWholeApp({
    engine: 'sqlite',
    provisioning: withLogin(standardProvisioning),
    env: { ...server(between), ...env },
  });
  const { system_id, password } = chainLogin;
  const carrier = `host: 127.0.0.1, port: ${between}, systemId: ${system_id}, password: ${password}, window: 50`;
  const provisioning = standardProvisioning.replace(
    /^ {2}- \{ name: sim, .*$/m,
    `  - { name: sim, type: smpp, ${carrier}, reconnectMinMs: 50, reconnectMaxMs: 200 }`,
  );
  try {
    const first = await startWholeApp({
      engine: 'sqlite',
      provisioning: withLogin(provisioning),
      env: server(port),
    });
    return {
      first,
      second,
      port,
      async close() {
        await first.close();
        await second.close();
      },
    };
  } catch (error) {
    await second.close();
    throw error;
  }
}
