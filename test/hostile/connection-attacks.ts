/** Attacks of more than one call: slow connections, clients that disconnect, guesses from everywhere, and e-mails. */
import { connect, type Socket } from 'node:net';
import { startJobPath } from '../harness/jobs.ts';
import { sendPath, statusPath } from '../harness/messaging.ts';
import { rawMail } from '../harness/raw-mail.ts';
import { deliverMail } from '../harness/smtp-client.ts';
import type { Attack, Strike } from './attack.ts';
import { crowdAttacks } from './crowd-attacks.ts';
import { basic } from './forms.ts';
import { bytesOf, call } from './raw-call.ts';
import { jobToAll, jobToSome, mallory, proxyAddress, relayAddress, type Site } from './site.ts';

const mib = 1_048_576;
const batchStatusPath = '/restsms/svcrest/batchmessagestatus';
let turn = 0;

/** A client that repeatedly disconnects before its response. */
const leaving: Attack = {
  name: 'a client that leaves, again and again',
  by: 'customer',
  cheapest: (site) => leave(site, statusPath, { maxnum: 10_000, markasread: false }),
  worst: (site) =>
    leave(site, batchStatusPath, {
      messageconversations: Array.from({ length: 500 }, (_, index) => `c${index}`),
    }),
};

function leave(site: Site, path: string, fields: object): Strike {
  const bytes = bytesOf({ path, headers: { 'x-api-key': site.malloryKey }, body: JSON.stringify(fields) });
  return () => call(site.port, { bytes, leaveAfterMs: 5 });
}

/** One strike makes this many guesses, each from a different network. */
const guessing: Attack = {
  name: 'wrong passwords from many networks',
  by: 'stranger',
  cheapest: (site) => guess(site, 1, () => 'alice'),
  worst: (site) => guess(site, 64, (index) => (index % 2 === 0 ? 'alice' : `user${turn++}`)),
};

function guess(site: Site, concurrency: number, username: (index: number) => string): Strike {
  return async () => {
    const answers = await Promise.all(
      Array.from({ length: concurrency }, (_, index) => {
        const pair = Buffer.from(`${username(index)}:guess number ${turn++}`).toString('base64');
        const headers = {
          authorization: `Basic ${pair}`,
          'x-forwarded-for': `${1 + (turn % 200)}.${turn % 251}.${turn % 241}.7`,
          'x-forwarded-proto': 'https',
        };
        return call(site.port, {
          bytes: bytesOf({ path: statusPath, headers }),
          from: proxyAddress,
        });
      }),
    );
    return answers[0] ?? '';
  };
}

/** One strike opens this many connections, which occupy their slots for a moment. */
const dawdling: Attack = {
  name: 'connections of one network that say hardly anything',
  by: 'stranger',
  cheapest: (site) => dawdle(site, 500, 'G'),
  worst: (site) =>
    dawdle(site, 2_000, `POST ${sendPath} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n{`),
};

function dawdle({ port }: Site, connections: number, opening: string): Strike {
  return async () => {
    const sockets: Socket[] = [];
    for (let index = 0; index < connections; index++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.9.${1 + (index % 200)}` });
      socket.on('error', () => undefined);
      socket.on('connect', () => socket.write(opening));
      sockets.push(socket);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const open = sockets.filter((socket) => !socket.destroyed).length;
    for (const socket of sockets) socket.destroy();
    return `${open} of ${connections} open`;
  };
}

/** Calls sent one after the other in one piece, without waiting for a response. */
const pipelining: Attack = {
  name: 'a thousand calls in one go',
  by: 'customer',
  cheapest: (site) => pipeline(site, 100),
  worst: (site) => pipeline(site, 1_000),
};

function pipeline(site: Site, calls: number): Strike {
  const one = bytesOf({
    path: sendPath,
    headers: { 'x-api-key': site.malloryKey },
    body: JSON.stringify({ to: ['46731000001'], message: 'x' }),
  });
  const bytes = Buffer.concat(Array(calls).fill(one));
  return () => call(site.port, { bytes, leaveAfterMs: 500 });
}

/** One strike creates this many webhooks, each at a name whose name servers may never respond. */
const lookingUp: Attack = {
  name: 'webhooks at names that nobody tells',
  by: 'customer',
  cheapest: (site) => lookUp(site, 1),
  worst: (site) => lookUp(site, 64),
};

function lookUp(site: Site, concurrency: number): Strike {
  const headers = { ...basic(mallory.username, mallory.password), 'content-type': 'application/json' };
  return async () => {
    const answers = await Promise.all(
      Array.from({ length: concurrency }, () => {
        const name = `n${turn++}`;
        const url = `https://${name}.mallory.example/`;
        const body = JSON.stringify({ name, url, events: ['message.status'] });
        return call(site.port, { bytes: bytesOf({ path: '/api/v1/webhooks', headers, body }) });
      }),
    );
    return [...new Set(answers)].sort().join(' ');
  };
}

/** One strike starts a run that asks a thousand people by mail, or as many as a run allows. */
const alarming: Attack = {
  name: 'jobs that ask people by mail',
  by: 'customer',
  cheapest: (site) => startJob(site, jobToSome),
  worst: (site) => startJob(site, jobToAll),
};

function startJob(site: Site, jobid: number): Strike {
  const headers = { 'x-api-key': site.jobsKey, 'content-type': 'application/json' };
  const bytes = bytesOf({ path: startJobPath, headers, body: JSON.stringify({ jobid }) });
  return () => call(site.port, { bytes });
}

function mails(name: string, from: string, cheapest: Buffer, worst: Buffer): Attack {
  const deliver =
    (octets: Buffer) =>
    (site: Site): Strike =>
    async () => {
      const { code } = await deliverMail(site.smtpPort, {
        octets,
        to: ['46731000001@sms.localhost'],
        from: 'one@mallory.example',
        localAddress: from,
      });
      return String(code);
    };
  return {
    name,
    by: from === relayAddress ? 'customer' : 'stranger',
    cheapest: deliver(cheapest),
    worst: deliver(worst),
  };
}

let mailNumber = 0;
const header = () => [
  'From: <one@mallory.example>',
  'To: 46731000001@sms.localhost',
  'Subject: x',
  `Message-ID: <${mailNumber++}@mallory.example>`,
];
const textHeader = () => [...header(), 'Content-Type: text/plain; charset=utf-8'];
const fill = (token: string, bytes: number) => token.repeat(Math.floor(bytes / token.length));

const mailAttacks: readonly Attack[] = [
  mails(
    'a line of tabs before the mark of a forwarded e-mail, through a trusted relay',
    relayAddress,
    rawMail(textHeader(), `${fill('\t', 10_000)}-----Original Message-----`),
    rawMail(textHeader(), `${fill('\t', 900_000)}-----Original Message-----`),
  ),
  mails(
    'From fields of angle brackets',
    '127.0.0.4',
    rawMail([...header(), `From: ${fill('<', 900)}`]),
    rawMail([...header(), ...Array(8).fill(`From: ${fill('<', 60_000)}`)]),
  ),
  mails(
    'HTML of nothing but tags, through a trusted relay',
    relayAddress,
    rawMail([...header(), 'Content-Type: text/html'], fill('<div>', 10_000)),
    rawMail([...header(), 'Content-Type: text/html'], fill('<div><blockquote>&#1;', mib - 4_096)),
  ),
  mails(
    'parts in parts, through a trusted relay',
    relayAddress,
    rawMail([...header(), 'Content-Type: multipart/mixed; boundary=a'], fill('--a\r\n\r\n', 10_000)),
    rawMail(
      [...header(), 'Content-Type: multipart/mixed; boundary=a'],
      fill('--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n', mib - 4_096),
    ),
  ),
  mails(
    'an e-mail of signatures that prove nothing, from a stranger',
    '127.0.0.5',
    rawMail([...header(), 'DKIM-Signature: v=1'], 'x'),
    rawMail(
      [
        ...Array(20).fill(
          'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=mallory.example; s=a; h=from; bh=AAAA; b=AAAA',
        ),
        ...header(),
      ],
      fill(' \t\r\n', mib - 8_192),
    ),
  ),
];

export const otherAttacks: readonly Attack[] = [
  ...[leaving, guessing, dawdling, pipelining, lookingUp, alarming],
  ...crowdAttacks,
  ...mailAttacks,
];
