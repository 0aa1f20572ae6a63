/** The passkeys of the user, who names, adds and removes them here. */
import { useState } from 'react';
import { ownPath } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useRemoval } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { ConfirmButton, DialogButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Facts } from '../design/facts.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { useFactorWords } from './factor-texts.ts';
import { askBrowser } from './passkey.ts';

export function PasskeyList({ passkeys }: Pick<AnswerOf<'GET', '/portal/api/factors'>, 'passkeys'>) {
  const words = useFactorWords();
  const remove = useRemoval(`${ownPath}/factors/passkeys` as const);
  return passkeys.map(({ id, name, made, used }) => (
    <div key={id} className={`${layout.row} ${layout.apart}`}>
      <Facts
        facts={[
          [`${words.passkey}: ${name}`, <Time key="made" at={made} />],
          [words.used, used !== undefined && <Time key="used" at={used} />],
        ]}
      />
      <ConfirmButton
        look="quiet"
        small
        label={words.remove}
        title={words.removeTitle(name)}
        question={words.removeText}
        act={remove}
        parameters={{ id }}
        done={() => showToast({ text: words.removed })}
      />
    </div>
  ));
}

export function AddPasskey({ done }: { readonly done: (recoveryCodes: readonly string[]) => void }) {
  const words = useFactorWords();
  return (
    <DialogButton label={words.addPasskey}>
      {(close) => (
        <NewPasskey
          close={close}
          done={(codes) => {
            close();
            done(codes);
          }}
        />
      )}
    </DialogButton>
  );
}

function NewPasskey({
  close,
  done,
}: {
  readonly close: () => void;
  readonly done: (recoveryCodes: readonly string[]) => void;
}) {
  const words = useFactorWords();
  const ask = useAct(`${ownPath}/factors/passkeys/setup` as const);
  const act = useAct(`${ownPath}/factors/passkeys` as const);
  const [isAsking, setAsking] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const isPending = ask.isPending || isAsking || act.isPending;
  const form = formOf({ error: act.error, isPending }, useState({ name: '' }));
  const made = async ({ options }: AnswerOf<'POST', '/portal/api/factors/passkeys/setup'>) => {
    setAsking(true);
    const answer = await askBrowser({ create: options });
    setAsking(false);
    if (answer === undefined) setRefused(true);
    else
      act.mutate(
        { parameters: { answer, ...form.values } },
        { onSuccess: ({ recoveryCodes }) => done(recoveryCodes) },
      );
  };
  const submit = () => {
    setRefused(false);
    ask.mutate({ parameters: {} }, { onSuccess: (answer) => void made(answer) });
  };
  return (
    <Dialog title={words.addPasskey} close={close}>
      <ActForm form={form} submit={submit} label={words.goOn} close={close}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          maxLength={60}
          required
          autoFocus
          {...form.field('name')}
        />
        <FaultNotice fault={ask.error} />
        {isRefused && <Notice tone="error">{words.noPasskey}</Notice>}
      </ActForm>
    </Dialog>
  );
}
