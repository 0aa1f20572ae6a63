/** Builds what operators use in the portal: their sessions, and their calls, which nobody else can make. */
import type { Logger } from 'pino';
import { FactorAttempts } from '../accounts/factor-attempts.ts';
import { Freshness } from '../accounts/fresh-reads.ts';
import type { LoginQueue } from '../accounts/login-queue.ts';
import type { LoginRecords } from '../accounts/login-records.ts';
import type { Passwords } from '../accounts/password.ts';
import { PasswordAuthentication } from '../accounts/password-authentication.ts';
import { Budget } from '../foundation/budget.ts';
import { systemClock, systemStopwatch } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import type { Authenticate } from '../http/credentials/credentials.ts';
import type { Endpoint } from '../http/endpoints/endpoint.ts';
import { serversOf } from '../http/endpoints/exchange.ts';
import type { ServerParts } from '../http/server/server.ts';
import { operatorEndpoints } from '../operators/endpoints.ts';
import { operatorFactors } from '../operators/factor-store.ts';
import type { Operating } from '../operators/operating.ts';
import { type Operator, operatorAccounts } from '../operators/operator.ts';
import { OperatorHints } from '../operators/operator-hints.ts';
import { authenticateOperator, type OperatorSignIn } from '../operators/sign-in.ts';
import { operatorPageEndpoints, operatorSignInEndpoints } from '../operators/sign-in-endpoints.ts';
import { FactorSecrets } from '../portal/factor.ts';
import { sessionSecret } from '../portal/session.ts';
import { maxConcurrentChanges } from '../portal/sign-in.ts';
import type { News } from '../storage/news.ts';
import { notedFor } from './logins.ts';
import type { StopStack } from './stop-stack.ts';
import { readVersion } from './version.ts';

interface OperatorNeeds extends Operating {
  readonly news: News;
  /** The server's secret. */
  readonly secret: string;
  readonly passwords: Passwords;
  readonly records: LoginRecords;
  readonly queue: LoginQueue;
  readonly security: SecurityEvents;
  /** The server's address as its users know it. */
  readonly publicUrl: () => string;
  readonly requiresFactor: boolean;
  readonly log: Logger;
}

/** All operators take turns as one company. */
const owner = 'operators';

export function openOperatorPortal(
  needs: OperatorNeeds,
  stack: StopStack,
): NonNullable<ServerParts<never>['otherServers']> {
  const { news, security, store } = needs;
  const byPassword = new PasswordAuthentication({
    ...needs,
    accounts: operatorAccounts(store),
    freshness: new Freshness(news, 'accounts'),
    stopwatch: systemStopwatch,
  });
  const signIn: OperatorSignIn = {
    ...needs,
    clock: systemClock,
    secret: sessionSecret(needs.secret),
    secrets: new FactorSecrets(needs.secret, 'operator'),
    factors: operatorFactors,
    attempts: new FactorAttempts(needs.records, security, 'operator'),
    byPassword,
    choosing: new Budget(maxConcurrentChanges),
  };
  const hints = new OperatorHints({ ...signIn, news }).start();
  stack.push(() => hints.stop());
  const services = { ...signIn, readsTexts: needs.readsTexts, version: readVersion() };
  const noted = (endpoint: Endpoint<Operator>) =>
    notedFor(endpoint, security, ({ username }) => ({ operator: username }));
  const bySession: readonly Endpoint<Operator>[] = [
    ...operatorEndpoints(needs),
    ...operatorPageEndpoints(services, hints),
  ];
  const password: Authenticate<Operator> = (credentials, from) => {
    if (credentials.kind === 'key') throw onlySessions;
    return byPassword.authenticate(credentials.username, credentials.password, from);
  };
  return (shared) => {
    const common = { ...shared, cookie: 'carillon-operator', ownerOf: () => owner } as const;
    return [
      ...serversOf<Operator>(operatorSignInEndpoints(services).map(noted), {
        ...common,
        authenticate: password,
        authenticatePage: undefined,
      }),
      ...serversOf<Operator>(bySession.map(noted), {
        ...common,
        authenticate() {
          throw onlySessions;
        },
        authenticatePage: (credentials) => authenticateOperator(signIn, credentials),
      }),
    ];
  };
}

const onlySessions = new ServiceError(
  'unauthorised',
  'This call is for operators who have signed in to the portal. It accepts no other credentials.',
);
