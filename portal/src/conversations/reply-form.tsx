/** The reply being written. It is sent from the same number, shows its parts, and is kept until it is sent. */
import { type FormEvent, useRef } from 'react';
import { countParts, segment } from '../../../src/wire/sms/segments.ts';
import { newIdempotencyKey } from '../api/client.ts';
import { useAct } from '../api/queries.ts';
import { serverTime } from '../browser/clock.ts';
import { useDraft } from '../browser/draft.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { TextArea } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import type { ShownConversation } from './address.ts';
import styles from './conversations.module.css';
import { useConversationWords } from './texts.ts';

const path = '/api/v1/conversations/{id}/reply';

interface Reply {
  readonly text: string;
  readonly key: string;
  /** When the reply was first sent, as far as is known. */
  readonly sentAt?: number;
}

const blank: Reply = { text: '', key: '' };

export function ReplyForm({
  conversation: { id, number, username: owner },
}: {
  readonly conversation: ShownConversation;
}) {
  const words = useConversationWords();
  const { username } = useSession();
  // The same text sent again, after a lost connection or a reload, is the same SMS; a different text is another SMS.
  const [draft, setDraft, forget] = useDraft<Reply>(`reply.${username}.${id}`, blank);
  const { text } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const { mutate, isPending, error, reset } = useAct(path);
  const isEmpty = text.trim() === '';
  const change = (next: string) => {
    setDraft({ text: next, key: newIdempotencyKey() });
    if (error !== null) reset();
  };
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (isEmpty || isPending) return;
    const sent = { ...draft, sentAt: draft.sentAt ?? serverTime() };
    setDraft(sent);
    const { key, sentAt } = sent;
    const done = () => {
      forget(sent);
      field.current?.focus();
    };
    mutate(
      { parameters: { id, message: text }, idempotencyKey: key, firstSentAt: sentAt },
      { onSuccess: done },
    );
  };
  return (
    <form className={`${styles.reply} ${layout.stack} ${layout.tight}`} onSubmit={send}>
      <TextArea
        ref={field}
        label={words.replyTo(groupedNumber(number))}
        hint={owner === username ? undefined : words.replyFor(owner)}
        rows={2}
        dir="auto"
        aria-keyshortcuts="r"
        value={text}
        readOnly={isPending}
        onChange={({ target }) => change(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <FaultNotice fault={error} />
      <div className={`${layout.row} ${layout.apart}`}>
        <AsCurl call={{ method: 'POST', path, parameters: { id, message: text } }} />
        <PartsOf text={text} />
        <Button look="main" type="submit" busy={isPending} disabled={isEmpty} icon={<Icon name="reply" />}>
          {words.send}
        </Button>
      </div>
    </form>
  );
}

function PartsOf({ text }: { readonly text: string }) {
  const words = useConversationWords();
  if (text === '') return null;
  return (
    <span className={layout.soft} aria-live="polite">
      {words.parts(countParts(text))}
      {segment(text).encoding === 'ucs2' && ` · ${words.unicode}`}
    </span>
  );
}
