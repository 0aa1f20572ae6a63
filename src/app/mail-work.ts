/** The work of a node with the role `mail`: it receives mail by SMTP and verifies the sender through DNS. */
import { Resolver } from 'node:dns/promises';
import type { Logger } from 'pino';
import type { Caller } from '../accounts/caller.ts';
import type { Config } from '../config/config.ts';
import type { Address } from '../config/environment.ts';
import { receiveMail } from '../email/gateway/receive-mail.ts';
import { MailRecords } from '../email/gateway/recent-mail.ts';
import { acceptingMail, acceptMail, acceptTwoWayMail } from '../email/gateway/store.ts';
import type { ResolveDns } from '../email/proof/bounded-dns.ts';
import { MailServer } from '../email/smtp/server.ts';
import { StartError } from '../foundation/errors.ts';
import type { Authenticate } from '../http/credentials/credentials.ts';
import { addressTest } from '../http/origin.ts';
import { acceptMessages } from '../messages/sending/accept.ts';
import type { Sending } from '../messages/sending/send.ts';
import type { Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

export interface MailWorkNeeds {
  readonly config: Config;
  readonly sending: Sending;
  readonly authenticate: Authenticate<Caller>;
  readonly metrics: Pick<Metrics, 'mail' | 'watchMail'>;
  readonly log: Logger;
}

/** A short timeout, so that another server is asked soon when one does not answer; the whole check is limited to 10 s. */
const dnsTimeoutMs = 2_000;

/** Does nothing on a node without the role `mail`. */
export async function startMail(needs: MailWorkNeeds, stack: StopStack): Promise<void> {
  const { config, metrics, log } = needs;
  if (config.smtp === undefined || !config.roles.has('mail')) return;
  const { store, clock } = needs.sending;
  const records = new MailRecords({ store, clock, log });
  const server = mailServer(config.smtp, records, needs);
  stack.push(async () => {
    await server.stop();
    await records.stop();
  });
  try {
    await server.listen();
    metrics.watchMail(() => server.connections);
  } catch (error) {
    if (!(config.smtpIsDefault && error instanceof StartError)) throw error;
    log.warn({ reason: error.message }, 'continues without receiving mail');
  }
}

function mailServer(address: Address, records: MailRecords, { config, ...needs }: MailWorkNeeds): MailServer {
  const { sending, authenticate, metrics, log } = needs;
  const { store, clock } = sending;
  const isTrustedRelay = addressTest(config.trustedMailRelays);
  const { mailDomains: domains } = config;
  const proof = { resolve: systemDns(), clock, isTrustedRelay, turns: sending.turns };
  const receiving = { sending: { ...sending, acceptMail: acceptingMail(store) }, proof, domains, log };
  return new MailServer({
    address,
    domains,
    maxOctets: config.maxMailBytes,
    tls: config.tls,
    isTrustedRelay,
    authenticate,
    receive: (mail, findings) => receiveMail(receiving, mail, findings),
    record: (mail) => records.record(mail),
    storeWaitMs: () => Math.max(...accepting.map((verb) => store.waitMs(verb))),
    metrics: metrics.mail,
    log,
  });
}

/** The verbs that e-mails need, and that too many e-mails would delay for other callers. */
const accepting = [acceptMail, acceptTwoWayMail, acceptMessages];

export function systemDns(): ResolveDns {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
  return async (name, type) => (await resolver.resolve(name, type)) as Awaited<ReturnType<ResolveDns>>;
}
