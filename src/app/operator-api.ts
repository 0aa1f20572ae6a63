/**
 * The API on the operator's socket. Anyone who can open the socket acts as the user named by Basic authentication, with the
 * user's roles and limits; the password is not checked. The audit log and the server's log record that an operator acted.
 */
import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findAccountByUsername, isActive } from '../accounts/account.ts';
import { type Caller, callerOf } from '../accounts/caller.ts';
import { operatorSession } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import type { Turns } from '../foundation/turns.ts';
import { Admission, admissionLimitsFor } from '../http/admission.ts';
import { jsonHeaders } from '../http/answers/respond.ts';
import type { Credentials } from '../http/credentials/credentials.ts';
import { CredentialPicker } from '../http/credentials/picker.ts';
import type { Endpoint } from '../http/endpoints/endpoint.ts';
import { serversOf } from '../http/endpoints/exchange.ts';
import { Gate } from '../http/gate/gate.ts';
import { createRouter } from '../http/server/router.ts';
import type { Store } from '../storage/store.ts';
import { noted } from './logins.ts';

export interface OperatorApiNeeds {
  readonly store: Store;
  readonly endpoints: readonly Endpoint<Caller>[];
  readonly security: SecurityEvents;
  readonly turns: Turns;
  readonly log: Logger;
}

interface OperatorApi {
  readonly api: RequestListener;
  /** Takes no more calls, and gives pending ones two seconds. */
  stop(): Promise<void>;
}

const stopMs = 2_000;

export function operatorApi(
  { maxBodyBytes }: Pick<Config, 'maxBodyBytes'>,
  { store, endpoints, security, turns, log }: OperatorApiNeeds,
): OperatorApi {
  const admission = new Admission(admissionLimitsFor(maxBodyBytes));
  const picker = new CredentialPicker(turns);
  const site = { isTrustedProxy: () => false, publicUrl: undefined };
  const api = createRouter({
    servers: serversOf<Caller>(
      endpoints.map((endpoint) => noted(endpoint, security, 'command')),
      {
        authenticate: (credentials) => userNamedBy(credentials, store),
        authenticatePage: undefined,
        cookie: 'carillon',
        site,
        admission,
        log,
        picker,
        turns,
        ownerOf: (caller) => caller,
        maxBodyBytes,
      },
    ),
    log,
    pathPrefix: '',
    gate: new Gate({ ...site, admission, log, metrics: undefined, peer: '127.0.0.1' }),
    pages: (_request, response) => {
      const error = 'There is no such path in the API.';
      response.writeHead(404, [...jsonHeaders]).end(JSON.stringify({ error }));
    },
  });
  return {
    api,
    async stop() {
      admission.stop();
      await Promise.race([admission.idle(), delay(stopMs, undefined, { ref: false })]);
      await picker.stop();
    },
  };
}

async function userNamedBy(credentials: Credentials, store: Store): Promise<Caller> {
  if (credentials.kind === 'key')
    throw new ServiceError('unauthorised', 'On this socket, name the user by Basic authentication.');
  const account = await store.read(findAccountByUsername, credentials.username);
  if (account === undefined) throw new ServiceError('not_found', `There is no user ${credentials.username}.`);
  if (!isActive(account))
    throw new ServiceError('unauthorised', `The user ${credentials.username} or its company is not active.`);
  return { ...callerOf(account), session: operatorSession };
}
