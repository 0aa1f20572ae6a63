/** The page of the API keys with which programs send in the name of the signed-in user. */
import { useState } from 'react';
import { useAct, useChange, useList } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { CopyButton } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { ConfirmButton, DialogButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { showToast } from '../design/toasts.tsx';
import { When } from '../session/when.tsx';
import { type GivenLimits, LimitFields, type Limits, LimitsOf } from './key-limits.tsx';
import styles from './keys.module.css';
import { useKeyWords } from './texts.ts';

export function KeysPage() {
  const words = useKeyWords();
  const list = useList('/api/v1/apikeys', 'apiKeys', {}, { live: ['apikeys'] });
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      actions={
        <DialogButton look="main" icon={<Icon name="plus" />} label={words.make}>
          {(close) => <MakeKey close={close} />}
        </DialogButton>
      }
      list={list}
      keyOf={({ id }) => id}
      none={{ icon: 'key', title: words.none, text: words.noneText }}
      columns={[
        {
          title: words.name,
          cell: (key) => (
            <div>
              <span className={layout.wraps}>{key.name}</span>
              <LimitsOf of={key} />
            </div>
          ),
          width: 'minmax(0, 1.4fr)',
          place: 'main',
        },
        { title: words.state, cell: ({ state }) => words.states[state], place: 'below' },
        { title: words.created, cell: ({ created }) => <When at={created} /> },
        { title: words.used, cell: ({ used }) => <When at={used} />, place: 'below', isNamed: true },
        { title: words.expires, cell: ({ expires }) => <When at={expires} /> },
        {
          title: words.acts,
          cell: (key) =>
            key.state === 'enabled' && (
              <span className={layout.row}>
                <DialogButton
                  small
                  look="quiet"
                  label={words.limit}
                  aria-label={`${words.limit} ${key.name}`}
                >
                  {(close) => <LimitKey of={key} close={close} />}
                </DialogButton>
                <RevokeKey id={key.id} name={key.name} />
              </span>
            ),
          width: '11rem',
          place: 'aside',
        },
      ]}
    />
  );
}

interface GivenKey extends GivenLimits {
  readonly name: string;
  readonly expires: string;
}

function MakeKey({ close }: { readonly close: () => void }) {
  const words = useKeyWords();
  const act = useAct('/api/v1/apikeys');
  const form = formOf(act, useState<GivenKey>({ name: '', expires: '', scopes: null, networks: [] }));
  const { name, expires, scopes, networks } = form.values;
  const parameters = {
    name,
    ...(expires !== '' && { expires: new Date(expires).toISOString() }),
    ...(scopes !== null && { scopes }),
    ...(networks.length > 0 && { networks }),
  };
  if (act.data !== undefined) return <MadeKey name={name} text={act.data.apiKey} close={close} />;
  return (
    <Dialog title={words.make} close={close}>
      <ActForm
        form={form}
        submit={() => act.mutate({ parameters })}
        label={words.make}
        lacks={scopes?.length === 0}
        close={close}
        call={{ method: 'POST', path: '/api/v1/apikeys', parameters }}
      >
        <TextField
          label={words.name}
          hint={words.nameHint}
          required
          autoFocus
          maxLength={100}
          {...form.field('name')}
        />
        <TextField
          label={words.expires}
          hint={words.expiresHint}
          optional
          type="datetime-local"
          {...form.field('expires')}
        />
        <LimitFields
          limits={form.values}
          change={(limits) => form.set({ ...form.values, ...limits })}
          error={form.field('networks').error}
        />
      </ActForm>
    </Dialog>
  );
}

interface LimitKeyProps {
  readonly of: Limits & { readonly id: string; readonly name: string };
  readonly close: () => void;
}

function LimitKey({ of: { id, name, scopes, networks }, close }: LimitKeyProps) {
  const words = useKeyWords();
  const act = useChange('/api/v1/apikeys/{id}');
  const form = formOf(act, useState<GivenLimits>({ scopes: scopes ?? null, networks: networks ?? [] }));
  const { values } = form;
  const given = values.networks.length > 0 ? values.networks : '';
  const parameters = { id, scopes: values.scopes ?? '', networks: given };
  return (
    <Dialog title={words.limitTitle(name)} close={close}>
      <ActForm
        form={form}
        submit={() => act.mutate({ parameters }, { onSuccess: close })}
        label={words.save}
        lacks={values.scopes?.length === 0}
        close={close}
        call={{ method: 'PATCH', path: '/api/v1/apikeys/{id}', parameters }}
      >
        <LimitFields limits={values} change={form.set} error={form.field('networks').error} />
      </ActForm>
    </Dialog>
  );
}

interface MadeKeyProps {
  readonly name: string;
  readonly text: string;
  readonly close: () => void;
}

function MadeKey({ name, text, close }: MadeKeyProps) {
  const words = useKeyWords();
  return (
    <Dialog title={words.madeTitle(name)}>
      <div className={layout.stack}>
        <p>{words.madeText}</p>
        <code className={`${styles.key} ${layout.wraps}`}>{text}</code>
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

function RevokeKey({ id, name }: { readonly id: string; readonly name: string }) {
  const words = useKeyWords();
  return (
    <ConfirmButton
      small
      look="quiet"
      label={words.revoke}
      aria-label={`${words.revoke} ${name}`}
      title={words.revokeTitle(name)}
      question={words.revokeText}
      act={useAct('/api/v1/apikeys/{id}/revoke')}
      parameters={{ id }}
      done={() => showToast({ text: words.revoked(name) })}
    />
  );
}
