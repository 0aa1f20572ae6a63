/** Lines for unread replies, and for SMS that belong to nobody. */
import { Fragment, type ReactNode } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { ButtonLink } from '../design/button.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useUnread } from '../session/unread.ts';
import type { Line, Source } from './lines.tsx';
import { useHomeWords } from './texts.ts';

/** Above this number, the exact number is not shown. */
const counted = 20;
const live = ['conversations', 'incoming'];

export function useIncomingLines(): Source {
  const words = useHomeWords();
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const unrouted = useRead('/api/v1/unrouted', { limit: counted }, { live, enabled: isAdministrator });
  const unread = useUnread();
  const assigned = useRead('/api/v1/conversations', { assigned: 'me', limit: counted }, { live });
  const needs: Line[] = [];
  const few = unrouted.data?.unrouted ?? [];
  if (few.length > 0)
    needs.push({
      key: 'unrouted',
      tone: 'waiting',
      icon: 'alert',
      title: words.unrouted(few.length, unrouted.data?.next !== undefined),
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
  const given = assigned.data?.conversations ?? [];
  if (given.length > 0)
    needs.push({
      key: 'assigned',
      tone: 'waiting',
      icon: 'conversations',
      title: words.assigned(given.length, assigned.data?.next !== undefined),
      detail: namesOf(given),
      act: (
        <ButtonLink to="/conversations" search={{ assigned: 'me' }}>
          {words.open}
        </ButtonLink>
      ),
    });
  return { needs, queries: [unrouted, unread, assigned] };
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
