/** Helpers for attacks of a single call: their two forms, who makes them, and what they are built from. */
import type { Attack, Strike } from './attack.ts';
import { bytesOf, call, type Request } from './raw-call.ts';
import type { Site } from './site.ts';

export const batchPath = '/restsms/svcrest/batchsend/json';
export const linesPath = '/restsms/svcrest/batchsend/list';
export const batchStatusPath = '/restsms/svcrest/batchmessagestatus';
export const countPath = '/restsms/svcrest/batchstatuscount';
export const setPath = '/restsms/svcrest/emailtosms/set';
export const savedJobsPath = '/dispatch/svcdispatch/startsavedjob';
export const tagsPath = '/addressbook/svcaddressbook/listtags';
export const wrongKey = 'bWFsbG9yeQ.1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
export const kib = 1_024;
export const mib = 1_048_576;
/** The largest possible body, less the bytes around the value. */
export const most = 10 * mib - 4 * kib;

export const json = (fields: object) => JSON.stringify(fields);
export const number = (index: number) => `4673${1_000_000 + index}`;
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => number(index));

type Form = (site: Site) => Request;

const strike =
  (form: Form) =>
  (site: Site): Strike => {
    const bytes = bytesOf(form(site));
    return () => call(site.port, { bytes });
  };

const byKey =
  (form: Form): Form =>
  (site) => {
    const request = form(site);
    return { ...request, headers: { 'x-api-key': site.malloryKey, ...request.headers } };
  };

export function customers(name: string, cheapest: Form, worst: Form): Attack {
  return { name, by: 'customer', cheapest: strike(byKey(cheapest)), worst: strike(byKey(worst)) };
}

export function strangers(name: string, cheapest: Form, worst: Form): Attack {
  return { name, by: 'stranger', cheapest: strike(cheapest), worst: strike(worst) };
}

export const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}): Request => ({
  path,
  body,
  headers,
});
export const get = (path: string, query: string): Request => ({ method: 'GET', path: `${path}?${query}` });

export const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

export const send = (fields: object) => json({ to: [number(1)], message: 'x', ...fields });

/** Repeats the token up to this many bytes. */
export const fill = (token: string, bytes: number) =>
  token.repeat(Math.floor(bytes / Buffer.byteLength(token)));
