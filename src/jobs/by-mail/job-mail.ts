/** What somebody of a run gets by mail in the place of an SMS: the text, with a link to the page where he answers. */
import type { KeyObject } from 'node:crypto';
import { noReplyAt, type OutgoingMail } from '../../email/outgoing/outgoing-mail.ts';
import { escapeHtml } from '../../wire/escape-html.ts';
import type { Person, Run } from '../run/run.ts';
import { afterEndMs, answerPath, writeAnswerLink } from './answer-link.ts';
import { pageWords } from './page-words.ts';

export interface JobMailSettings {
  /** Under which people reach the server, without a slash at its end. */
  readonly baseUrl: string;
  /** That mails of ours come from. */
  readonly domain: string;
  readonly secret: KeyObject;
}

export interface JobMailText {
  readonly person: Pick<Person, 'place' | 'name'> & { readonly email: string };
  readonly text: string;
  /** Of no use after the end of the run. */
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
