/** The settings of a webhook: the form of a new one, and of one that may also be changed by others or by the operator. */
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { StatusName } from '../../../src/messages/message.ts';
import type { EventType } from '../../../src/webhooks/endpoint.ts';
import type { CurlCall } from '../api/as-curl.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import type { FaultContent } from '../api/fault.ts';
import { type Act, useAct } from '../api/queries.ts';
import { changesOf, useEdits } from '../browser/draft.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { BackLink } from '../design/button.tsx';
import { FaultText } from '../design/fault-text.tsx';
import { CheckField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { Page } from '../design/page.tsx';
import { SecretOnce } from '../design/secret-once.tsx';
import { toneOf } from '../design/status-badge.tsx';
import { useRowsByName, useStoredEdits } from '../design/stored-edits.tsx';
import { useDesignWords } from '../design/texts.ts';
import { CostCenterField } from '../sending/cost-centers.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useWebhookWords } from './texts.ts';
import styles from './webhooks.module.css';
import { useWebhookPath } from './webhooks-page.tsx';

export type Webhook = AnswerOf<'GET', '/api/v1/webhooks/{id}'>;

interface Fields {
  readonly name: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly statuses: readonly StatusName[];
  readonly costCenter: string;
  readonly conversationPrefix: string;
  readonly batchId: string;
  readonly user: string;
  readonly batch: boolean;
  readonly text: 'full' | 'none';
  readonly active: boolean;
}

const blank: Fields = {
  name: '',
  url: '',
  events: ['message.status'],
  statuses: [],
  costCenter: '',
  conversationPrefix: '',
  batchId: '',
  user: '',
  batch: false,
  text: 'none',
  active: true,
};

function fieldsOf(webhook: Webhook): Fields {
  const { name, url, events, batch, text, active } = webhook;
  const { statuses = [], costCenter = '', conversationPrefix = '', batchId = '', username = '' } = webhook;
  return {
    name,
    url,
    events,
    statuses,
    costCenter,
    conversationPrefix,
    batchId,
    user: username,
    batch,
    text,
    active,
  };
}

export function NewWebhookPage() {
  const words = useWebhookWords();
  const navigate = useNavigate();
  const base = useWebhookPath();
  const { username } = useSession();
  const edits = useEdits(`webhook.new.${username}`, blank);
  const act = useAct('/api/v1/webhooks');
  const [made, setMade] = useState<AnswerOf<'POST', '/api/v1/webhooks'>>();
  const { events } = edits.fields;
  const parameters = { ...changesOf(edits.fields, blank), events };
  const save = () =>
    act.mutate(
      { parameters },
      {
        onSuccess: (answer) => {
          edits.saved();
          setMade(answer);
        },
      },
    );
  return (
    <Page title={words.make} width="narrow" back={<BackLink to={base}>{words.back}</BackLink>}>
      <Form
        edits={edits}
        act={act}
        save={save}
        label={words.make}
        isNew
        managedKeys={[]}
        call={{ method: 'POST', path: '/api/v1/webhooks', parameters }}
      />
      {made !== undefined && (
        <SecretOnce
          title={words.secretTitle(made.name)}
          secret={made.secret}
          close={() => void navigate({ to: `${base}/$id`, params: { id: made.id } })}
        >
          {words.secretText}
        </SecretOnce>
      )}
    </Page>
  );
}

const path = '/api/v1/webhooks/{id}';

export function Settings({ webhook }: { readonly webhook: Webhook }) {
  const words = useWebhookWords();
  const navigate = useNavigate();
  const base = useWebhookPath();
  const { username } = useSession();
  const { id, version, managedKeys } = webhook;
  const stored = fieldsOf(webhook);
  const edits = useStoredEdits({
    path,
    of: { id },
    draft: `webhook.${id}.${username}`,
    stored,
    version,
    rows: useRowsByName<keyof Fields>(words),
    // With another user, it has started over under another id.
    done(changed, isShown) {
      if (isShown && changed.id !== id)
        void navigate({ to: `${base}/$id`, params: { id: changed.id }, replace: true });
    },
  });
  const { save, call, conflict } = edits.saving(changesOf(edits.fields, stored));
  return (
    <>
      {conflict}
      {managedKeys.length > 0 && <p className={layout.soft}>{words.managed}</p>}
      <Form
        edits={edits}
        act={edits.act}
        save={save}
        label={words.save}
        isNew={false}
        managedKeys={managedKeys}
        call={call}
        aside={edits.discard}
      />
    </>
  );
}

type Words = ReturnType<typeof useWebhookWords>;

interface FormProps {
  readonly edits: Pick<ReturnType<typeof useEdits<Fields>>, 'fields' | 'change' | 'isTouched'>;
  readonly act: Pick<Act<never, unknown>, 'error' | 'isPending'>;
  readonly save: () => void;
  readonly label: string;
  readonly isNew: boolean;
  readonly managedKeys: readonly string[];
  readonly call: CurlCall;
  readonly aside?: ReactNode;
}

function Form({ edits, act, save, label, isNew, managedKeys, call, aside }: FormProps) {
  const words = useWebhookWords();
  const { fields, change, isTouched } = edits;
  const form = formOf(act, [fields, change]);
  const fixed = (name: keyof Fields) => managedKeys.includes(name);
  const set = (next: Partial<Fields>) => change((before) => ({ ...before, ...next }));
  const hint = (name: keyof Fields, text?: string) => (fixed(name) ? <ManagedMark name={name} /> : text);
  const check = (name: 'batch' | 'active', text: string) => (
    <CheckField
      label={words[name]}
      hint={hint(name, text)}
      checked={fields[name]}
      disabled={fixed(name)}
      onChange={({ target }) => set({ [name]: target.checked })}
    />
  );
  const { events, text } = fields;
  return (
    <ActForm form={form} submit={save} label={label} lacks={!isTouched} call={call} aside={aside}>
      {isNew && (
        <TextField
          label={words.name}
          hint={words.nameHint}
          required
          maxLength={100}
          {...form.field('name')}
        />
      )}
      <TextField
        label={words.url}
        hint={hint('url', words.urlHint)}
        required
        type="url"
        maxLength={2_000}
        readOnly={fixed('url')}
        {...form.field('url')}
      />
      <Checks
        label={words.events}
        hint={hint('events', words.eventsHint)}
        error={form.field('events').error}
        disabled={fixed('events')}
        options={subscribable(words).map((type) => [type, words.eventWords[type]])}
        chosen={events}
        change={(next) => set({ events: next })}
      />
      <CheckField
        label={words.text}
        hint={hint('text', words.textHint)}
        checked={text === 'full'}
        disabled={fixed('text')}
        onChange={({ target }) => set({ text: target.checked ? 'full' : 'none' })}
      />
      {check('batch', words.batchHint)}
      {check('active', words.activeHint)}
      <Narrowing form={form} set={set} fixed={fixed} hint={hint} />
    </ActForm>
  );
}

/** A test goes to whichever webhook is tested. */
function subscribable({ eventWords }: Words): readonly EventType[] {
  return (Object.keys(eventWords) as EventType[]).filter((type) => type !== 'webhook.test');
}

interface NarrowingProps {
  readonly form: ReturnType<typeof formOf<Fields>>;
  readonly set: (next: Partial<Fields>) => void;
  readonly fixed: (name: keyof Fields) => boolean;
  readonly hint: (name: keyof Fields, text?: string) => ReactNode;
}

function Narrowing({ form, set, fixed, hint }: NarrowingProps) {
  const words = useWebhookWords();
  const { statuses: statusWords } = useDesignWords();
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const { statuses, costCenter, conversationPrefix, batchId, user } = form.values;
  const [isOpen, setOpen] = useState(
    statuses.length > 0 || [costCenter, conversationPrefix, batchId, user].some((one) => one !== ''),
  );
  const propsOf = (name: 'costCenter' | 'conversationPrefix' | 'batchId' | 'user', more?: string) => ({
    label: words[name],
    hint: hint(name, more),
    optional: true,
    maxLength: 200,
    readOnly: fixed(name),
    ...form.field(name),
  });
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.narrow}</summary>
      <div className={layout.stack}>
        <Checks
          label={words.statuses}
          hint={hint('statuses', words.statusesHint)}
          error={form.field('statuses').error}
          disabled={fixed('statuses')}
          options={(Object.keys(toneOf) as StatusName[]).map((name) => [
            name,
            `${statusWords[name]} (${name})`,
          ])}
          chosen={statuses}
          change={(next) => set({ statuses: next })}
        />
        <CostCenterField {...propsOf('costCenter')} />
        <TextField {...propsOf('conversationPrefix')} />
        <TextField {...propsOf('batchId')} />
        {isAdministrator && <TextField {...propsOf('user', words.userHint)} />}
      </div>
    </details>
  );
}

interface ChecksProps<Value extends string> {
  readonly label: string;
  readonly hint: ReactNode;
  readonly error: FaultContent | undefined;
  readonly disabled: boolean;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly chosen: readonly Value[];
  /** The chosen ones in the order of the options. */
  readonly change: (chosen: readonly Value[]) => void;
}

function Checks<Value extends string>(props: ChecksProps<Value>) {
  const { label, hint, error, disabled, options, chosen, change } = props;
  const toggled = (value: Value, isOn: boolean) =>
    change(options.map(([one]) => one).filter((one) => (one === value ? isOn : chosen.includes(one))));
  return (
    <fieldset className={`${styles.checks} ${layout.grid}`} disabled={disabled}>
      <legend>
        {label}
        <span className={layout.soft}> {hint}</span>
      </legend>
      {error !== undefined && (
        <div className={layout.soft} data-tone="failed" role="alert">
          <FaultText fault={error} />
        </div>
      )}
      {options.map(([value, text]) => (
        <CheckField
          key={value}
          label={text}
          checked={chosen.includes(value)}
          onChange={({ target }) => toggled(value, target.checked)}
        />
      ))}
    </fieldset>
  );
}
