/** `carillon webhooks listen`: a receiver in the terminal, to see what is posted before one is written. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock } from '../foundation/clock.ts';
import { print, printError, printJson } from '../foundation/terminal.ts';
import type { JsonOption } from './list.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { instant } from './table.ts';

interface ListenOptions extends JsonOption {
  readonly secret: string;
  readonly port: string;
  readonly fail: string;
}

const maxBodyBytes = 1_024 * 1_024;

export async function listen({ secret, port, fail, json = false }: ListenOptions): Promise<void> {
  const [{ keyOfSecret }, { faultOfSigned }, { StartError }] = await Promise.all([
    import('../webhooks/endpoint.ts'),
    import('../webhooks/posting/signature.ts'),
    import('../foundation/errors.ts'),
  ]);
  const key = keyOfSecret(secret);
  if (key === undefined) throw new StartError('The secret must be whsec_ and 24 to 64 octets in base64.');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new StartError(`There is no port ${port}.`);
  if (!/^\d{1,6}$/.test(fail)) throw new StartError('--fail takes a number of posts.');
  let toFail = Number(fail);
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const now = systemClock.now();
    const fault =
      body === undefined
        ? 'the body is larger than 1 MiB'
        : faultOfSigned(request.headers, body, { key: key as Buffer, now });
    const status = fault !== undefined ? 401 : toFail > 0 ? 500 : 200;
    if (status === 500) toFail -= 1;
    response.writeHead(status).end();
    const id = String(request.headers['webhook-id'] ?? '-').slice(0, 100);
    if (json) return printJson({ at: new Date(now).toISOString(), id, status, fault, body: asJson(body) });
    print(`${instant(now)}  ${id}  answered ${status}${fault === undefined ? '' : `: ${fault}`}`);
    if (fault === undefined) print(body ?? '');
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StartError(`The port ${port} cannot be had: ${error.message}.`)),
    );
    server.listen(Number(port), '127.0.0.1', resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' ? address?.port : undefined;
  printError(`Listening at http://127.0.0.1:${taken}/. Ctrl-C ends it.`);
  await new Promise<void>((resolve) => {
    server.once('close', resolve);
    stopOnSignal(async () => {
      server.closeAllConnections();
      server.close();
    });
  });
}

/** Undefined: there is too much of it. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function asJson(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    // What came is no JSON, and is shown as it is.
    return body;
  }
}
