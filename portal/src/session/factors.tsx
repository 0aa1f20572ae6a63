/** The second factors of the user, who sets them up and removes them here. */
import { useState } from 'react';
import { ownPath } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useRead, useRemoval } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { ConfirmButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Facts } from '../design/facts.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Card, Section } from '../design/page.tsx';
import { SecretOnce } from '../design/secret-once.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { useFactorWords } from './factor-texts.ts';
import { AddPasskey, PasskeyList } from './passkeys.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export function Factors({ done }: { readonly done?: () => void }) {
  const words = useFactorWords();
  const { data, error, refetch } = useRead(`${ownPath}/factors` as const, {}, { live: ['sessions'] });
  const setUp = useAct(`${ownPath}/factors/codes/setup` as const);
  const remove = useRemoval(`${ownPath}/factors/codes` as const);
  const renew = useAct(`${ownPath}/factors/recovery-codes` as const);
  const [setup, setSetup] = useState<Setup>();
  const [recoveryCodes, setCodes] = useState<readonly string[]>([]);
  const hasFactor = data !== undefined && (data.codes !== undefined || data.passkeys.length > 0);
  const takesPasskeys = isSecureContext && data?.passkeyOrigin === location.origin;
  return (
    <Section title={words.title}>
      <Card>
        <div className={layout.stack}>
          <p className={layout.soft}>{words.lead}</p>
          <FaultNotice fault={error} tryAgain={() => void refetch()} />
          <FaultNotice fault={setUp.error ?? renew.error} />
          {data?.codes && (
            <div className={`${layout.row} ${layout.apart}`}>
              <Facts
                facts={[
                  [words.app, <Time key="made" at={data.codes.made} />],
                  [words.used, <Time key="used" at={data.codes.used} />],
                ]}
              />
              <ConfirmButton
                look="quiet"
                small
                label={words.remove}
                title={words.removeTitle(words.app)}
                question={words.removeText}
                act={remove}
                parameters={{}}
                done={() => showToast({ text: words.removed })}
              />
            </div>
          )}
          {data && <PasskeyList passkeys={data.passkeys} />}
          {hasFactor && <Facts facts={[[words.recovery, words.left(data.recoveryCodes)]]} />}
          <div className={layout.row}>
            {data !== undefined && !data.codes && (
              <Button
                busy={setUp.isPending}
                onClick={() => setUp.mutate({ parameters: {} }, { onSuccess: setSetup })}
              >
                {words.setUp}
              </Button>
            )}
            {takesPasskeys && <AddPasskey done={setCodes} />}
            {hasFactor && (
              <Button
                busy={renew.isPending}
                onClick={() =>
                  renew.mutate({ parameters: {} }, { onSuccess: (answer) => setCodes(answer.recoveryCodes) })
                }
              >
                {words.newCodes}
              </Button>
            )}
          </div>
        </div>
      </Card>
      {setup && (
        <SetUpApp
          setup={setup}
          close={() => setSetup(undefined)}
          done={(codes) => {
            setSetup(undefined);
            setCodes(codes);
          }}
        />
      )}
      {recoveryCodes.length > 0 && (
        <SecretOnce
          title={words.recovery}
          secret={recoveryCodes.join('\n')}
          close={() => {
            setCodes([]);
            done?.();
          }}
        >
          {words.recoveryText}
        </SecretOnce>
      )}
    </Section>
  );
}

/**
 * Shown in place of all pages to those who must have a second factor, until they have set one up. `company`: which requires it
 * of a user.
 */
export function EnrolPage({ company, done }: { readonly company?: string; readonly done: () => void }) {
  const words = useFactorWords();
  return (
    <SignInFrame
      title={words.title}
      lead={company === undefined ? words.operatorsLead : words.enrolLead(company)}
    >
      <Factors done={done} />
    </SignInFrame>
  );
}

type Setup = AnswerOf<'POST', '/portal/api/factors/codes/setup'>;

function SetUpApp({
  setup: { secret, picture, token },
  close,
  done,
}: {
  readonly setup: Setup;
  readonly close: () => void;
  readonly done: (recoveryCodes: readonly string[]) => void;
}) {
  const words = useFactorWords();
  const act = useAct(`${ownPath}/factors/codes` as const);
  const form = formOf(act, useState({ code: '' }));
  const submit = () =>
    act.mutate(
      { parameters: { token, ...form.values } },
      { onSuccess: (answer) => done(answer.recoveryCodes) },
    );
  return (
    <Dialog title={words.setUp} close={close}>
      <ActForm form={form} submit={submit} label={words.goOn} close={close}>
        <p>{words.scan}</p>
        <img
          className={layout.start}
          src={`data:image/svg+xml,${encodeURIComponent(picture)}`}
          alt=""
          width={196}
          height={196}
        />
        <Facts facts={[[words.secret, <code key="key">{secret.match(/.{1,4}/g)?.join(' ')}</code>]]} />
        <TextField
          label={words.code}
          hint={words.appHint}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={10}
          required
          {...form.field('code')}
        />
      </ActForm>
    </Dialog>
  );
}
