/** A phone on the screen: the messages that it received, its replies, and the reply being written. */
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { Bubble, Chat } from '../design/chat.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { toneOf } from '../design/status-badge.tsx';
import { useDesignWords } from '../design/texts.ts';
import { Time } from '../design/time.tsx';
import { groupedNumber } from '../words/numbers.ts';
import styles from './simulator.module.css';
import { useSimulatorWords } from './texts.ts';

type Message = AnswerOf<'GET', '/api/v1/simulator/phones/{number}'>['messages'][number];

const live = ['messages', 'batches', 'incoming', 'conversations'] as const;

export function Phone({ number }: { readonly number: string }) {
  const words = useSimulatorWords();
  const read = useRead('/api/v1/simulator/phones/{number}', { number }, { live });
  const messages = read.data?.messages ?? [];
  return (
    <section className={styles.phone} aria-label={words.phone(groupedNumber(number))}>
      <div className={styles.ear} aria-hidden="true" />
      <h2 className={layout.name}>
        <PhoneNumber number={number} />
      </h2>
      <Answered read={read} rows={3}>
        {() => <Screen messages={messages} />}
      </Answered>
      <AnswerForm number={number} messages={messages} />
    </section>
  );
}

function Screen({ messages }: { readonly messages: readonly Message[] }) {
  const words = useSimulatorWords();
  const box = useRef<HTMLDivElement>(null);
  const newest = messages[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what comes is shown at the end
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [newest]);
  return (
    <Chat ref={box} className={`${styles.screen} ${layout.well}`} label={words.phones}>
      {messages.length === 0 && <p className={styles.nothing}>{words.nothing}</p>}
      {[...messages].reverse().map((message) => (
        <Said key={`${message.isAnswer}${message.id}`} message={message} />
      ))}
    </Chat>
  );
}

function Said({ message: { isAnswer, from, to, message, time, status } }: { readonly message: Message }) {
  const words = useSimulatorWords();
  const { statuses } = useDesignWords();
  const hasArrived = status === undefined || ['delivered', 'moving'].includes(toneOf[status]);
  return (
    <Bubble
      isOwn={isAnswer}
      whose={isAnswer ? words.written : words.received}
      isLost={!hasArrived}
      text={message}
      head={isAnswer ? `→ ${groupedNumber(to)}` : groupedNumber(from)}
      foot={
        <>
          {!hasArrived && status !== undefined && `${words.notArrived} ${statuses[status]} · `}
          <Time at={time} />
        </>
      }
    />
  );
}

const path = '/api/v1/simulator/phones/{number}/answer';

function AnswerForm({
  number,
  messages,
}: {
  readonly number: string;
  readonly messages: readonly Message[];
}) {
  const words = useSimulatorWords();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  const { mutate, isPending, error } = useAct(path);
  // Replies go to the latest number, as on any phone; an alphanumeric sender can't be answered.
  const others = messages.map((message) => (message.isAnswer ? message.to : message.from));
  const latest = others.find((other) => /^[0-9]+$/.test(other));
  const isName = others.length > 0 && latest === undefined;
  const to = chosen ?? latest ?? '';
  const answer = (written: string) => {
    if (written.trim() === '' || isPending) return;
    mutate({ parameters: { number, text: written, to } }, { onSuccess: () => setText('') });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    answer(text);
  };
  return (
    <form className={`${layout.stack} ${layout.tight}`} onSubmit={submit}>
      {isName && chosen === undefined && <Notice>{words.noReply}</Notice>}
      <QuickAnswers give={answer} />
      <TextField
        label={words.to}
        type="tel"
        required
        placeholder={words.toHint}
        value={to}
        onChange={({ target }) => setChosen(target.value)}
      />
      <div className={layout.line}>
        <TextField
          label={words.text}
          dir="auto"
          maxLength={1_000}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button look="main" type="submit" busy={isPending} icon={<Icon name="reply" />}>
          {words.send}
        </Button>
      </div>
      <FaultNotice fault={error} />
      <AsCurl call={{ method: 'POST', path, parameters: { number, text, to } }} />
    </form>
  );
}

function QuickAnswers({ give }: { readonly give: (written: string) => void }) {
  const words = useSimulatorWords();
  return (
    <fieldset className={layout.row}>
      <legend className="unseen">{words.quick}</legend>
      {words.answers.map((written) => (
        <Button key={written} small onClick={() => give(written)}>
          {written}
        </Button>
      ))}
    </fieldset>
  );
}
