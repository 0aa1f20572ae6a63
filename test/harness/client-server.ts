/** The SMPP server on a store, whose clients need no password. */
import { type SmppAuthentication, smppClientOf } from '../../src/accounts/smpp-authentication.ts';
import { findSmppAccount } from '../../src/accounts/smpp-logins.ts';
import { unauthorised } from '../../src/accounts/unauthorised.ts';
import { ClientServer } from '../../src/esme/server.ts';
import type { Sending } from '../../src/messages/sending/send.ts';
import type { News } from '../../src/storage/news.ts';
import type { Store } from '../../src/storage/store.ts';

const nothing = () => undefined;

interface ServerOf {
  /** Where the logins are. */
  readonly store: Store;
  readonly sending: Sending;
  /** Gets what the server does when accounts have changed. */
  readonly onAccounts?: (changed: () => void | Promise<void>) => void;
  readonly info?: (details: object) => void;
}

export function clientServer({
  store,
  sending,
  onAccounts = nothing,
  info = nothing,
}: ServerOf): ClientServer {
  const authenticate = async (systemId: string) => {
    const account = await store.read(findSmppAccount, systemId);
    const client = account && smppClientOf(account);
    if (client === undefined) throw unauthorised();
    return client;
  };
  return new ClientServer({
    addresses: [{ host: '127.0.0.1', port: 0 }],
    authentication: { authenticate } as unknown as SmppAuthentication,
    sending,
    news: { on: (_: string, changed: () => void) => onAccounts(changed) } as unknown as News,
    nodeId: () => 1,
    storeWaitMs: () => 0,
    refused: nothing,
    log: { info, warn: nothing, error: nothing } as never,
  });
}
