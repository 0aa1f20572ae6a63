/** Builds the authentication of callers, and reports refused logins and security-relevant acts to the operator. */
import type { Logger } from 'pino';
import { apiKeySecret, loginRecordSecret } from '../accounts/api-keys.ts';
import { authentication } from '../accounts/authentication.ts';
import type { Caller } from '../accounts/caller.ts';
import { FactorAttempts } from '../accounts/factor-attempts.ts';
import { hasScope, scopeMissing, scopeOf } from '../accounts/key-scopes.ts';
import { KeyUses } from '../accounts/key-uses.ts';
import { LoginQueue } from '../accounts/login-queue.ts';
import { LoginRecords } from '../accounts/login-records.ts';
import { Passwords } from '../accounts/password.ts';
import { type SmppAuthentication, smppAuthentication } from '../accounts/smpp-authentication.ts';
import { systemClock, systemStopwatch } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import { type SecurityEvent, type SecurityEvents, SecurityLog } from '../foundation/security-log.ts';
import type { Authenticate } from '../http/credentials/credentials.ts';
import type { Call, Endpoint } from '../http/endpoints/endpoint.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import type { Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

interface LoginNeeds {
  readonly store: Store;
  readonly news: News;
  /** The server's secret. */
  readonly secret: string;
  readonly metrics: Pick<Metrics, 'security'>;
  readonly log: Logger;
}

export interface Logins {
  readonly authenticate: Authenticate<Caller>;
  readonly security: SecurityLog;
  readonly passwords: Passwords;
  readonly records: LoginRecords;
  readonly queue: LoginQueue;
  readonly attempts: FactorAttempts;
  readonly providerAttempts: FactorAttempts;
  /** For programs that bind by SMPP. */
  readonly smpp: SmppAuthentication;
}

export async function openLogins(needs: LoginNeeds, stack: StopStack): Promise<Logins> {
  const { store, news, secret, metrics, log } = needs;
  const security = new SecurityLog(log, metrics.security);
  // Events that were only counted are reported at the end.
  stack.push(async () => security.flush());
  const time = { clock: systemClock, stopwatch: systemStopwatch };
  const records = new LoginRecords({ store, news, ...time, recordSecret: loginRecordSecret(secret), log });
  await records.start();
  stack.push(() => records.stop());
  const uses = new KeyUses({ store, log });
  stack.start(uses);
  const passwords = new Passwords();
  const queue = new LoginQueue();
  const verifying = { store, news, ...time, security, records, passwords, queue };
  const authenticate = authentication({ ...verifying, uses, secret: apiKeySecret(secret) });
  const smpp = smppAuthentication(verifying);
  const attempts = new FactorAttempts(records, security);
  const providerAttempts = new FactorAttempts(records, security, 'provider');
  return { authenticate, security, passwords, records, queue, attempts, providerAttempts, smpp };
}

/** For an endpoint that accepts API keys, refuses keys without its scope, and reports that to the operator. */
export function permitByScope(security: SecurityEvents) {
  return ({ path, methods, credentials }: Endpoint<Caller>) => {
    if (!credentials.apiKey) return undefined;
    const scope = scopeOf({ path, methods });
    return ({ scopes, username, companyId }: Caller, address: string) => {
      if (hasScope(scopes, scope)) return;
      const event = { event: 'access_denied', reason: 'scope_missing', channel: 'http' } as const;
      security.record({ ...event, username, companyId, address, path });
      throw scopeMissing(scope);
    };
  };
}

/**
 * Wraps an endpoint so that it reports its security-relevant acts and its refusals. For a command, with which an operator
 * acts as the user, every call that may change something is reported with the program that called.
 */
export function noted(
  endpoint: Endpoint<Caller>,
  security: SecurityEvents,
  channel: 'http' | 'command' = 'http',
): Endpoint<Caller> {
  const who = ({ username, companyId }: Caller) => ({ username, companyId });
  return notedFor(endpoint, security, who, channel);
}

/** The same for callers of any kind; `who` names the caller in the log. */
export function notedFor<Someone>(
  endpoint: Endpoint<Someone>,
  security: SecurityEvents,
  who: (caller: Someone) => Pick<SecurityEvent, 'username' | 'companyId' | 'operator'>,
  channel: 'http' | 'command' = 'http',
): Endpoint<Someone> {
  const { handle, path, concernsSecurity, methods } = endpoint;
  const isAct = channel === 'command' && methods.some((method) => method !== 'GET');
  const record = (caller: Someone, call: Call, what: Pick<SecurityEvent, 'event' | 'object' | 'reason'>) => {
    const address = channel === 'http' ? call.address : undefined;
    security.record({ ...what, ...who(caller), address, channel, path });
  };
  return {
    ...endpoint,
    handle(caller, input, call) {
      const refused = (error: unknown) => {
        if (error instanceof ServiceError && error.status === 403)
          record(caller, call, { event: 'access_denied', reason: error.code });
      };
      const done = (answer: unknown) => {
        const event =
          concernsSecurity?.(input, answer as never) ??
          (isAct ? ({ event: 'operator_command', object: call.browser } as const) : undefined);
        if (event !== undefined) record(caller, call, event);
      };
      try {
        const answer = handle(caller, input, call);
        // The answer does not wait for this.
        if (answer instanceof Promise) answer.then(concernsSecurity || isAct ? done : undefined, refused);
        else done(answer);
        return answer;
      } catch (error) {
        refused(error);
        throw error;
      }
    },
  };
}
