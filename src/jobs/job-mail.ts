/**
 * The e-mail that a person in a run gets instead of an SMS: the text, with a link to the page where this person answers. Only
 * this server can write a link, so nothing is stored for it, and a guessed link causes no store access:
 *
 *   1001.7.tk3x9c.GhV3…   run . place of the person . end, in seconds, in base 36 . HMAC-SHA256 of all that precedes
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { noReplyAt, type OutgoingMail } from '../email/outgoing/outgoing-mail.ts';
import { storedReason } from '../foundation/sentences.ts';
import type { Sending } from '../messages/sending/send.ts';
import { escapeHtml } from '../wire/escape-html.ts';
import { pageWords } from './answer-page.ts';
import type { Person, Run } from './run/run.ts';

export interface JobMailSettings {
  /** The URL by which people reach the server, without a trailing slash. */
  readonly baseUrl: string;
  /** The domain that our e-mails come from. */
  readonly domain: string;
  readonly secret: KeyObject;
}

/** The channels by which a run sends: SMS, and mail for people without a phone. */
export interface JobSending extends Sending {
  /** Undefined if no relay is configured, so that no mail can be sent. */
  readonly mail: JobMailSettings | undefined;
}

export function obstacleToMail({ mail }: Pick<JobSending, 'mail'>): { readonly mail?: string } {
  return mail === undefined ? { mail: storedReason({ sentence: 'no_mail_relay' }) } : {};
}

interface JobMailText {
  readonly person: Pick<Person, 'place' | 'name'> & { readonly email: string };
  readonly text: string;
  /** Whether this is a question, which is useless after the end of the run. */
  readonly isQuestion: boolean;
  /** The step of the run that sends the e-mail, or the name of what is told after its end; each sends a person at most one. */
  readonly step: number | string;
}

/** Includes the text shown in the record. */
export interface JobMail extends OutgoingMail {
  readonly place: number;
  readonly isQuestion: boolean;
  readonly said: string;
}

export function jobMail(
  { baseUrl, domain, secret }: JobMailSettings,
  run: Run,
  { person, text, isQuestion, step }: JobMailText,
  now: number,
): JobMail {
  const { id: runId, companyId, jobName, settings } = run;
  const { place, name, email } = person;
  const expiresAt = Math.max(run.expiryAt ?? now, now) + afterEndMs;
  const link = `${baseUrl}${answerPath}/${writeAnswerLink(secret, { runId, place, expiresAt })}`;
  const words = pageWords[settings.language];
  const html = `<p style="white-space: pre-line">${escapeHtml(text)}</p>
<p><a href="${escapeHtml(link)}">${escapeHtml(words.answerHere.replace(/:$/, ''))}</a></p>
<p><small>${escapeHtml(words.linkIsYours)}</small></p>
`;
  return {
    messageId: `<job.${runId}.${place}.${step}@${domain}>`,
    companyId,
    kind: 'question',
    place,
    isQuestion,
    said: text,
    ...(isQuestion && run.expiryAt !== null && { giveUpAt: run.expiryAt }),
    content: {
      from: { name: '', address: noReplyAt(domain) },
      to: { name, address: email },
      subject: jobName,
      text: `${text}\n\n${words.answerHere}\n${link}\n\n${words.linkIsYours}\n`,
      html,
      // Mail programs group e-mails by this reference.
      references: [`<job.${runId}.${place}@${domain}>`],
      autoSubmitted: 'auto-generated',
    },
  };
}

export interface AnswerLink {
  readonly runId: number;
  readonly place: number;
  readonly expiresAt: number;
}

/**
 * A link keeps working this long after the end of its run, as answers by SMS do, so that late senders are told that it
 * is too late.
 */
export const afterEndMs = 72 * 60 * 60_000;

/** The HMAC key, derived from the server's secret for this use only (RFC 5869: `info` separates the uses). */
export function answerLinkSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon answer link 1', 32)));
}

/** The path of the page on the server. */
export const answerPath = '/answer';

/** All characters are unreserved in URLs (RFC 3986, section 2.3). */
export function writeAnswerLink(secret: KeyObject, { runId, place, expiresAt }: AnswerLink): string {
  const claimed = `${runId}.${place}.${Math.ceil(expiresAt / 1_000).toString(36)}`;
  return `${claimed}.${signature(secret, claimed)}`;
}

/** Far longer than any link that the server writes. */
const maxLength = 120;
const form = /^([1-9][0-9]{0,15})\.([0-9]{1,5})\.([0-9a-z]{1,9})$/;

/** Undefined if this server did not write it; the caller must check whether it has expired. */
export function readAnswerLink(secret: KeyObject, text: string): AnswerLink | undefined {
  const looked = text.slice(0, maxLength);
  const claimed = looked.slice(0, Math.max(0, looked.lastIndexOf('.')));
  // Computed and compared in the same time whatever the input.
  const expected = Buffer.from(signature(secret, claimed));
  const given = Buffer.from(text.slice(claimed.length + 1, maxLength));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [, runId, place, seconds] = form.exec(claimed) ?? [];
  if (seconds === undefined) return undefined;
  return { runId: Number(runId), place: Number(place), expiresAt: Number.parseInt(seconds, 36) * 1_000 };
}

function signature(secret: KeyObject, claimed: string): string {
  return createHmac('sha256', secret).update(claimed).digest('base64url');
}
