/**
 * Determines the conversation that an e-mail belongs to from the ids it refers to (RFC 5322 3.6.4), and creates our own ids in
 * it.
 */
import { createHash } from 'node:crypto';
import { fieldValue, type MailHeader } from './header-fields.ts';

/** Maximum length of a field. Long conversations leave out the middle. */
const maxFieldLength = 20_000;
/** Longer ids are ignored, because no program creates them. */
const idForm = /<[^<>\s]{1,250}>/g;
const maxReferencesLength = 2_000;

/** Oldest first. */
function referredIn(header: MailHeader): readonly string[] {
  const ids = ['references', 'in-reply-to'].flatMap(
    (name) => fieldValue(header, name)?.slice(0, maxFieldLength).match(idForm) ?? [],
  );
  return [...new Set(ids)];
}

/** Such as `<answer.1000000002.mail-0123456789abcdef0123456789abcdef@sms.example.com>`. */
const ownForm = /^<[a-z]+\.[0-9.]{1,40}\.(mail-[0-9a-f]{32})@/;

/** `kind` consists of letters, `number` of digits and dots. Together they are unique to this e-mail. */
export function ownMessageId(
  kind: string,
  number: string,
  { conversation, domain }: { readonly conversation: string; readonly domain: string },
): string {
  return `<${kind}.${number}.${conversation}@${domain}>`;
}

/**
 * An e-mail that answers one of ours belongs to the conversation named in that id. Any other e-mail belongs to the
 * conversation of the first e-mail that it refers to, or to its own if it refers to none. An e-mail without any id has
 * its own conversation.
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

/** Returns the references for an answer to the e-mail: the first id, and as many of the last ids as fit. */
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
