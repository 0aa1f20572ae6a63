/** The conversation that a mail belongs to, by the ids that it refers to (RFC 5322 3.6.4), and ids of our own in it. */
import { createHash } from 'node:crypto';
import { fieldValue, type MailHeader } from './header-fields.ts';

/** Of a field; a long conversation leaves out what is in the middle. */
const maxFieldLength = 20_000;
/** Longer ones are left out: no program makes them. */
const idForm = /<[^<>\s]{1,250}>/g;
const maxReferencesLength = 2_000;

/** The oldest first. */
function referredIn(header: MailHeader): readonly string[] {
  const ids = ['references', 'in-reply-to'].flatMap(
    (name) => fieldValue(header, name)?.slice(0, maxFieldLength).match(idForm) ?? [],
  );
  return [...new Set(ids)];
}

/** Such as `<answer.1000000002.mail-0123456789abcdef0123456789abcdef@sms.example.com>`. */
const ownForm = /^<[a-z]+\.[0-9.]{1,40}\.(mail-[0-9a-f]{32})@/;

/** `kind` in letters, `number` in digits and dots: no other mail has both. */
export function ownMessageId(
  kind: string,
  number: string,
  { conversation, domain }: { readonly conversation: string; readonly domain: string },
): string {
  return `<${kind}.${number}.${conversation}@${domain}>`;
}

/**
 * A mail that answers one of ours belongs to the conversation that this names; any other, to that of the first mail which it
 * refers to, be it the mail itself. Without any id it is alone.
 */
export function conversationOf(
  header: MailHeader,
  messageId: string | undefined,
  octets: Uint8Array,
): string {
  const referred = referredIn(header);
  const own = referred.map((id) => ownForm.exec(id)?.[1]).findLast((found) => found !== undefined);
  if (own !== undefined) return own;
  const root = referred[0] ?? messageId ?? octets.subarray(0, header.bodyStart);
  return `mail-${createHash('sha256').update(root).digest('hex').slice(0, 32)}`;
}

/** What an answer to the mail refers to: the first id, and as many of the last as there is room for. */
export function referencesOfAnswer(header: MailHeader, messageId: string | undefined): readonly string[] {
  const ids = [...new Set([...referredIn(header), ...(messageId === undefined ? [] : [messageId])])];
  const [first, ...others] = ids;
  if (first === undefined) return [];
  const kept: string[] = [];
  let length = first.length;
  for (const id of others.reverse()) {
    length += 1 + id.length;
    if (length > maxReferencesLength) break;
    kept.unshift(id);
  }
  return [first, ...kept];
}
