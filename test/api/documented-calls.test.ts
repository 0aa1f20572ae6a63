/** Sends what a client that only knows the OpenAPI document would send: each operation with its example, over plain HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../src/app/control.ts';
import type { Answer } from '../harness/api-client.ts';
import { until } from '../harness/awake.ts';
import { failedBatch } from '../harness/batch-calls.ts';
import { type Demo, startDemo } from '../harness/demo.ts';
import { inAnHour, recipient, sendOne } from '../harness/messaging.ts';
import { withoutReferences } from '../harness/openapi-document.ts';

interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: string | readonly string[];
}

interface DocumentedOperation {
  readonly tags: readonly string[];
  readonly parameters: readonly DocumentedParameter[];
  readonly responses: Readonly<Record<string, object>>;
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

interface OpenApiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedCall {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.app.close());

/** In page order, but with removals last, because other calls need what they remove. */
async function documentedCalls(): Promise<readonly DocumentedCall[]> {
  const { body } = await demo.app.as(demo).get('/docs/openapi.json');
  const { tags, paths } = withoutReferences(body as OpenApiDocument);
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const group = ({ operation }: DocumentedCall) => tags.findIndex(({ name }) => name === operation.tags[0]);
  const removes = ({ method }: DocumentedCall) => (method === 'DELETE' ? 1 : 0);
  return calls.sort((a, b) => removes(a) - removes(b) || group(a) - group(b));
}

async function arrive(to: string, text: string): Promise<void> {
  const sms = { to, from: '46701740699', text };
  await command(demo.app.env.CARILLON_DATA as string, 'simulate-incoming', sms);
}

/** Makes an SMS arrive at a number that nobody rents, and returns its id. */
async function unrouted(): Promise<string> {
  await arrive('46701740698', 'Is this the clinic?');
  const [sms] = (await demo.app.as(demo).get('/api/v1/unrouted')).body.unrouted;
  return sms.id;
}

/**
 * Waits for the first try of a post, which counts although the example's receiver does not exist. Also ends the running
 * replay, so that another can begin.
 */
async function triedOnce(): Promise<Readonly<Record<string, string>>> {
  const path = '/api/v1/webhooks/3';
  for (const act of ['disable', 'enable']) await demo.app.as(demo).post(`${path}/${act}`);
  await until(async () => (await demo.app.as(demo).get(`${path}/attempts`)).body.attempts.length > 0);
  return {};
}

/** A sending that waits for its time. */
const sending = async () => ({
  id: await sendOne(demo.app.as(demo), { to: [recipient(1), recipient(2)], scheduletime: inAnHour() }),
});

/** Some calls need something that earlier calls don't leave. It is created here and returned as path parameters. */
const prepared: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
  '/api/v1/messages/{id}/cancel': async () => ({
    id: await sendOne(demo.app.as(demo), { scheduletime: inAnHour() }),
  }),
  '/api/v1/batches/{id}/resend-failed': async () => ({ id: await failedBatch(demo.app.as(demo)) }),
  '/api/v1/scheduled/{id}': async () => ({
    id: await sendOne(demo.app.as(demo), { scheduletime: inAnHour() }),
  }),
  '/api/v1/sendings/{id}': sending,
  '/api/v1/sendings/{id}/people': sending,
  '/api/v1/sendings/{id}/cancel': sending,
  '/api/v1/sendings/{id}/reschedule': sending,
  '/api/v1/webhooks/{id}/attempts/{number}': triedOnce,
  '/api/v1/webhooks/{id}/attempts/{number}/replay': triedOnce,
  '/api/v1/unrouted/{id}/assign': async () => ({ id: await unrouted() }),
  '/restsms/svcrest/emailtosms/unset': async () => {
    const entry = { EM: 'ward7@care.example', PU: 'demo' };
    expect((await demo.app.as(demo).get('/restsms/svcrest/emailtosms/set', entry)).status).toBe(200);
    return {};
  },
};

async function send(
  { method, path, operation }: DocumentedCall,
  inPath: Readonly<Record<string, string>>,
): Promise<Answer> {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, required, example } of operation.parameters) {
    const value = inPath[name] ?? example;
    if (required === true) expect(value, `${method} ${path}: an example of ${name}`).toBeDefined();
    if (value === undefined) continue;
    const text = String(value);
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(text));
    else query.append(name, text);
  }
  const url = query.size === 0 ? target : `${target}?${query}`;
  const { requestBody } = operation;
  if (requestBody === undefined) return demo.app.as(demo).request(method, url);
  const [type, { example = undefined } = {}] = Object.entries(requestBody.content)[0] ?? [
    'application/json',
    {},
  ];
  if (requestBody.required === true)
    expect(example, `${method} ${path}: an example of its body`).toBeDefined();
  const body = typeof example === 'string' ? example : JSON.stringify(example ?? {});
  return demo.app.as(demo).request(method, url, { body, headers: { 'content-type': type } });
}

test('[RUN-1] [CONV-2] Every call of the OpenAPI document succeeds with its documented example and a documented status', async () => {
  await arrive('46701740605', 'Hi there');
  const calls = await documentedCalls();
  const failed: string[] = [];
  for (const call of calls) {
    const answer = await send(call, (await prepared[call.path]?.()) ?? {});
    const isDocumented = answer.status < 300 && String(answer.status) in call.operation.responses;
    if (!isDocumented) failed.push(`${call.method} ${call.path}: ${answer.status} ${answer.text}`);
  }
  expect(failed).toEqual([]);
  expect(calls.length).toBeGreaterThan(20);
});

/** The objects that the examples name have been removed meanwhile, so only a 400 is a fault here. */
test('[CONV-2] A request body that the OpenAPI document does not require may be left out', async () => {
  const refused: string[] = [];
  for (const call of await documentedCalls()) {
    const { requestBody } = call.operation;
    if (requestBody === undefined || requestBody.required === true) continue;
    const bare = { ...call, operation: { ...call.operation, requestBody: { content: {} } } };
    const answer = await send(bare, prepared[call.path] === undefined ? {} : { id: '1', number: '1' });
    if (answer.status === 400) refused.push(`${call.method} ${call.path}: ${answer.text}`);
  }
  expect(refused).toEqual([]);
});
