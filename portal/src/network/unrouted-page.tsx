/** Incoming SMS that belong to nobody, and the choice of who gets them. */
import { useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useList } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { PhoneNumber } from '../design/phone-number.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { useNetworkWords } from './texts.ts';

type Sms = AnswerOf<'GET', '/api/v1/operator/unrouted'>['unrouted'][number];

export function UnroutedPage() {
  const words = useNetworkWords();
  // The page keeps the chosen SMS, because its row may disappear when somebody else gives it away.
  const [chosen, choose] = useState<Sms>();
  return (
    <>
      <ResourcePage
        title={words.unrouted}
        lead={words.unroutedLead}
        list={useList('/api/v1/operator/unrouted', 'unrouted', {}, { live: ['unrouted'] })}
        keyOf={({ id }) => id}
        none={{ icon: 'check', title: words.noUnrouted, text: words.noUnroutedText }}
        columns={[
          {
            title: words.from,
            place: 'main',
            width: '9.5rem',
            cell: ({ from }) => <PhoneNumber number={from} />,
          },
          { title: words.message, place: 'below', cell: (sms) => <Text sms={sms} /> },
          {
            title: words.to,
            place: 'below',
            isNamed: true,
            width: '9.5rem',
            cell: ({ to }) => <PhoneNumber number={to} />,
          },
          { title: words.company, cell: ({ company }) => company && <bdi>{company}</bdi> },
          { title: words.came, place: 'below', width: '6.5rem', cell: ({ time }) => <Time at={time} /> },
          {
            title: words.give,
            place: 'aside',
            width: '6rem',
            cell: (sms) => (
              <Button small onClick={() => choose(sms)}>
                {words.give}
              </Button>
            ),
          },
        ]}
      />
      {chosen !== undefined && <GiveDialog sms={chosen} close={() => choose(undefined)} />}
    </>
  );
}

function Text({ sms: { message } }: { readonly sms: Sms }) {
  const words = useNetworkWords();
  if (message === undefined) return <span className={layout.soft}>{words.hidden}</span>;
  return <span dir="auto">{message}</span>;
}

const path = '/api/v1/operator/unrouted/{id}/assign';

function GiveDialog({ sms, close }: { readonly sms: Sms; readonly close: () => void }) {
  const words = useNetworkWords();
  const give = useAct(path);
  const form = formOf(give, useState({ user: '' }));
  const { user } = form.values;
  const submit = () => {
    const onSuccess = () => {
      close();
      showToast({ text: words.given(user) });
    };
    give.mutate({ parameters: { id: sms.id, user } }, { onSuccess });
  };
  return (
    <Dialog title={words.giveTitle} close={close}>
      <ActForm form={form} submit={submit} label={words.giveNow} lacks={user.trim() === ''} close={close}>
        <PhoneNumber number={sms.from} />
        <Text sms={sms} />
        <TextField
          label={words.user}
          autoFocus
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          {...form.field('user')}
        />
      </ActForm>
    </Dialog>
  );
}
