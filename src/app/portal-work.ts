/** Builds the portal's server-side parts: sessions, hints, its pages, and the link of a first start. */
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../accounts/caller.ts';
import type { FactorAttempts } from '../accounts/factor-attempts.ts';
import type { Passwords } from '../accounts/password.ts';
import { operator } from '../audit/audit-log.ts';
import { LiveHints } from '../changes/live-hints.ts';
import { Budget } from '../foundation/budget.ts';
import { systemClock } from '../foundation/clock.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import type { Authenticate, AuthenticatePage } from '../http/credentials/credentials.ts';
import type { Endpoint } from '../http/endpoints/endpoint.ts';
import { concernsRuns } from '../jobs/management/runs.ts';
import { portalEndpoints } from '../portal/endpoints.ts';
import { FactorSecrets } from '../portal/factor.ts';
import { userFactors } from '../portal/factor-store.ts';
import { HintStreams } from '../portal/hint-streams.ts';
import { addPortalPages } from '../portal/pages.ts';
import { ProviderPages } from '../portal/provider-pages.ts';
import { sessionSecret } from '../portal/session.ts';
import { Sessions } from '../portal/sessions.ts';
import { makeLink, maxConcurrentChanges } from '../portal/sign-in.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { noted } from './logins.ts';
import { patiently } from './make-demo.ts';
import type { StopStack } from './stop-stack.ts';
import { readVersion } from './version.ts';

interface PortalNeeds {
  readonly store: Store;
  readonly news: News;
  /** The server's secret. */
  readonly secret: string;
  readonly passwords: Passwords;
  readonly authenticate: Authenticate<Caller>;
  readonly security: SecurityEvents;
  readonly attempts: FactorAttempts;
  readonly providerAttempts: FactorAttempts;
  /** The domain of outgoing mail; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
  readonly sealing: Sealing;
  /** The server's address as its users know it. */
  readonly publicUrl: () => string;
  readonly pathPrefix: string;
  readonly hasSmppServer: boolean;
  readonly log: Logger;
}

export interface Portal {
  readonly pageEndpoints: readonly Endpoint<Caller>[];
  readonly authenticatePage: AuthenticatePage<Caller>;
  readonly addPages: (app: FastifyInstance) => void;
}

/** The build puts the pages beside the program; a program that runs from source uses the same folder. */
const pagesFolder = fileURLToPath(new URL('../../dist/pages', import.meta.url));

export function openPortal({ secret: serverSecret, ...needs }: PortalNeeds, stack: StopStack): Portal {
  const secret = sessionSecret(serverSecret);
  const secrets = new FactorSecrets(serverSecret);
  const parts = { ...needs, clock: systemClock, secret, secrets, factors: userFactors };
  const sessions = new Sessions(parts);
  const live = new LiveHints({
    ...parts,
    concernsRuns: (messages) => parts.store.read(concernsRuns, messages),
  });
  const hints = new HintStreams({ ...needs, sessions, live }).start();
  stack.push(() => hints.stop());
  const choosing = new Budget(maxConcurrentChanges);
  const providers = new ProviderPages({ ...parts, sessions, choosing });
  const endpoints = portalEndpoints({ ...parts, choosing, hints, providers, version: readVersion() });
  return {
    pageEndpoints: endpoints.map((endpoint) => noted(endpoint, needs.security)),
    authenticatePage: (credentials) => sessions.authenticate(credentials),
    addPages(app) {
      const { pathPrefix } = needs;
      addPortalPages(app, { folder: pagesFolder, pathPrefix, providers: () => providers.shown() });
      providers.add(app);
    },
  };
}

/**
 * A link that signs the demo user in to set a password. Undefined when the user was given a password, and signs in with it.
 */
export async function firstLink(
  username: string,
  { store, secret, log }: Pick<PortalNeeds, 'store' | 'secret' | 'log'>,
): Promise<string | undefined> {
  const services = { store, clock: systemClock, secret: sessionSecret(secret) };
  try {
    return await patiently(() => makeLink(services, { username, companyId: null, by: operator }));
  } catch (error) {
    // The error is only logged, because the demo company exists by now and its password is shown only once.
    log.warn({ error }, 'the sign-in link for the demo user could not be created');
    return undefined;
  }
}
