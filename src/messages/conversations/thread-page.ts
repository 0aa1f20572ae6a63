/** How a call asks for a page of the messages in both directions, and how an answer says where the next page begins. */
import { fault, type Result, success } from '../../foundation/result.ts';
import { text } from '../../http/parameters/kinds.ts';
import { pageParameters } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import type { ThreadPlace } from './both-ways.ts';

export const threadPageParameters = {
  after: ruled(
    text({
      get: 'after',
      maxLength: 60,
      description: 'The `next` of the previous page; the page continues with older messages.',
    }),
    readPlace,
  ),
  limit: pageParameters.limit,
} as const;

const form = /^(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/;

function readPlace(given: string): Result<ThreadPlace> {
  const [messageId = Number.NaN, receivedAt = Number.NaN, incomingId = Number.NaN] = (form.exec(given) ?? [])
    .slice(1)
    .map(Number);
  return [messageId, receivedAt, incomingId].every(Number.isSafeInteger)
    ? success({ messageId, receivedAt, incomingId })
    : fault('invalid_value', { sentence: 'unknown_cursor' });
}

/** Undefined if there is no next page. */
export function writePlace(place: ThreadPlace | null): string | undefined {
  return place === null ? undefined : `${place.messageId}.${place.receivedAt}.${place.incomingId}`;
}
