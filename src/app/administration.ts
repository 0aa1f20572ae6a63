/** What is called about accounts: by users for their API keys, by administrators for users and e-mail senders. */
import { apiKeySecret } from '../accounts/api-keys.ts';
import type { Caller } from '../accounts/caller.ts';
import { accountEndpoints, keyEndpoints } from '../accounts/endpoints.ts';
import { userEndpoints } from '../administration/company-user-endpoints.ts';
import { type Config, publicUrl } from '../config/config.ts';
import { emailManagementEndpoints } from '../email/management/endpoints.ts';
import { systemClock } from '../foundation/clock.ts';
import type { Endpoint } from '../http/endpoints/endpoint.ts';
import { sessionSecret } from '../portal/session.ts';
import { Ids } from '../storage/ids.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';

interface AdministrationNeeds {
  readonly store: Store;
  readonly news: News;
  /** The server's. */
  readonly secret: string;
}

export function administrationEndpoints(
  config: Config,
  { store, news, secret }: AdministrationNeeds,
): readonly Endpoint<Caller>[] {
  const services = { store, news, clock: systemClock };
  const issuer = {
    store,
    clock: systemClock,
    secret: apiKeySecret(secret),
    ids: new Ids(store, 'apiKey', 1),
  };
  return [
    ...accountEndpoints(issuer),
    ...keyEndpoints(issuer),
    ...userEndpoints({
      ...services,
      secret: sessionSecret(secret),
      publicUrl: publicUrl(config, config.http.port),
    }),
    ...emailManagementEndpoints(services),
  ];
}
