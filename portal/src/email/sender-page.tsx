/** One entry of the list of e-mail senders: a new one, or one that is changed. */
import { useNavigate, useParams } from '@tanstack/react-router';
import type { AnswerOf, ParametersOf } from '../api/endpoints.ts';
import { useAct, useRead } from '../api/queries.ts';
import { useEdits } from '../browser/draft.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { BackLink } from '../design/button.tsx';
import { Removal } from '../design/confirm-dialog.tsx';
import { Choice, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { useStoredEdits } from '../design/stored-edits.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import {
  changesOf,
  noSettings,
  type Settings,
  SettingsFields,
  settingsOf,
  usePayers,
  useRows,
} from './settings.tsx';
import { useEmailWords } from './texts.ts';

const path = '/api/v1/email/senders/{email}';

type Sender = AnswerOf<'GET', typeof path>;

function Back() {
  return <BackLink to="/admin/email">{useEmailWords().back}</BackLink>;
}

function useDefaults(): { readonly defaults: Settings; readonly endings: readonly string[] } {
  const { data } = useRead('/api/v1/email/defaults', {}, { live: ['emailsenders'] });
  const domains = useRead('/api/v1/email/domains', {});
  return {
    defaults: settingsOf(data ?? {}),
    endings: (domains.data?.endings ?? []).map(({ ending }) => ending),
  };
}

const blank = { ...noSettings, email: '', blocked: 'no' };

export function NewSenderPage() {
  const words = useEmailWords();
  const navigate = useNavigate();
  const { username } = useSession();
  const edits = useEdits(`email.new.${username}`, blank);
  const act = useAct('/api/v1/email/senders');
  const { fields, change } = edits;
  const form = formOf(act, [fields, change]);
  const { defaults, endings } = useDefaults();
  const { payers, payer } = usePayers(fields.payingUser.trim() || defaults.payingUser);
  const lacksSplit = payer !== undefined && !payer.smtpSplit;
  const isOff = lacksSplit && (fields.splitCallback === 'yes' || defaults.splitCallback === 'yes');
  const wanted = { ...fields, ...(lacksSplit && { splitCallback: isOff ? 'no' : '' }) };
  const parameters = {
    email: fields.email.trim(),
    blocked: fields.blocked === 'yes',
    ...changesOf(wanted, noSettings),
  } as ParametersOf<'POST', '/api/v1/email/senders'>;
  const save = () =>
    act.mutate(
      { parameters },
      {
        onSuccess: ({ email }, isShown) => {
          edits.saved();
          showToast({ text: words.made(email) });
          if (isShown) void navigate({ to: '/admin/email' });
        },
      },
    );
  return (
    <Page title={words.make} back={<Back />}>
      <ActForm
        form={form}
        submit={save}
        label={words.save}
        lacks={fields.email.trim() === ''}
        call={{ method: 'POST', path: '/api/v1/email/senders', parameters }}
      >
        <TextField
          label={words.address}
          hint={`${words.addressHint} ${endings.length === 0 ? words.noDomains : words.allowedEndings(endings.join(', '))}`}
          required
          maxLength={254}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('email')}
        />
        <Blocked value={fields.blocked} change={(blocked) => change((now) => ({ ...now, blocked }))} />
        <p className={layout.soft}>{words.takenWhenSaved}</p>
        <SettingsFields
          kind="new"
          form={form}
          set={(name, value) => change((now) => ({ ...now, [name]: value }))}
          defaults={defaults}
          managed={[]}
          payers={payers}
          lacksSplit={lacksSplit}
        />
      </ActForm>
    </Page>
  );
}

function Blocked({ value, change }: { readonly value: string; readonly change: (value: string) => void }) {
  const words = useEmailWords();
  return (
    <Choice
      label={words.state}
      value={value}
      options={[
        ['no', words.allowed],
        ['yes', words.blocked],
      ]}
      onChange={change}
    />
  );
}

export function SenderPage() {
  const { email = '' } = useParams({ strict: false });
  const read = useRead(path, { email }, { live: ['emailsenders'] });
  return (
    <Page title={email} back={<Back />}>
      <Answered read={read}>{(sender) => <Edited key={sender.email} sender={sender} />}</Answered>
    </Page>
  );
}

function Edited({ sender }: { readonly sender: Sender }) {
  const words = useEmailWords();
  const { username } = useSession();
  const { email, version, managedKeys } = sender;
  const stored = { ...settingsOf(sender), blocked: sender.blocked ? 'yes' : 'no' };
  const rows = useRows();
  const shown = (blocked: string) => (blocked === 'yes' ? words.blocked : words.allowed);
  const edits = useStoredEdits({
    path,
    of: { email },
    draft: `email.${email}.${username}`,
    stored,
    version,
    rows: (fields) => [[words.state, shown(fields.blocked)], ...rows(fields)],
    saved: words.saved,
  });
  const { fields, change } = edits;
  const form = formOf(edits.act, [fields, change]);
  const { payers, payer } = usePayers(fields.payingUser);
  const lacksSplit = payer !== undefined && !payer.smtpSplit;
  const isOff = lacksSplit && !managedKeys.includes('splitCallback');
  const { save, call, conflict, lacksChanges } = edits.saving({
    ...changesOf({ ...fields, ...(isOff && { splitCallback: 'no' }) }, stored),
    ...(fields.blocked !== stored.blocked && { blocked: fields.blocked === 'yes' }),
  });
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      {email.startsWith('@') && <Notice>{words.wholeDomainText(email.slice(1))}</Notice>}
      {sender.managed && <Notice>{words.managedText}</Notice>}
      {sender.payerProblem !== undefined && (
        <Notice tone="warning">{words.payerProblems[sender.payerProblem](sender.payingUser ?? '')}</Notice>
      )}
      {conflict}
      <ActForm
        form={form}
        submit={save}
        label={words.save}
        lacks={lacksChanges}
        aside={edits.discard}
        call={call}
      >
        {managedKeys.includes('blocked') ? (
          <p>
            {words.state}: {shown(stored.blocked)} <span className={layout.soft}>· {words.managedField}</span>
          </p>
        ) : (
          <Blocked value={fields.blocked} change={(blocked) => change((now) => ({ ...now, blocked }))} />
        )}
        <SettingsFields
          kind="entry"
          form={form}
          set={(name, value) => change((now) => ({ ...now, [name]: value }))}
          defaults={noSettings}
          managed={managedKeys}
          payers={payers}
          lacksSplit={lacksSplit}
        />
      </ActForm>
      {!sender.managed && (
        <Removal
          path={path}
          parameters={{ email }}
          label={words.remove}
          title={words.removeTitle(email)}
          question={email.startsWith('@') ? words.removeDomain : words.removeAddress}
          removed={words.removed(email)}
          next={{ to: '/admin/email' }}
        />
      )}
    </div>
  );
}
