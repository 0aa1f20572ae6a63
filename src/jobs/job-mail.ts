/**
 * What somebody of a run gets by mail in the place of an SMS: the text, with a link to the page where this person answers
 * this run. This server alone can write a link, so that nothing is stored for it and a guess costs no look into the store:
 *
 *   1001.7.tk3x9c.GhV3…   run . place of the person . end, in seconds to the base 36 . HMAC-SHA256 of all before
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { noReplyAt, type OutgoingMail } from '../email/outgoing/outgoing-mail.ts';
import type { Sending } from '../messages/sending/send.ts';
import { escapeHtml } from '../wire/escape-html.ts';
import { pageWords } from './answer-page.ts';
import type { Person, Run } from './run/run.ts';

export interface JobMailSettings {
  /** Under which people reach the server, without a slash at its end. */
  readonly baseUrl: string;
  /** That mails of ours come from. */
  readonly domain: string;
  readonly secret: KeyObject;
}

/** What runs send by: SMS, and mail to those who have no phone. */
export interface JobSending extends Sending {
  /** Undefined: no relay is set, so that no mail can be sent. */
  readonly mail: JobMailSettings | undefined;
}

export function obstacleToMail({ mail }: Pick<JobSending, 'mail'>): { readonly mail?: string } {
  // The words stand in records, and behind a colon.
  return mail === undefined ? { mail: 'no phone number, and no relay for mail is set' } : {};
}

interface JobMailText {
  readonly person: Pick<Person, 'place' | 'name'> & { readonly email: string };
  readonly text: string;
  /** A question is of no use after the end of the run. */
  readonly isQuestion: boolean;
  /** The step of the run that sends it; it sends at most one to each person. */
  readonly step: number;
}

/** With what stands of it in the record. */
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
      // What they have in common, by which programs show them together.
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

/** So long a link works after the end of its run, as an answer by SMS still finds it: who comes late is told so. */
export const afterEndMs = 72 * 60 * 60_000;

/** The key of the HMAC, good for nothing else that the server's secret protects (RFC 5869: `info` separates uses). */
export function answerLinkSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon answer link 1', 32)));
}

/** Where the page stands, below the address of the server. */
export const answerPath = '/answer';

/** All characters are unreserved in URLs (RFC 3986, section 2.3). */
export function writeAnswerLink(secret: KeyObject, { runId, place, expiresAt }: AnswerLink): string {
  const claimed = `${runId}.${place}.${Math.ceil(expiresAt / 1_000).toString(36)}`;
  return `${claimed}.${signature(secret, claimed)}`;
}

/** Far above the longest that is ever written. */
const maxLength = 120;
const form = /^([1-9][0-9]{0,15})\.([0-9]{1,5})\.([0-9a-z]{1,9})$/;

/** Undefined when this server did not write it; whether its time is over is for the caller to see. */
export function readAnswerLink(secret: KeyObject, text: string): AnswerLink | undefined {
  const looked = text.slice(0, maxLength);
  const claimed = looked.slice(0, Math.max(0, looked.lastIndexOf('.')));
  // The same work for whatever comes.
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
