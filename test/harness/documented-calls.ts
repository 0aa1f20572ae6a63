/** The calls of the OpenAPI document with their examples, sent as a client would that knows only that document. */
import { command } from '../../src/app/control.ts';
import type { Answer } from './api-client.ts';
import { until } from './awake.ts';
import { failedBatch } from './batch-calls.ts';
import type { Demo } from './demo.ts';
import { inAnHour, recipient, sendOne } from './messaging.ts';
import { withoutReferences } from './openapi-document.ts';

interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: string | readonly string[];
}

interface DocumentedOperation {
  readonly tags: readonly string[];
  readonly operationId: string;
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

export interface DocumentedCall {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

/** In page order, but with removals last, because other calls need what they remove. */
export async function documentedCalls(demo: Demo): Promise<readonly DocumentedCall[]> {
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

export async function arriveFrom(demo: Demo, from: string, to: string, text: string): Promise<void> {
  await command(demo.app.env.CARILLON_DATA as string, 'simulate-incoming', { to, from, text });
}

export function arrive(demo: Demo, to: string, text: string): Promise<void> {
  return arriveFrom(demo, '46701740699', to, text);
}

/** Makes an SMS arrive at a number that nobody rents, and returns its id. */
async function unrouted(demo: Demo): Promise<string> {
  await arrive(demo, '46701740698', 'Is this the clinic?');
  const [sms] = (await demo.app.as(demo).get('/api/v1/unrouted')).body.unrouted;
  return sms.id;
}

/**
 * Waits for the first try of a post, which counts although the example's receiver does not exist. Also ends the running
 * replay, so that another can begin.
 */
async function triedOnce(demo: Demo): Promise<Readonly<Record<string, string>>> {
  const path = '/api/v1/webhooks/3';
  for (const act of ['disable', 'enable']) await demo.app.as(demo).post(`${path}/${act}`);
  await until(async () => (await demo.app.as(demo).get(`${path}/attempts`)).body.attempts.length > 0);
  return {};
}

/** A sending that waits for its time. */
const sending = async (demo: Demo) => ({
  id: await sendOne(demo.app.as(demo), { to: [recipient(1), recipient(2)], scheduletime: inAnHour() }),
});

/** Makes an SMS arrive that may mean an opt-out, and returns its id. */
async function nearMiss(demo: Demo): Promise<Readonly<Record<string, string>>> {
  await demo.app.as(demo).patch('/api/v1/company', { optOuts: 'honour' });
  await arrive(demo, '46701740605', 'Please stop sending');
  const [sms] = (await demo.app.as(demo).get('/api/v1/optouts/nearmisses')).body.nearMisses;
  return { id: sms.id };
}

/** Has an alert wake people, and returns the incident. */
async function incident(demo: Demo): Promise<Readonly<Record<string, string>>> {
  const client = demo.app.as(demo);
  const alerts = [{ status: 'firing', labels: { alertname: `Down ${Date.now()}` } }];
  await client.post('/api/v1/alerts/ops', { version: '4', status: 'firing', alerts });
  const open = async () => (await client.get('/api/v1/incidents', { state: 'open' })).body.incidents;
  await until(async () => (await open()).length > 0);
  return { id: (await open())[0].id };
}

/** Some calls need something that earlier calls don't leave. It is created here and returned as path parameters. */
export const prepared: Readonly<Record<string, (demo: Demo) => Promise<Readonly<Record<string, string>>>>> = {
  '/api/v1/messages/{id}/cancel': async (demo) => ({
    id: await sendOne(demo.app.as(demo), { scheduletime: inAnHour() }),
  }),
  '/api/v1/batches/{id}/resend-failed': async (demo) => ({ id: await failedBatch(demo.app.as(demo)) }),
  '/api/v1/scheduled/{id}': async (demo) => ({
    id: await sendOne(demo.app.as(demo), { scheduletime: inAnHour() }),
  }),
  '/api/v1/sendings/{id}': sending,
  '/api/v1/sendings/{id}/people': sending,
  '/api/v1/sendings/{id}/cancel': sending,
  '/api/v1/sendings/{id}/reschedule': sending,
  '/api/v1/webhooks/{id}/attempts/{number}': triedOnce,
  '/api/v1/webhooks/{id}/attempts/{number}/replay': triedOnce,
  '/api/v1/optouts/nearmisses/{id}/settle': nearMiss,
  '/api/v1/incidents/{id}': incident,
  '/api/v1/incidents/{id}/end': incident,
  '/api/v1/unrouted/{id}/assign': async (demo) => ({ id: await unrouted(demo) }),
  '/restsms/svcrest/emailtosms/unset': async (demo) => {
    const entry = { EM: 'ward7@care.example', PU: 'demo' };
    const { status, text } = await demo.app.as(demo).get('/restsms/svcrest/emailtosms/set', entry);
    if (status !== 200) throw new Error(text);
    return {};
  },
};

/** Sends the call with its example; `inPath` has what the example does not know. */
export async function sendDocumented(
  demo: Demo,
  { method, path, operation }: DocumentedCall,
  inPath: Readonly<Record<string, string>>,
): Promise<Answer> {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, required, example } of operation.parameters) {
    const value = inPath[name] ?? example;
    if (required === true && value === undefined)
      throw new Error(`${method} ${path} has no example of ${name}`);
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
  if (requestBody.required === true && example === undefined)
    throw new Error(`${method} ${path} has no example of its body`);
  const body = typeof example === 'string' ? example : JSON.stringify(example ?? {});
  return demo.app.as(demo).request(method, url, { body, headers: { 'content-type': type } });
}
