/** The ports of servers that tests start, of which many processes choose at the same time. */
import { execFile } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from './harness/free-port.ts';

const own = new URL('./harness/free-port.ts', import.meta.url).href;

test('[RUN-1] No port is given to two tests, not even to one in another process', async () => {
  const first = await freePort();
  const range = { first, last: first };
  await expect(freePort(range)).rejects.toThrow('no free port');
  const inAnother = `import { freePort } from '${own}'; console.log(await freePort(${JSON.stringify(range)}));`;
  const parameters = ['--import', 'tsx', '--input-type=module', '--eval', inAnother];
  await expect(promisify(execFile)(process.execPath, parameters)).rejects.toThrow('no free port');
});

test('[RUN-1] A port on which a server listens is not given', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await expect(freePort({ first: port, last: port })).rejects.toThrow('no free port');
  } finally {
    server.close();
  }
});
