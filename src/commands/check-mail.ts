/** `carillon mail check`: reports what would happen to an e-mail in a file, and why. Nothing is sent or stored. */
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { findAccountByUsername } from '../accounts/account.ts';
import { systemDns } from '../app/mail-work.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import type { Config } from '../config/config.ts';
import { type CheckedMail, checkMail } from '../email/gateway/check-mail.ts';
import type { ResolveDns } from '../email/proof/bounded-dns.ts';
import { recordedDns } from '../email/proof/recorded-dns.ts';
import type { Proof } from '../email/proof/sender-proof.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { Turns } from '../foundation/turns.ts';
import { addressTest } from '../http/origin.ts';
import { listOwnedSenders } from '../routing/number-records.ts';
import { listRoutes } from '../routing/route-records.ts';
import { RoutingTable } from '../routing/routing-table.ts';
import { SenderOwners } from '../routing/sender-owners.ts';
import { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { SavedTemplates } from '../templates/saved-templates.ts';
import { isGsm7 } from '../wire/sms/gsm7.ts';
import { inStore } from './as-operator.ts';
import { factLines, type JsonOption } from './list.ts';

export interface CheckOptions extends JsonOption {
  readonly from?: string;
  readonly to: readonly string[];
  readonly client: string;
  readonly user?: string;
  readonly dns?: string;
}

/** Longer than at the gateway, because no open connection waits. */
const timeoutMs = 100_000;

/** Differs from 1, which is for a command that could not do its work. */
const notSentExitCode = 2;

export async function check(file: string, options: CheckOptions): Promise<void> {
  const { from, to, client, user, dns, json = false } = options;
  if (isIP(client) === 0) throw new StartError(`${JSON.stringify(client)} is not an IP address.`);
  const octets = asSent(await contentOf(file));
  const resolve = dns === undefined ? systemDns() : await recordsIn(dns);
  await inStore(async (store, config) => {
    const mail = { octets, address: client, envelopeSender: from, recipients: to };
    const services = await servicesOn(store, config, resolve);
    const checked = await checkMail(services, { ...mail, user: await userNamed(store, user) });
    const isSent = checked.answer.kind === 'taken' && checked.answer.what === 'sent';
    if (json) printJson(asJson(checked, client), 2);
    else printChecked(checked, client);
    if (!isSent) process.exitCode = notSentExitCode;
  });
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new StartError(`The file ${path} can't be read: ${(error as Error).message}.`);
  }
}

/** Files have the line endings of their system until a program sends them. A file with mixed line endings stays as it is. */
function asSent(octets: Buffer): Buffer {
  if (octets.includes('\r\n')) return octets;
  return Buffer.from(octets.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
}

async function recordsIn(path: string): Promise<ResolveDns> {
  const records = recordedDns((await contentOf(path)).toString());
  if (records.ok) return records.value;
  throw new StartError(`${path}: ${records.error}`);
}

async function userNamed(store: Store, username: string | undefined) {
  if (username === undefined) return undefined;
  const account = await store.read(findAccountByUsername, username);
  if (account === undefined) throw new StartError(`There is no user ${username}.`);
  return { userId: account.user.id, username };
}

async function servicesOn(store: Store, config: Config, resolve: ResolveDns) {
  const clock = systemClock;
  const turns = new Turns();
  const owners = new SenderOwners(await store.read(listOwnedSenders, null));
  const [routed, carriers] = [await store.read(listRoutes, null), await store.read(listCarriers, null)];
  const routes = new RoutingTable(routed, carriers, undefined, () => owners);
  const templates = new SavedTemplates(store, new News(store));
  return {
    sending: { store, clock, turns, templates, routes: () => routes },
    proof: { resolve, clock, turns, isTrustedRelay: addressTest(config.trustedMailRelays), timeoutMs },
    domains: config.mailDomains,
    maxOctets: config.maxMailBytes,
  };
}

function printChecked(checked: CheckedMail, client: string): void {
  const { findings, envelopeSender, refusedRecipients, messages, costCenter, remarks, answer } = checked;
  const { entry, proof } = findings;
  const paidBy = entry?.blocked ? 'blocked' : `paid by ${entry?.payingUser.username}`;
  const [first] = messages;
  const center = costCenter === '' ? '' : `, cost centre ${costCenter}`;
  const facts = factLines([
    ['Envelope', `${envelopeSender || '(empty)'}, delivered by ${client}`],
    ['From', findings.sender || '(no address)'],
    ['Proof', proof === undefined ? 'none' : proofSentence(proof)],
    ['Entry', entry && `${entry.email}, ${paidBy}`],
    ...refusedRecipients.map(({ recipient, why }) => ['Refused', `${recipient}: ${why}`] as const),
    ['To', first && messages.map(({ recipient }) => recipient).join(', ')],
    ['Sender', first && (first.sender || 'a number in the pool')],
    ['Text', first?.text.split('\n')],
    ['Encoding', first && `${encodingOf(first.text)}, ${counted(first.parts, 'part')}`],
    ['Cost', first && `${counted(partsOf(checked), 'part')} in ${messages.length} SMS${center}`],
    ...remarks.map((remark) => ['Remark', remark.split('\n')] as const),
    ['Answer', answerSentence(checked).split('\n')],
  ]);
  print(...facts);
  if (answer.kind === 'taken' && answer.what === 'sent')
    print('', 'It would be sent. Nothing was sent or stored.');
  else print('', 'Nothing would be sent.');
}

function proofSentence(proof: Proof): string {
  switch (proof.method) {
    case 'DKIM':
      return `DKIM of ${proof.domain} (selector ${proof.selector}), aligned with From (DMARC); SPF: ${proof.spf}`;
    case 'SPF':
      return `SPF of ${proof.domain}, aligned with From (DMARC)`;
    case 'trusted relay':
      return `the trusted relay ${proof.address}`;
    case 'user':
      return `the login of ${proof.user}`;
  }
}

/** The ids of messages that would be sent are not real. */
function answerSentence({ answer, messages }: CheckedMail): string {
  if (answer.kind === 'refused') return `${answer.code} (${answer.reason}) ${answer.text}`;
  return answer.what === 'sent' ? `250 Sending ${messages.length} SMS.` : `250 ${answer.text}`;
}

function encodingOf(text: string): string {
  return isGsm7(text) ? 'GSM-7' : 'UCS-2';
}

function partsOf({ messages }: CheckedMail): number {
  return messages.reduce((sum, { parts }) => sum + parts, 0);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function asJson(checked: CheckedMail, client: string): object {
  const { findings, envelopeSender, refusedRecipients, messages, costCenter, remarks, answer } = checked;
  const { sender, isProven, entry, proof } = findings;
  const [first] = messages;
  return {
    wouldBeSent: answer.kind === 'taken' && answer.what === 'sent',
    outcome: answer.kind === 'refused' ? 'refused' : answer.what === 'automatic' ? 'ignored' : answer.what,
    reason: answer.kind === 'refused' ? answer.reason : null,
    answer: answerSentence(checked),
    envelope: { from: envelopeSender, client },
    from: { address: sender, isProven, proof: proof === undefined ? null : proofSentence(proof) },
    entry: entry === undefined ? null : entry.email,
    payingUser: entry === undefined ? null : entry.payingUser.username,
    refusedRecipients,
    messages,
    encoding: first === undefined ? null : encodingOf(first.text),
    parts: partsOf(checked),
    costCenter,
    remarks,
  };
}
