/**
 * The calls with which operators look after the whole service, below `/api/v1/operator/`. Only the pages of an operator who is
 * signed in can make them: no password, no API key and no user's session does.
 */
import { carrierEndpoints } from './carrier-endpoints.ts';
import { companyEndpoints } from './company-endpoints.ts';
import { numberEndpoints } from './number-endpoints.ts';
import type { Operating } from './operating.ts';
import { routeEndpoints } from './route-endpoints.ts';
import { serviceEndpoints } from './service-endpoints.ts';
import { testEndpoints } from './test-endpoints.ts';
import { unclaimedEndpoints } from './unclaimed-endpoints.ts';

export function operatorEndpoints(services: Operating) {
  return [
    ...companyEndpoints(services),
    ...carrierEndpoints(services),
    ...testEndpoints(services),
    ...routeEndpoints(services),
    ...numberEndpoints(services),
    ...unclaimedEndpoints(services),
    ...serviceEndpoints(services),
  ] as const;
}
