import type { Endpoint } from './endpoint.ts';
export function openApiDocument<Caller>(
  _endpoints: readonly Endpoint<Caller>[],
  _about: { version: string; pathPrefix: string },
): object {
  return {};
}
