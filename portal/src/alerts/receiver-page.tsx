/** One receiver, or a new one: its settings, and what is set at its program. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { CurlCall } from '../api/as-curl.ts';
import { type Act, useAct, useRead } from '../api/queries.ts';
import { changesOf, useEdits } from '../browser/draft.ts';
import { ActForm } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { CopyButton } from '../design/as-curl.tsx';
import { BackLink, Button, ButtonLink } from '../design/button.tsx';
import { Removal } from '../design/confirm-dialog.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Page, Section } from '../design/page.tsx';
import { useRowsByName, useStoredEdits } from '../design/stored-edits.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import {
  addressOf,
  blank,
  callOf,
  changeOf,
  type Fields,
  fieldsOf,
  noSecrets,
  type Receiver,
  receiversPath,
  type Secrets,
  snippetOf,
} from './receiver.ts';
import { ReceiverFields } from './receiver-fields.tsx';
import { useReceiverWords } from './texts.ts';

const path = '/api/v1/alertreceivers/{name}';

interface Of {
  readonly receiver: Receiver & { readonly version: string };
}

export function NewReceiverPage() {
  const words = useReceiverWords();
  const navigate = useNavigate();
  const { username } = useSession();
  const edits = useEdits(`alertreceiver.new.${username}`, { ...blank, user: username });
  const [secrets, setSecrets] = useState(noSecrets);
  const act = useAct(receiversPath);
  const { name } = edits.fields;
  const save = () =>
    act.mutate(
      { parameters: { name, ...callOf(edits.fields, secrets) } },
      {
        onSuccess: (made, isShown) => {
          edits.saved();
          showToast({ text: words.saved });
          if (isShown) void navigate({ to: '/admin/alert-receivers/$name', params: { name: made.name } });
        },
      },
    );
  const shown = { name, ...callOf(edits.fields, hidden(secrets)) };
  return (
    <Page title={words.make} width="narrow" back={<Back />}>
      <Form
        edits={edits}
        secrets={[secrets, setSecrets]}
        act={act}
        save={save}
        label={words.make}
        receiver={undefined}
        call={{ method: 'POST', path: receiversPath, parameters: shown }}
      />
    </Page>
  );
}

function Back() {
  return <BackLink to="/admin/alert-receivers">{useReceiverWords().back}</BackLink>;
}

/** A command that is shown, and perhaps copied, has no secrets. */
function hidden({ token, password }: Secrets): Secrets {
  return { token: token && '…', password: password && '…' };
}

export function ReceiverPage() {
  const words = useReceiverWords();
  const { name } = useParams({ from: '/admin/alert-receivers/$name' });
  const read = useRead(path, { name }, { live: ['alertreceivers'] });
  return (
    <Page
      title={name}
      back={<Back />}
      actions={
        <ButtonLink to="/alerts" search={{ receiver: name }}>
          {words.itsIncidents}
        </ButtonLink>
      }
    >
      <Answered read={read}>{(receiver) => <One key={name} receiver={receiver} />}</Answered>
    </Page>
  );
}

function One({ receiver }: Of) {
  const words = useReceiverWords();
  const { name, managedKeys } = receiver;
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      {managedKeys.length > 0 && <Notice>{words.managed}</Notice>}
      <div className={layout.columns}>
        <Section title={words.settings}>
          <Edited receiver={receiver} />
        </Section>
        <Connection receiver={receiver} />
      </div>
      {managedKeys.length === 0 && (
        <Removal
          path={path}
          parameters={{ name }}
          label={words.remove}
          title={`${words.remove}: ${name}`}
          question={words.removeSure}
          removed={words.removed(name)}
          next={{ to: '/admin/alert-receivers' }}
        />
      )}
    </div>
  );
}

function Edited({ receiver }: Of) {
  const words = useReceiverWords();
  const { username } = useSession();
  const { name, version } = receiver;
  const stored = fieldsOf(receiver);
  const [secrets, setSecrets] = useState(noSecrets);
  const rows = useRowsByName<Exclude<keyof typeof stored, 'pointers'>>(words);
  const edits = useStoredEdits({
    path,
    of: { name },
    draft: `alertreceiver.${name}.${username}`,
    stored,
    version,
    overwritesMore: secrets !== noSecrets,
    rows: ({ pointers: _, ...named }) => rows(named),
    done: () => setSecrets(noSecrets),
  });
  const changes = (given: Secrets) => changesOf(changeOf(edits.fields, given), changeOf(stored, noSecrets));
  const { save, conflict } = edits.saving(changes(secrets));
  const drop = () => {
    edits.drop();
    setSecrets(noSecrets);
  };
  const isTouched = edits.isTouched || secrets !== noSecrets;
  return (
    <>
      {conflict}
      <Form
        edits={edits}
        secrets={[secrets, setSecrets]}
        act={edits.act}
        save={save}
        label={words.save}
        lacks={!isTouched}
        receiver={receiver}
        call={edits.saving(changes(hidden(secrets))).call}
        aside={isTouched && <Button onClick={drop}>{words.discard}</Button>}
      />
    </>
  );
}

interface FormProps {
  readonly edits: Pick<ReturnType<typeof useEdits<Fields>>, 'fields' | 'change'>;
  readonly secrets: readonly [Secrets, (next: Secrets) => void];
  readonly act: Pick<Act<never, unknown>, 'error' | 'isPending'>;
  readonly save: () => void;
  readonly label: string;
  readonly lacks?: boolean;
  readonly receiver: Receiver | undefined;
  readonly call: CurlCall;
  readonly aside?: ReactNode;
}

/** What is seen without unfolding anything; a fault of anything else is also shown at the button. */
const seen = [
  ...['name', 'source', 'user', 'start', 'send', 'send.numbers', 'send.tagFilter', 'send.groups', 'text'],
  ...['acknowledge', 'acknowledge.url'],
];

function Form(props: FormProps) {
  const { edits, act, save, label, lacks = false, receiver, call, aside } = props;
  const [secrets, setSecrets] = props.secrets;
  const { error: fault, isPending } = act;
  const faults = fault?.fields ?? [];
  const isSeen = faults.length > 0 && faults.every(({ field }) => seen.includes(field));
  return (
    <ActForm
      form={{ isPending, fault: isSeen ? null : fault }}
      submit={save}
      label={label}
      lacks={lacks}
      call={call}
      aside={aside}
    >
      <ReceiverFields
        fields={edits.fields}
        set={(some) => edits.change((before) => ({ ...before, ...some }))}
        secrets={secrets}
        setSecrets={setSecrets}
        fault={fault}
        receiver={receiver}
      />
    </ActForm>
  );
}

function Connection({ receiver }: Of) {
  const words = useReceiverWords();
  const { name, source, user } = receiver;
  const snippet = snippetOf(receiver);
  return (
    <Section title={words.connect}>
      <div className={layout.stack}>
        <Copied label={words.address} text={addressOf(name)} copy={words.copyAddress} />
        <Copied label={words.sources[source]} text={snippet} copy={words.copySettings} />
        <Copied label={words.key} text={limiting(user, name)} copy={words.copyCommand} />
        <p className={layout.soft}>{words.keyText(user)}</p>
      </div>
    </Section>
  );
}

const limiting = (user: string, name: string) => `carillon keys limit ${user} NAME --scopes 'alerts:${name}'`;

interface CopiedProps {
  readonly label: string;
  readonly text: string;
  readonly copy: string;
}

function Copied({ label, text, copy }: CopiedProps) {
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <div className={`${layout.row} ${layout.apart}`}>
        <strong>{label}</strong>
        <CopyButton text={text} label={copy} />
      </div>
      <pre className={`${layout.well} ${layout.verbatim}`}>{text}</pre>
    </div>
  );
}
