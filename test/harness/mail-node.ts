/** A node that receives mail, with store and DNS under the test's control. Nothing is handed to carriers. */

import { pino } from 'pino';
import type { Caller } from '../../src/accounts/caller.ts';
import { unauthorised } from '../../src/accounts/unauthorised.ts';
import { checkMail, type MailToCheck } from '../../src/email/gateway/check-mail.ts';
import { receiveMail } from '../../src/email/gateway/receive-mail.ts';
import { MailRecords } from '../../src/email/gateway/recent-mail.ts';
import { acceptingMail } from '../../src/email/gateway/store.ts';
import type { MailConnectionLimits } from '../../src/email/smtp/connections.ts';
import { type MailGateLimits, standardMailGateLimits } from '../../src/email/smtp/gate.ts';
import { MailServer } from '../../src/email/smtp/server.ts';
import { type Clock, systemClock } from '../../src/foundation/clock.ts';
import { Turns } from '../../src/foundation/turns.ts';
import type { TlsFiles } from '../../src/http/connections/tls-files.ts';
import type { AddressTest } from '../../src/http/origin.ts';
import type { Store } from '../../src/storage/store.ts';
import { memoryDns, type Zone } from './memory-dns.ts';
import { sendingOn } from './sending-node.ts';
import { deliverMail, type MailToSend } from './smtp-client.ts';

export interface MailNodeOptions {
  readonly store: Store;
  readonly zone?: Zone;
  readonly clock?: Clock;
  readonly isTrustedRelay?: AddressTest;
  /** Users who can log in with any password. */
  readonly users?: readonly Pick<Caller, 'userId' | 'username' | 'companyId' | 'roles'>[];
  readonly tls?: TlsFiles;
  /** How long the store's queue makes calls wait; if it is long, not even a single e-mail is accepted. */
  readonly waitMs?: () => number;
  readonly limits?: Partial<MailGateLimits>;
  readonly maxOctets?: number;
  readonly connectionLimits?: MailConnectionLimits;
  /** Whether clients count as programs on this machine; if not, they count as one ordinary network. */
  readonly isLocal?: AddressTest;
  /** The turns in which e-mails are read. */
  readonly turns?: Turns;
}

/** The in-memory DNS responds at once, so a stall of the machine must not count as a silent DNS server. */
const proofPatienceMs = 3_600_000;

export async function startMailNode(options: MailNodeOptions) {
  const { store, zone = {}, clock = systemClock, isTrustedRelay = () => false, users = [] } = options;
  const { turns = new Turns(), connectionLimits, isLocal } = options;
  const sending = { ...sendingOn(store, clock, { turns }), acceptMail: acceptingMail(store) };
  const connecting = {
    ...(connectionLimits === undefined ? {} : { connectionLimits }),
    ...(isLocal === undefined ? {} : { isLocal }),
  };
  const { resolve } = memoryDns(zone);
  const proof = { resolve, clock, isTrustedRelay, turns, timeoutMs: proofPatienceMs };
  const domains = ['sms.example'];
  const maxOctets = options.maxOctets ?? 1024 * 1024;
  const counted: string[] = [];
  const warned: object[] = [];
  const warnings = { warn: (details: object) => void warned.push(details) };
  const log = pino({ level: 'silent' });
  const records = new MailRecords({ store, clock, log: warnings });
  const server = new MailServer({
    address: { host: '127.0.0.1', port: 0 },
    domains,
    maxOctets,
    tls: options.tls,
    isTrustedRelay,
    ...connecting,
    authenticate(credentials) {
      const user = users.find(
        (one) => credentials.kind === 'password' && one.username === credentials.username,
      );
      if (user === undefined) throw unauthorised();
      return user as Caller;
    },
    receive: (mail, findings) => receiveMail({ sending, proof, domains, log: warnings }, mail, findings),
    record: (mail) => records.record(mail),
    storeWaitMs: options.waitMs ?? (() => 0),
    limits: {
      ...standardMailGateLimits,
      // A machine that stalls briefly must not count as an overload that no test asked for.
      ...(options.waitMs === undefined
        ? { maxWaitMs: Number.POSITIVE_INFINITY }
        : { minMails: 0, maxWaitMs: 5_000 }),
      ...options.limits,
    },
    metrics: { taken: (what) => counted.push(what), refused: (reason) => counted.push(reason) },
    log,
  });
  const port = await server.listen();
  return {
    port,
    /** What the metrics counted, in order. */
    counted,
    /** Warnings for the operator. */
    warned,
    server,
    /** Records the outcomes of e-mails. */
    records,
    deliver: (mail: MailToSend) => deliverMail(port, mail),
    /** Returns what `deliver` would do with the same e-mail. */
    check({ octets, to, from, login }: MailToSend) {
      const user = users.find(({ username }) => username === login?.username);
      const mail: MailToCheck = { octets, address: '127.0.0.1', envelopeSender: from, recipients: to, user };
      return checkMail({ sending, proof, domains, maxOctets }, mail);
    },
  };
}
