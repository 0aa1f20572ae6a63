/** Connects to what the guard has judged, and to nothing else: no name is looked up again on the way. */
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

export interface GuardedConnectorOptions {
  readonly guard: AddressGuard;
  readonly timeoutMs: number;
  /** PEM; absent: those that Node trusts. */
  readonly ca?: string | undefined;
  /** The host as the URL has it, and the address that was connected to. */
  readonly connected: (host: string, address: string) => void;
}

export function guardedConnector({
  guard,
  timeoutMs,
  ca,
  connected,
}: GuardedConnectorOptions): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });
  const connectTo = (options: buildConnector.Options, address: string) =>
    new Promise<Parameters<buildConnector.Callback>>((resolve) => {
      // The name goes on to TLS, which asks the receiver for its certificate.
      connect({ ...options, hostname: address }, (...result) => resolve(result));
    });
  const connectToAny = async (options: buildConnector.Options, callback: buildConnector.Callback) => {
    let last: Error | undefined;
    for (const address of await guard.addressesOf(options.hostname)) {
      const [error, socket] = await connectTo(options, address);
      // Of a failure there is the error alone.
      if (socket) {
        connected(options.host ?? options.hostname, address);
        return callback(null, socket);
      }
      last = error;
    }
    throw last;
  };
  return (options, callback) => {
    connectToAny(options, callback).catch((error: Error) => callback(error, null));
  };
}
