/** Lines for unread replies, and for SMS that belong to nobody. */
import { Fragment, type ReactNode } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { ButtonLink } from '../design/button.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { useUnread } from '../session/unread.ts';
import type { Line, Source } from './lines.tsx';
import { useStart } from './start.ts';
import { useHomeWords } from './texts.ts';

export function useIncomingLines(): Source {
  const words = useHomeWords();
  const { data } = useStart();
  const unread = useUnread();
  const needs: Line[] = [];
  const few = data?.unrouted?.unrouted ?? [];
  if (few.length > 0)
    needs.push({
      key: 'unrouted',
      tone: 'waiting',
      icon: 'alert',
      title: words.unrouted(few.length, data?.unrouted?.next !== undefined),
      act: <ButtonLink to="/unrouted">{words.give}</ButtonLink>,
    });
  const open = unread.data?.conversations ?? [];
  const [first] = open;
  if (first !== undefined)
    needs.push({
      key: 'unread',
      tone: 'answered',
      icon: 'conversations',
      title: words.unread(open.length, unread.data?.next !== undefined),
      detail: namesOf(open),
      act: (
        <ButtonLink to="/conversations" search={{ show: 'unread', mine: true, open: first.id }}>
          {words.read}
        </ButtonLink>
      ),
    });
  const given = data?.assigned.conversations ?? [];
  if (given.length > 0)
    needs.push({
      key: 'assigned',
      tone: 'waiting',
      icon: 'conversations',
      title: words.assigned(given.length, data?.assigned.next !== undefined),
      detail: namesOf(given),
      act: (
        <ButtonLink to="/conversations" search={{ assigned: 'me' }}>
          {words.open}
        </ButtonLink>
      ),
    });
  return { needs, queries: [unread] };
}

type Conversation = AnswerOf<'GET', '/api/v1/conversations'>['conversations'][number];

function namesOf(conversations: readonly Conversation[]): ReactNode {
  return conversations.slice(0, 3).map(({ id, name, phone }, place) => (
    <Fragment key={id}>
      {place > 0 && ', '}
      {name || <PhoneNumber number={phone} />}
    </Fragment>
  ));
}
