/** The company's numbers, who gets the SMS to each, and giving a rented number to another user. */
import { useState } from 'react';
import { useCompanyUsers } from '../api/company-users.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useChange, useList } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button, ButtonLink } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { SelectField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { groupedNumber } from '../words/numbers.ts';
import { useNumbersWords } from './texts.ts';

type OwnNumber = AnswerOf<'GET', '/api/v1/numbers'>['numbers'][number];

const path = '/api/v1/numbers/{number}';

export function NumbersPage() {
  const words = useNumbersWords();
  // The page keeps the chosen number, because its row changes when another administrator gives it away.
  const [chosen, choose] = useState<OwnNumber>();
  const ofPool = (shared: boolean) => (shared ? words.shared : words.pool);
  return (
    <>
      <ResourcePage
        title={words.title}
        lead={words.lead}
        actions={<ButtonLink to="/unrouted">{words.unclaimed}</ButtonLink>}
        list={useList('/api/v1/numbers', 'numbers', {}, { live: ['numbers', 'conversations', 'users'] })}
        keyOf={({ number }) => number}
        none={{ icon: 'phone', title: words.none, text: words.noneText }}
        columns={[
          {
            title: words.number,
            cell: ({ number }) => <PhoneNumber number={number} />,
            place: 'main',
            width: '10.5rem',
          },
          {
            title: words.goesTo,
            cell: ({ use, username, shared }) =>
              use === 'pool' ? (
                <span className={layout.soft}>{ofPool(shared)}</span>
              ) : (
                <bdi className={layout.wraps}>{username ?? words.nobody}</bdi>
              ),
            place: 'below',
          },
          {
            title: words.lastUsed,
            cell: ({ lastUsed }) =>
              lastUsed === undefined ? (
                <span className={layout.soft}>{words.notLately}</span>
              ) : (
                <Time at={lastUsed} />
              ),
            place: 'below',
            isNamed: true,
            width: '8rem',
          },
          {
            title: words.acts,
            place: 'aside',
            width: '11rem',
            cell: (one) => <Giving number={one} choose={() => choose(one)} />,
          },
        ]}
      />
      {chosen !== undefined && <GiveDialog given={chosen} close={() => choose(undefined)} />}
    </>
  );
}

function Giving({ number, choose }: { readonly number: OwnNumber; readonly choose: () => void }) {
  const words = useNumbersWords();
  if (number.use !== 'rented') return null;
  if (number.managed) return <ManagedMark name="rentedBy" />;
  return (
    <Button small onClick={choose} aria-label={words.giveTo(groupedNumber(number.number))}>
      {words.give}
    </Button>
  );
}

function GiveDialog({ given, close }: { readonly given: OwnNumber; readonly close: () => void }) {
  const words = useNumbersWords();
  const { number, username: renter = '', version } = given;
  const give = useChange(path);
  const form = formOf(give, useState({ user: renter }));
  const users = useCompanyUsers();
  const { user } = form.values;
  const parameters = { number, user };
  const submit = () => {
    const onSuccess = () => {
      close();
      showToast({ text: words.given(groupedNumber(number), user) });
    };
    give.mutate({ parameters, version }, { onSuccess });
  };
  return (
    <Dialog title={words.giveTitle(groupedNumber(number))} close={close}>
      <ActForm
        form={form}
        submit={submit}
        label={words.giveNow}
        lacks={user === renter}
        close={close}
        call={{ method: 'PATCH', path, parameters, version }}
      >
        <SelectField label={words.user} hint={words.givesHint(renter)} autoFocus {...form.field('user')}>
          {[renter, ...users.names.filter((name) => name !== renter)].map((name) => (
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
