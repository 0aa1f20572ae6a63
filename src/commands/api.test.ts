/** Tests how commands treat the responses of servers, proxies and anything else found at an address. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Api, type CallError } from './api.ts';
import { callerApi } from './as-caller.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function apiAt(url: string): Promise<Api> {
  return (await callerApi({ url, key: 'a.key' })) as Api;
}

/** A server that answers every call with this response. */
async function answering(status: number, headers: Record<string, string>, body: string): Promise<Api> {
  return apiAt(await serving((_, response) => response.writeHead(status, headers).end(body)));
}

const read = (api: Api) => api.get('/api/v1/messages/{id}', { id: '7' });

describe('a call of a command', () => {
  test('[RUN-3] A command’s call goes to the path below the address, with the key and with lists in the form of URLs', async () => {
    const seen: IncomingMessage[] = [];
    const url = await serving((request, response) => {
      seen.push(request);
      response.end('{"messages":[]}');
    });
    const api = await apiAt(`${url}/sms/`);
    await api.get('/api/v1/messages', { status: ['SENT', 'QUEUED'], limit: 2 });
    expect(seen[0]?.url).toBe('/sms/api/v1/messages?status=SENT&status=QUEUED&limit=2');
    expect(seen[0]?.headers['x-api-key']).toBe('a.key');
  });

  test('[RUN-3] A command reads the pages of a list until it has enough', async () => {
    const url = await serving((request, response) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const first = Number(query.get('after') ?? '0');
      const count = Number(query.get('limit'));
      const jobs = Array.from({ length: count }, (_, index) => ({ id: String(first + index) }));
      response.end(JSON.stringify({ jobs, next: String(first + count) }));
    });
    const jobs = await (await apiAt(url)).list('/api/v1/jobs', 'jobs', 450);
    expect(jobs.map(({ id }) => Number(id))).toEqual(Array.from({ length: 450 }, (_, index) => index));
  });

  test('[RUN-3] A command reports each fault, and when to try again', async () => {
    const errors = [
      { field: 'to', error: '`to` is missing.' },
      { field: 'from', error: '`from` is too long.' },
    ];
    const refused = await answering(400, {}, JSON.stringify({ error: 'Two faults.', errors }));
    await expect(read(refused)).rejects.toThrow(
      'Two faults.\nto: `to` is missing.\nfrom: `from` is too long.',
    );
    const busy = await answering(503, { 'retry-after': '7' }, '{"error":"The server is busy."}');
    await expect(read(busy)).rejects.toThrow('The server is busy. Try again in 7 s.');
  });

  test('[RUN-3] [AUTH-8] A command follows no redirect with its key, and takes no web page for a response', async () => {
    let isAsked = false;
    const other = await serving((_, response) => {
      isAsked = true;
      response.end('{}');
    });
    const path = '/api/v1/messages/7';
    for (const [location, expected] of [
      [`${other}/sms${path}?key=1`, `redirects elsewhere: if you trust it, give the address ${other}/sms.`],
      [`/sms${path}`, /: if you trust it, give the address http:\/\/127\.0\.0\.1:\d+\/sms\.$/],
      [
        `${other}/login?back=${path}`,
        `redirects elsewhere (${other}): check the address, including its path.`,
      ],
    ] as const)
      await expect(read(await answering(302, { location }, '')), location).rejects.toThrow(expected);
    await expect(read(await answering(302, {}, ''))).rejects.toThrow('does not say where');
    expect(isAsked).toBe(false);
    await expect(read(await answering(502, {}, '<h1>Bad gateway</h1>'))).rejects.toThrow(
      /answered 502, but not/,
    );
    await expect(read(await answering(200, {}, '<h1>Welcome</h1>'))).rejects.toThrow(/not a Carillon server/);
    await expect(read(await answering(401, {}, ''))).rejects.toThrow(
      'The server does not accept these credentials',
    );
  });

  test('[RUN-3] A command makes no call with an id or key that no path or header can hold', async () => {
    let isAsked = false;
    const api = await apiAt(
      await serving((_, response) => {
        isAsked = true;
        response.end('{}');
      }),
    );
    for (const id of ['', '.', '..'])
      await expect(api.get('/api/v1/messages/{id}', { id })).rejects.toThrow(`"${id}" is not a valid id.`);
    for (const idempotencyKey of ['✓', '', 'a'.repeat(256), 'a\r\nb'])
      await expect(
        api.post('/restsms/svcrest/send', { to: ['46701740699'], message: 'Hi' }, { idempotencyKey }),
      ).rejects.toThrow('must be 1 to 255 printable ASCII characters');
    expect(isAsked).toBe(false);
  });

  test('[RUN-3] A command says when the server cannot be reached or breaks off', async () => {
    const url = await serving(() => undefined);
    servers.splice(0)[0]?.close();
    await expect(read(await apiAt(url))).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/,
    );
    const broken = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"id":', () => response.destroy());
    });
    await expect(read(await apiAt(broken))).rejects.toThrow('The response broke off');
  });
});

describe('what is known of a call without an answer of its own', () => {
  const ended = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      ({ certainty, code }: CallError) => [certainty, code],
    );

  test('[RUN-3] A refusal of the API is certain, and so is a server that cannot be reached', async () => {
    const refused = await answering(403, {}, '{"error":"No.","code":"role_missing"}');
    expect(await ended(read(refused))).toEqual(['refused', 'role_missing']);
    const url = await serving(() => undefined);
    servers.pop()?.close();
    expect(await ended(read(await apiAt(url)))).toEqual(['unsent', undefined]);
  });

  test('[RUN-3] A call is in doubt after silence, a cut, a fault of the server, and an answer of something else', async () => {
    const silent = (await apiAt(await serving(() => undefined))).waitingAtMost(20);
    expect(await ended(read(silent))).toEqual(['unknown', undefined]);
    const cut = await apiAt(await serving(({ socket }) => socket.destroy()));
    expect(await ended(read(cut))).toEqual(['unknown', undefined]);
    const busy = await answering(503, {}, '{"error":"Busy.","code":"overloaded"}');
    expect(await ended(read(busy))).toEqual(['unknown', 'overloaded']);
    expect(await ended(read(await answering(200, {}, '<h1>Welcome</h1>')))).toEqual(['unknown', undefined]);
    expect(await ended(read(await answering(403, {}, '<h1>Forbidden</h1>')))).toEqual(['unknown', undefined]);
    expect(await ended(read(await answering(408, {}, '{"error":"timeout"}')))).toEqual([
      'unknown',
      undefined,
    ]);
  });
});

describe('who acts', () => {
  test('[AUTH-8] A command sends a key only to this machine or by HTTPS, unless told otherwise', async () => {
    const at = (url: string, more: object = {}) => callerApi({ url, key: 'a.key', ...more });
    for (const url of ['http://sms.example', 'http://127.0.0.1.example', 'http://[2001:db8::1]:8080'])
      await expect(at(url), url).rejects.toThrow(/https:\/\/ address, or --insecure/);
    for (const url of ['https://sms.example/a', 'http://localhost:8080', 'http://[::1]', 'http://127.9.9.9'])
      expect(await at(url), url).toBeInstanceOf(Api);
    expect(await at('http://sms.example', { insecure: true })).toBeInstanceOf(Api);
    for (const url of ['sms.example', 'ftp://sms.example', 'https://alice:x@sms.example'])
      await expect(at(url), url).rejects.toThrow('--url must be');
  });

  test('[RUN-3] [AUTH-8] A command accepts only one statement of who acts, and no error reveals a key', async () => {
    await expect(callerApi({ user: 'alice', url: 'http://localhost' })).rejects.toThrow('not both');
    for (const caller of [
      { user: 'alice' },
      { url: 'http://localhost' },
      { key: 'a.key' },
      { keyFile: 'a' },
    ]) {
      await expect(callerApi({ ...caller, company: 'A' })).rejects.toThrow('Leave --company out');
      await expect(callerApi({ ...caller, operator: true })).rejects.toThrow('Give --operator or');
    }
    await expect(callerApi({ insecure: true, operator: true })).rejects.toThrow('Give --operator or');
    await expect(callerApi({ user: 'alice', key: 'a.key' })).rejects.toThrow('needs no key');
    await expect(callerApi({ user: 'alice', keyFile: 'a' })).rejects.toThrow('needs no key');
    await expect(callerApi({ key: 'a.key' })).rejects.toThrow('the server that the key is for: --url URL');
    await expect(callerApi({ url: 'http://localhost' })).rejects.toThrow('A key is missing');
    const inTwoLines = callerApi({ url: 'http://localhost', key: 'secret\r\nx: y' });
    await expect(inTwoLines).rejects.toThrow(/^(?!.*secret)/);
    await expect(callerApi({ url: 'http://localhost', keyFile: '/no/such/file' })).rejects.toThrow(
      /\/no\/such\/file cannot be read/,
    );
    expect(await callerApi({})).toBeUndefined();
  });
});
