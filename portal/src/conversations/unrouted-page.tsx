/** SMS that belong to nobody, and who is to have them. */
import { type FormEvent, useEffect, useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useList } from '../api/queries.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { Dialog } from '../design/dialog.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { SelectField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useConversationWords } from './texts.ts';
import styles from './unrouted-page.module.css';

type Sms = AnswerOf<'GET', '/api/v1/unrouted'>['unrouted'][number];

export function UnroutedPage() {
  const words = useConversationWords();
  const [given, setGiven] = useState<Sms>();
  const list = useList('/api/v1/unrouted', 'unrouted', {}, { live: ['conversations', 'incoming'] });
  return (
    <Page title={words.unrouted} lead={words.unroutedLead}>
      <CursorList
        label={words.unrouted}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="check" title={words.noUnrouted}>
            {words.noUnroutedText}
          </EmptyState>
        }
        columns={[
          {
            title: words.from,
            cell: ({ from }) => <PhoneNumber number={from} />,
            place: 'main',
            width: '9.5rem',
          },
          { title: words.message, cell: ({ message }) => <span dir="auto">{message}</span>, place: 'below' },
          { title: words.sentTo, cell: ({ to }) => <PhoneNumber number={to} />, width: '9.5rem' },
          { title: words.came, cell: ({ time }) => <Time at={time} />, place: 'below', width: '6.5rem' },
          {
            title: words.give,
            place: 'aside',
            width: '6rem',
            cell: (sms) => (
              <Button small onClick={() => setGiven(sms)}>
                {words.give}
              </Button>
            ),
          },
        ]}
      />
      {given !== undefined && <GiveDialog sms={given} close={() => setGiven(undefined)} />}
    </Page>
  );
}

const path = '/api/v1/unrouted/{id}/assign';

/** Of the company, by their names: all of them, a page after the other, while whoever looks reads the first. */
function useUsers() {
  const { items, fault, hasMore, isLoadingMore, loadMore, reload } = useList('/api/v1/users', 'users', {
    limit: 200,
  });
  const goesOn = hasMore && !isLoadingMore && fault === null;
  useEffect(() => {
    if (goesOn) loadMore();
  });
  return {
    names: items.filter(({ active }) => active).map(({ username }) => username),
    fault,
    tryAgain: hasMore ? loadMore : reload,
  };
}

function GiveDialog({ sms, close }: { readonly sms: Sms; readonly close: () => void }) {
  const words = useConversationWords();
  const session = useSession();
  const [user, setUser] = useState(session.username);
  const { mutate, isPending, error } = useAct(path);
  const users = useUsers();
  const parameters = { id: sms.id, user };
  const give = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = () => {
      close();
      showToast({ text: words.given(parameters.user) });
    };
    mutate({ parameters }, { onSuccess });
  };
  return (
    <Dialog title={words.giveTitle} close={close}>
      <form className={layout.stack} onSubmit={give}>
        <blockquote className={styles.quote}>
          <PhoneNumber number={sms.from} />
          <p dir="auto">{sms.message}</p>
        </blockquote>
        <SelectField
          label={words.user}
          hint={words.givesAway}
          error={error}
          autoFocus
          value={user}
          onChange={({ target }) => setUser(target.value)}
        >
          <option value={session.username}>{words.me(session.username)}</option>
          {users.names
            .filter((name) => name !== session.username)
            .map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </SelectField>
        <FaultNotice fault={users.fault} tryAgain={users.tryAgain} />
        <div className={styles.foot}>
          <AsCurl call={{ method: 'POST', path, parameters }} username={session.username} />
          <Button onClick={close}>{words.cancel}</Button>
          <Button look="main" type="submit" busy={isPending}>
            {words.give}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
