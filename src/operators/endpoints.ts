/**
 * The calls with which operators look after the whole service, below `/api/v1/operator/`. Only the pages of an operator who is
 * signed in can make them: no password, no API key and no user's session does.
 */
import { companyEndpoints } from './company-endpoints.ts';
import type { Operating } from './operating.ts';

export function operatorEndpoints(services: Operating) {
  return [...companyEndpoints(services)] as const;
}
