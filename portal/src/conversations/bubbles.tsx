/** The messages of a conversation, the latest at the bottom, with a line for each day. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { Button } from '../design/button.tsx';
import { Bubble, Chat } from '../design/chat.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { toneOf } from '../design/status-badge.tsx';
import { useDesignWords } from '../design/texts.ts';
import { dayName, isSameDay, now, timeOfDay, utcTime } from '../words/times.ts';
import type { ShownConversation } from './address.ts';
import styles from './conversations.module.css';
import { useConversationWords } from './texts.ts';

type Message = ShownConversation['messages'][number];

export interface BubblesProps {
  readonly list: {
    readonly items: readonly Message[];
    readonly hasMore: boolean;
    readonly isLoadingMore: boolean;
    readonly loadMore: () => void;
  };
}

export function Bubbles({ list: { items, hasMore, isLoadingMore, loadMore } }: BubblesProps) {
  const words = useConversationWords();
  const box = useRef<HTMLDivElement>(null);
  useEndInSight(box, items);
  const inOrder = [...items].reverse();
  return (
    <Chat ref={box} className={styles.bubbles} label={words.messages}>
      {hasMore && (
        <Button small busy={isLoadingMore} onClick={loadMore} className={styles.earlier}>
          {words.earlier}
        </Button>
      )}
      {inOrder.map((message, place) => (
        <Said key={`${message.isOurs}${message.id}`} message={message} before={inOrder[place - 1]} />
      ))}
    </Chat>
  );
}

const nearPx = 120;

/** A reader at the end stays at the end when a message arrives; a reader further up keeps their place. */
function useEndInSight(box: RefObject<HTMLDivElement | null>, items: readonly Message[]): void {
  const fromEnd = useRef(0);
  const [newest, oldest] = [items[0]?.id, items.at(-1)?.id];
  const known = useRef<string | undefined>(undefined);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const scrolled = () => {
      fromEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight;
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => element.removeEventListener('scroll', scrolled);
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer list is what moves the end
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const isAtEnd = known.current === undefined || (known.current !== newest && fromEnd.current < nearPx);
    known.current = newest;
    element.scrollTop = element.scrollHeight - element.clientHeight - (isAtEnd ? 0 : fromEnd.current);
  }, [box, newest, oldest]);
}

function Said({ message, before }: { readonly message: Message; readonly before: Message | undefined }) {
  const words = useConversationWords();
  const at = new Date(message.time);
  const { isOurs } = message;
  return (
    <>
      {(before === undefined || !isSameDay(new Date(before.time), at)) && <DayLine at={at} />}
      <Bubble
        isOwn={isOurs}
        whose={isOurs ? words.ours : words.theirs}
        text={message.message}
        foot={
          <>
            <time dateTime={message.time} title={utcTime(at)}>
              {timeOfDay(at)}
            </time>
            <Delivery message={message} />
          </>
        }
      />
    </>
  );
}

function DayLine({ at }: { readonly at: Date }) {
  const words = useConversationWords();
  const today = now();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  const name = isSameDay(at, today) ? words.today : isSameDay(at, yesterday) ? words.yesterday : dayName(at);
  return (
    <h3 className={`${styles.day} ${layout.beside}`}>
      <span>{name}</span>
    </h3>
  );
}

const icons = { delivered: 'check', failed: 'alert', cancelled: 'stop', waiting: 'clock' } as const;

/** The outcome of one of our SMS, as a word and a symbol. */
function Delivery({ message: { status, simulated } }: { readonly message: Message }) {
  const words = useDesignWords();
  if (status === undefined) return null;
  const tone = toneOf[status];
  const icon = tone in icons ? icons[tone as keyof typeof icons] : 'arrow';
  return (
    <>
      <span className={`${styles.delivery} ${layout.beside} ${layout.close}`} data-tone={tone}>
        <Icon name={icon} size={13} />
        {words.statuses[status]}
      </span>
      {simulated && <span>{words.simulated}</span>}
    </>
  );
}
