/** Writes the `curl` command for the API call that the form is about to make (PORT-8). */

import type { Method } from '../../../src/app/api-types.ts';
import { filledIn, queryOf } from '../../../src/wire/api-path.ts';
import { pathPrefix, shownUser } from './client.ts';

export interface CurlCall {
  readonly method: Method;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The version that the change is based on. */
  readonly version?: string | undefined;
}

export function asCurl({ method, path, parameters, version }: CurlCall): string {
  const { url, rest } = filledIn(path, parameters);
  const target = location.origin + pathPrefix + url;
  const lines = [`curl -u ${inShell(shownUser())}`];
  if (method === 'DELETE' || method === 'PATCH') lines.push(`-X ${method}`);
  if (version) lines.push(`-H ${inShell(`If-Match: "${version}"`)}`);
  const hasBody = method === 'POST' || method === 'PATCH';
  lines.push(inShell(hasBody ? target : target + queryOf(rest)));
  if (hasBody) {
    const given = Object.entries(rest).filter(([, value]) => value !== undefined && value !== '');
    lines.push(`-H ${inShell('Content-Type: application/json')}`);
    lines.push(`-d ${inShell(JSON.stringify(Object.fromEntries(given), null, 2))}`);
  }
  return lines.join(' \\\n  ');
}

/** Quotes a text as one shell word. */
function inShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
