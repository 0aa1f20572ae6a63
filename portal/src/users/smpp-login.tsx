/** The login with which a user's programs bind at the SMPP server: making and changing it, its password, and its removal. */
import { useState } from 'react';
import type { ParametersOf } from '../api/endpoints.ts';
import { useAct, useEdit } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { ChipsField } from '../design/chips-field.tsx';
import { ConfirmButton, DialogButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Facts } from '../design/facts.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { Notice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { SecretOnce } from '../design/secret-once.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import type { User } from './state.tsx';
import { useUserWords } from './texts.ts';

const path = '/api/v1/users/{id}';

export function SmppLogin({ user }: { readonly user: User }) {
  const words = useUserWords();
  const number = useNumbers();
  const { id, smpp, managedKeys } = user;
  const removal = useEdit(path, { id });
  const { hasSmppServer } = useSession();
  const isManaged = managedKeys.includes('smpp');
  return (
    <Section
      title={words.smpp}
      actions={
        <span className={`${layout.row} ${layout.tight}`}>
          {smpp && !managedKeys.includes('smpp.password') && <NewPassword id={id} smpp={smpp} />}
          {!isManaged && (
            <DialogButton small look="quiet" label={smpp ? words.smppChange : words.smppMake}>
              {(close) => <SmppForm user={user} close={close} />}
            </DialogButton>
          )}
          {smpp && !isManaged && (
            <ConfirmButton
              small
              look="quiet"
              label={words.smppRemove}
              question={words.smppRemoveSure}
              act={removal}
              parameters={{ id, smpp: '' as const }}
              done={() => showToast({ text: words.smppRemoved })}
            />
          )}
        </span>
      }
    >
      {!hasSmppServer && <Notice>{words.smppClosed}</Notice>}
      {smpp === undefined ? (
        <p className={layout.soft}>{words.smppNone}</p>
      ) : (
        <div className={`${layout.stack} ${layout.tight}`}>
          {isManaged && <ManagedMark name="smpp" />}
          <Facts
            facts={[
              [words.systemId, smpp.systemId],
              [words.binds, number(smpp.binds)],
              [words.window, number(smpp.window)],
              [words.throughput, smpp.throughput === 0 ? words.noThroughput : number(smpp.throughput)],
              [words.networks, smpp.networks?.join(', ') ?? words.anyNetwork],
            ]}
          />
          {!smpp.hasPassword && <p>{words.smppNoPassword}</p>}
        </div>
      )}
    </Section>
  );
}

interface NewPasswordProps {
  readonly id: string;
  readonly smpp: NonNullable<User['smpp']>;
}

function NewPassword({ id, smpp: { systemId, hasPassword } }: NewPasswordProps) {
  const words = useUserWords();
  const act = useAct('/api/v1/users/{id}/smpp/password');
  const [password, setPassword] = useState<string>();
  const show = (made: { readonly password: string }, isShown: boolean) =>
    isShown && setPassword(made.password);
  const make = () => act.mutate({ parameters: { id } }, { onSuccess: show, onError: showFault });
  return (
    <>
      {hasPassword ? (
        <ConfirmButton
          small
          look="plain"
          label={words.smppPassword}
          question={words.smppPasswordSure}
          act={act}
          parameters={{ id }}
          done={show}
        />
      ) : (
        <Button small busy={act.isPending} onClick={make}>
          {words.smppPassword}
        </Button>
      )}
      {password !== undefined && (
        <SecretOnce
          title={words.smppPasswordFor(systemId)}
          secret={password}
          close={() => setPassword(undefined)}
        >
          {words.smppPasswordText}
        </SecretOnce>
      )}
    </>
  );
}

/** The fields as they are typed, by the server's names for them. */
function fieldsOf(smpp: User['smpp']) {
  return {
    'smpp.systemId': smpp?.systemId ?? '',
    'smpp.binds': String(smpp?.binds ?? ''),
    'smpp.window': String(smpp?.window ?? ''),
    'smpp.throughput': smpp?.throughput ? String(smpp.throughput) : '',
    'smpp.networks': (smpp?.networks ?? []) as readonly string[],
  };
}

/** What is empty gets its default. */
function loginOf(fields: ReturnType<typeof fieldsOf>): ParametersOf<'PATCH', typeof path>['smpp'] {
  const numbers = (['binds', 'window', 'throughput'] as const).flatMap((name) =>
    fields[`smpp.${name}`] === '' ? [] : [[name, Number(fields[`smpp.${name}`])]],
  );
  const networks = fields['smpp.networks'];
  return {
    systemId: fields['smpp.systemId'].trim(),
    ...Object.fromEntries(numbers),
    ...(networks.length > 0 && { networks: [...networks] }),
  };
}

function SmppForm({ user, close }: { readonly user: User; readonly close: () => void }) {
  const words = useUserWords();
  const { id, smpp } = user;
  // The typing begins with this version, however often the page reads the user again.
  const [version] = useState(user.version);
  const [fields, change] = useState(() => fieldsOf(smpp));
  const act = useEdit(path, { id });
  const form = formOf(act, [fields, change]);
  const parameters = { id, smpp: loginOf(fields) };
  const { error } = form.field('smpp.networks');
  const count = (name: 'smpp.binds' | 'smpp.window' | 'smpp.throughput', label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      inputMode="numeric"
      maxLength={6}
      autoComplete="off"
      {...form.field(name)}
      onChange={({ target }) => change({ ...fields, [name]: target.value.replace(/\D/g, '') })}
    />
  );
  const save = () =>
    act.mutate(
      { parameters, version },
      {
        onSuccess() {
          close();
          showToast({ text: words.saved });
        },
      },
    );
  return (
    <Dialog title={words.smpp} close={close}>
      <ActForm
        form={form}
        submit={save}
        label={words.save}
        lacks={fields['smpp.systemId'].trim() === ''}
        close={close}
        call={{ method: 'PATCH', path, parameters, version }}
      >
        <TextField
          label={words.systemId}
          hint={words.systemIdHint}
          required
          maxLength={15}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('smpp.systemId')}
        />
        {count('smpp.binds', words.binds, words.bindsHint)}
        {count('smpp.window', words.window, words.windowHint)}
        {count('smpp.throughput', words.throughput, words.throughputHint)}
        <ChipsField
          label={words.networks}
          hint={words.networksHint}
          items={fields['smpp.networks']}
          maxLength={50}
          error={error}
          change={(networks) => change({ ...fields, 'smpp.networks': networks })}
        />
      </ActForm>
    </Dialog>
  );
}
