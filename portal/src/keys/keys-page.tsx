/** The page of the API keys by which programs send in the name of whoever is signed in. */
import { type FormEvent, useState } from 'react';
import { useAct, useList } from '../api/queries.ts';
import { AsCurl, CopyButton } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { Dialog } from '../design/dialog.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import styles from './keys.module.css';
import { useKeyWords } from './texts.ts';
import { When } from './when.tsx';

interface Named {
  readonly id: string;
  readonly name: string;
}

export function KeysPage() {
  const words = useKeyWords();
  const list = useList('/api/v1/apikeys', 'apiKeys', {}, { live: ['apikeys'] });
  const [isMaking, setMaking] = useState(false);
  const [ending, setEnding] = useState<Named>();
  const make = (
    <Button look="main" icon={<Icon name="plus" />} onClick={() => setMaking(true)}>
      {words.make}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={make}>
      <CursorList
        label={words.title}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="key" title={words.none}>
            {words.noneText}
          </EmptyState>
        }
        columns={[
          {
            title: words.name,
            cell: ({ name }) => <span className={styles.wraps}>{name}</span>,
            width: 'minmax(0, 1.4fr)',
            place: 'main',
          },
          { title: words.state, cell: ({ state }) => words.states[state], place: 'below' },
          { title: words.created, cell: ({ created }) => <When at={created} /> },
          {
            title: words.used,
            cell: ({ used }) => <When at={used} label={words.used} />,
            place: 'below',
          },
          { title: words.expires, cell: ({ expires }) => <When at={expires} /> },
          {
            title: words.acts,
            cell: ({ id, name, state }) =>
              state === 'enabled' && (
                <Button
                  small
                  look="quiet"
                  aria-label={`${words.revoke} ${name}`}
                  onClick={() => setEnding({ id, name })}
                >
                  {words.revoke}
                </Button>
              ),
            width: '5rem',
            place: 'aside',
          },
        ]}
      />
      {isMaking && <MakeKey close={() => setMaking(false)} />}
      {ending !== undefined && <RevokeKey apiKey={ending} close={() => setEnding(undefined)} />}
    </Page>
  );
}

function MakeKey({ close }: { readonly close: () => void }) {
  const words = useKeyWords();
  const { username } = useSession();
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const act = useAct('/api/v1/apikeys');
  const parameters = expires === '' ? { name } : { name, expires: new Date(expires).toISOString() };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate({ parameters });
  };
  if (act.data !== undefined) return <MadeKey name={name} text={act.data.apiKey} close={close} />;
  const fault = act.error;
  return (
    <Dialog title={words.make} close={close}>
      <form className={layout.stack} onSubmit={submit}>
        {fault?.of('name') === undefined && fault?.of('expires') === undefined && (
          <FaultNotice fault={fault} />
        )}
        <TextField
          label={words.name}
          hint={words.nameHint}
          required
          autoFocus
          maxLength={100}
          value={name}
          error={fault?.of('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={words.expires}
          hint={words.expiresHint}
          optional
          type="datetime-local"
          value={expires}
          error={fault?.of('expires')}
          onChange={(event) => setExpires(event.target.value)}
        />
        <AsCurl call={{ method: 'POST', path: '/api/v1/apikeys', parameters }} username={username} />
        <div className={layout.buttons}>
          <Button onClick={close}>{words.cancel}</Button>
          <Button look="main" type="submit" busy={act.isPending}>
            {words.make}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function MadeKey({
  name,
  text,
  close,
}: {
  readonly name: string;
  readonly text: string;
  readonly close: () => void;
}) {
  const words = useKeyWords();
  return (
    <Dialog title={words.madeTitle(name)}>
      <div className={layout.stack}>
        <p>{words.madeText}</p>
        <code className={styles.key}>{text}</code>
        <div className={layout.buttons}>
          <CopyButton text={text} />
          <Button look="main" onClick={close}>
            {words.done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function RevokeKey({ apiKey, close }: { readonly apiKey: Named; readonly close: () => void }) {
  const words = useKeyWords();
  const { id, name } = apiKey;
  const act = useAct('/api/v1/apikeys/{id}/revoke');
  const revoke = () =>
    act.mutate(
      { parameters: { id } },
      {
        onSuccess: () => {
          showToast({ text: words.revoked(name) });
          close();
        },
      },
    );
  return (
    <Dialog title={words.revokeTitle(name)} close={close}>
      <div className={layout.stack}>
        <p>{words.revokeText}</p>
        <FaultNotice fault={act.error} />
        <div className={layout.buttons}>
          <Button onClick={close}>{words.cancel}</Button>
          <Button look="danger" busy={act.isPending} onClick={revoke}>
            {words.revoke}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
