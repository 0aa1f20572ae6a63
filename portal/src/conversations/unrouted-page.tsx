/** SMS that belong to nobody, and the choice of who gets them. */
import { useState } from 'react';
import { useCompanyUsers } from '../api/company-users.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useList } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button, ButtonLink } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { SelectField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useConversationWords } from './texts.ts';

type Sms = AnswerOf<'GET', '/api/v1/unrouted'>['unrouted'][number];

export function UnroutedPage() {
  const words = useConversationWords();
  // The page keeps the chosen SMS, because its row may disappear when another administrator assigns it.
  const [chosen, choose] = useState<Sms>();
  return (
    <>
      <ResourcePage
        title={words.unrouted}
        lead={words.unroutedLead}
        actions={<ButtonLink to="/admin/numbers">{words.numbers}</ButtonLink>}
        list={useList('/api/v1/unrouted', 'unrouted', {}, { live: ['conversations', 'incoming'] })}
        keyOf={({ id }) => id}
        none={{ icon: 'check', title: words.noUnrouted, text: words.noUnroutedText }}
        columns={[
          {
            title: words.from,
            cell: ({ from }) => <PhoneNumber number={from} />,
            place: 'main',
            width: '9.5rem',
          },
          { title: words.message, cell: ({ message }) => <span dir="auto">{message}</span>, place: 'below' },
          {
            title: words.sentTo,
            cell: ({ to }) => <PhoneNumber number={to} />,
            place: 'below',
            isNamed: true,
            width: '9.5rem',
          },
          { title: words.came, cell: ({ time }) => <Time at={time} />, place: 'below', width: '6.5rem' },
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

const path = '/api/v1/unrouted/{id}/assign';

function GiveDialog({ sms, close }: { readonly sms: Sms; readonly close: () => void }) {
  const words = useConversationWords();
  const { username } = useSession();
  const give = useAct(path);
  const form = formOf(give, useState({ user: username }));
  const users = useCompanyUsers();
  const { user } = form.values;
  const parameters = { id: sms.id, user };
  const submit = () => {
    const onSuccess = () => {
      close();
      showToast({ text: words.given(user) });
    };
    give.mutate({ parameters }, { onSuccess });
  };
  return (
    <Dialog title={words.giveTitle} close={close}>
      <ActForm
        form={form}
        submit={submit}
        label={words.giveNow}
        close={close}
        call={{ method: 'POST', path, parameters }}
      >
        <PhoneNumber number={sms.from} />
        <blockquote className={layout.sms} dir="auto">
          {sms.message}
        </blockquote>
        <SelectField label={words.user} hint={words.givesAway} autoFocus {...form.field('user')}>
          <option value={username}>{words.me(username)}</option>
          {users.names
            .filter((name) => name !== username)
            .map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </SelectField>
        <FaultNotice fault={users.fault} tryAgain={users.tryAgain} />
      </ActForm>
    </Dialog>
  );
}
