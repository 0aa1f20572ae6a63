/** How mails are written that go out: times, and paragraphs. */
import { escapeHtml } from '../../wire/escape-html.ts';
import type { MailContent } from './outgoing-mail.ts';

/** In UTC, to the minute. */
export function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Paragraphs of lines, as the two texts that a mail has. */
export function texts(paragraphs: readonly (readonly string[])[]): Pick<MailContent, 'text' | 'html'> {
  const html = paragraphs.map((lines) => `<p>${lines.map(escapeHtml).join('<br>\n')}</p>\n`).join('');
  return {
    text: `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`,
    html: `<!DOCTYPE html>\n<html><body>\n${html}</body></html>\n`,
  };
}
