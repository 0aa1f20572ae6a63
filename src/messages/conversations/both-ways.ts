/** Reads what was sent to a phone and what the phone has written as one list: the latest first, a page at a time. */
import type { Reading } from '../../storage/verb.ts';
import { type FoundPage, findMessages, type MessageSearch } from '../management/search-store.ts';
import type { ListedMessage } from '../operator/inspect.ts';

/** Where a page begins: right after these two messages. */
export interface ThreadPlace {
  /** The last of our messages that has been shown; 0 when all of them have been shown. */
  readonly messageId: number;
  readonly receivedAt: number;
  readonly incomingId: number;
}

export const newest: ThreadPlace = {
  messageId: Number.MAX_SAFE_INTEGER,
  receivedAt: Number.MAX_SAFE_INTEGER,
  incomingId: Number.MAX_SAFE_INTEGER,
};

export interface ReceivedText {
  readonly id: number;
  readonly text: string;
  readonly at: number;
}

export interface SentText extends ReceivedText {
  readonly message: ListedMessage;
}

type SentToPhone = Pick<MessageSearch, 'companyId' | 'userId' | 'callerId' | 'recipient' | 'sender'>;

export async function findSentBehind(
  reading: Reading,
  { messageId }: ThreadPlace,
  { companyId, userId, callerId, recipient, sender, limit }: SentToPhone & { readonly limit: number },
): Promise<FoundPage> {
  if (messageId === 0) return { messages: [], next: null };
  return findMessages(reading, {
    companyId,
    userId,
    callerId,
    recipient,
    sender,
    limit,
    since: 0,
    until: Number.MAX_SAFE_INTEGER,
    id: undefined,
    conversation: undefined,
    batchId: undefined,
    costCenter: undefined,
    statuses: undefined,
    after: { time: undefined, id: messageId },
  });
}

interface BothWays<Theirs> {
  readonly ours: readonly SentText[];
  /** Where the search for our messages continues; null when it has reached the end. */
  readonly behindOurs: number | null;
  /** One more message than fits on the page, if there are that many. */
  readonly theirs: readonly Theirs[];
}

export interface PageOfBoth<Theirs> {
  readonly messages: readonly (SentText | Theirs)[];
  /** Null when there are no more. */
  readonly next: ThreadPlace | null;
}

/** Merges the two lists, the latest first, as far as the order is certain. */
export function merged<Theirs extends ReceivedText>(
  { ours, behindOurs, theirs }: BothWays<Theirs>,
  after: ThreadPlace,
  limit: number,
): PageOfBoth<Theirs> {
  const messages: (SentText | Theirs)[] = [];
  let [own, other] = [0, 0];
  while (messages.length < limit) {
    const [mine, their] = [ours[own], theirs[other]];
    if (mine === undefined && (behindOurs !== null || their === undefined)) break;
    if (mine !== undefined && (their === undefined || mine.at >= their.at)) {
      messages.push(mine);
      own += 1;
    } else if (their !== undefined) {
      messages.push(their);
      other += 1;
    }
  }
  const isEnd = own === ours.length && behindOurs === null && other === theirs.length;
  if (isEnd) return { messages, next: null };
  const [nextOwn, lastOther] = [ours[own], theirs[other - 1]];
  return {
    messages,
    next: {
      messageId: nextOwn === undefined ? (behindOurs ?? 0) : nextOwn.id + 1,
      receivedAt: lastOther?.at ?? after.receivedAt,
      incomingId: lastOther?.id ?? after.incomingId,
    },
  };
}
