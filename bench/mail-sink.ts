/** A mail relay in its own process that accepts, reads and counts every e-mail. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

let mails = 0;

const server = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  disableReverseLookup: true,
  logger: false,
  onData(stream, _session, callback) {
    stream.on('end', () => {
      mails += 1;
      callback();
    });
    stream.resume();
  },
});

// A server that is stopped or killed abandons its connections.
server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ECONNRESET') throw error;
});
process.on('message', () => process.send?.(mails));
server.listen(0, '127.0.0.1', () => process.send?.((server.server.address() as AddressInfo).port));
