/** The fields of a receiver: who posts, what happens, which text people get, and where acknowledgements go. */
import type { ReactNode } from 'react';
import { useCompanyUsers } from '../api/company-users.ts';
import type { Fault } from '../api/fault.ts';
import { useRead } from '../api/queries.ts';
import { ChipsField } from '../design/chips-field.tsx';
import { CheckField, Choice, PasswordField, SelectField, TextArea, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { PartsMeter } from '../design/message-field.tsx';
import {
  type Example,
  type Fields,
  pointerNames,
  type Receiver,
  type Secrets,
  sampleAlert,
  sources,
  textOf,
} from './receiver.ts';
import { useSavedJobs } from './receivers-page.tsx';
import { useReceiverWords } from './texts.ts';

interface FieldsProps {
  readonly fields: Fields;
  readonly set: (some: Partial<Fields>) => void;
  readonly secrets: Secrets;
  readonly setSecrets: (next: Secrets) => void;
  readonly fault: Fault | null;
  /** Undefined for a new one. */
  readonly receiver: Receiver | undefined;
}

type Typed = { readonly target: { readonly value: string } };
type TextName = { [Name in keyof Fields]: Fields[Name] extends string ? Name : never }[keyof Fields];

/** The properties of a field, by its name and by that of its parameter. */
function binder({ fields, set, fault, receiver }: FieldsProps) {
  const isFixed = (key: string) => receiver?.managedKeys.includes(key) === true;
  return {
    isFixed,
    mark: (key: string) => isFixed(key) && <ManagedMark name={key} />,
    field: (name: TextName, hint?: ReactNode, parameter: string = name) => {
      const key = parameter.split('.')[0] ?? '';
      return {
        value: fields[name],
        error: fault?.of(parameter),
        hint: isFixed(key) ? <ManagedMark name={key} /> : hint,
        disabled: isFixed(key),
        onChange: ({ target }: Typed) => set({ [name]: target.value }),
      };
    },
  };
}

export function ReceiverFields(props: FieldsProps) {
  const words = useReceiverWords();
  const { fields, set, receiver } = props;
  const { field, mark, isFixed } = binder(props);
  const users = useCompanyUsers().names;
  return (
    <>
      {receiver === undefined && (
        <TextField
          label={words.name}
          required
          maxLength={100}
          autoComplete="off"
          {...field('name', words.nameHint)}
        />
      )}
      <div className={layout.grid}>
        <SelectField label={words.source} {...field('source')}>
          {sources.map((source) => (
            <option key={source} value={source}>
              {words.sources[source]}
            </option>
          ))}
        </SelectField>
        <SelectField label={words.user} {...field('user', words.userHint)}>
          {[...new Set([fields.user, ...users])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      </div>
      {isFixed('start') || isFixed('send') ? (
        <p>
          {words.actions[fields.action]} {mark(fields.action)}
        </p>
      ) : (
        <Choice
          label={words.action}
          value={fields.action}
          options={(['start', 'send'] as const).map((one) => [one, words.actions[one]])}
          onChange={(action) => set({ action })}
        />
      )}
      {fields.action === 'start' ? <Job {...props} /> : <Recipients {...props} />}
      <Text {...props} />
      <Waking {...props} />
      {fields.source === 'generic' && <Pointers {...props} />}
      <Acknowledge {...props} />
    </>
  );
}

function Job(props: FieldsProps) {
  const words = useReceiverWords();
  const { start } = props.fields;
  const { field } = binder(props);
  const jobs = useSavedJobs();
  return (
    <SelectField label={words.start} {...field('start', words.startHint)}>
      {start === '' && <option value="">{words.chooseJob}</option>}
      {start !== '' && !jobs.has(start) && <option value={start}>{words.job(start)}</option>}
      {[...jobs.values()].map(({ id, name, owner }) => (
        <option key={id} value={id}>
          {name} ({owner})
        </option>
      ))}
    </SelectField>
  );
}

function Recipients(props: FieldsProps) {
  const words = useReceiverWords();
  const { fields, set, fault } = props;
  const { field, isFixed } = binder(props);
  return (
    <fieldset className={layout.stack} disabled={isFixed('send')}>
      <legend className="unseen">{words.actions.send}</legend>
      <TextArea
        label={words.numbers}
        optional
        rows={3}
        {...field('numbers', words.numbersHint, 'send.numbers')}
        error={fault?.of('send.numbers') ?? fault?.of('send')}
      />
      <TextField
        label={words.tagFilter}
        optional
        {...field('tagFilter', words.filterHint, 'send.tagFilter')}
      />
      <ChipsField
        label={words.groups}
        items={fields.groups}
        error={fault?.of('send.groups')}
        change={(groups) => set({ groups })}
        maxLength={100}
      />
    </fieldset>
  );
}

function Text(props: FieldsProps) {
  const words = useReceiverWords();
  const { fields, receiver } = props;
  const { field } = binder(props);
  const question = useQuestion(fields);
  const latest = useLatestAlert(receiver?.name);
  const text = textOf(fields, latest ?? sampleAlert(words.sampleTitle, words.sampleDescription));
  const whole = question === '' ? text : `${text}\n${question}`;
  return (
    <>
      <TextArea label={words.text} optional rows={3} maxLength={1_000} {...field('text', words.textHint)} />
      <figure className={`${layout.stack} ${layout.close}`}>
        <figcaption className={layout.soft}>
          {words.preview} · {latest === undefined ? words.ofSample : words.ofLatest}
        </figcaption>
        <p className={layout.sms}>{whole}</p>
        <PartsMeter text={whole} />
      </figure>
    </>
  );
}

/** What the saved job asks, below the text of the alert. */
function useQuestion({ action, start: id }: Fields): string {
  const { data } = useRead('/api/v1/savedjobs/{id}', { id }, { enabled: action === 'start' && id !== '' });
  return (action === 'start' && data?.message) || '';
}

/** The first alert of the latest incident. */
function useLatestAlert(receiver: string | undefined): Example | undefined {
  const { data } = useRead(
    '/api/v1/incidents',
    { receiver: receiver ?? '', limit: 1 },
    { enabled: receiver !== undefined },
  );
  const id = data?.incidents[0]?.id;
  const latest = useRead('/api/v1/incidents/{id}', { id: id ?? '' }, { enabled: id !== undefined });
  return latest.data?.list[0];
}

function Waking(props: FieldsProps) {
  const words = useReceiverWords();
  const { fields, set } = props;
  const { field, mark, isFixed } = binder(props);
  return (
    <details>
      <summary>{words.waking}</summary>
      <div className={layout.stack}>
        <TextField label={words.groupMinutes} type="number" min={0} max={60} {...field('groupMinutes')} />
        <TextField label={words.againHours} type="number" min={0} max={168} {...field('againHours')} />
        <CheckField
          label={words.ownAlerts}
          hint={mark('ownAlerts') || words.ownAlertsHint}
          checked={fields.ownAlerts}
          disabled={isFixed('ownAlerts')}
          onChange={({ target }) => set({ ownAlerts: target.checked })}
        />
      </div>
    </details>
  );
}

function Pointers(props: FieldsProps) {
  const words = useReceiverWords();
  const { fields, set, fault } = props;
  const { mark, isFixed } = binder(props);
  return (
    <details>
      <summary>{words.pointers}</summary>
      <fieldset className={layout.stack} disabled={isFixed('pointers')}>
        <legend className="unseen">{words.pointers}</legend>
        <p className={layout.soft}>{mark('pointers') || words.pointersText}</p>
        <div className={layout.grid}>
          {pointerNames.map((name) => (
            <TextField
              key={name}
              label={words.pointerNames[name]}
              maxLength={200}
              value={fields.pointers[name] ?? ''}
              error={fault?.of(`pointers.${name}`)}
              onChange={({ target }) => set({ pointers: { ...fields.pointers, [name]: target.value } })}
            />
          ))}
        </div>
        {(['firing', 'resolved'] as const).map((name) => (
          <ChipsField
            key={name}
            label={words[name]}
            items={fields[name]}
            error={fault?.of(`pointers.${name}`)}
            change={(items) => set({ [name]: items })}
            maxLength={100}
          />
        ))}
      </fieldset>
    </details>
  );
}

function Acknowledge(props: FieldsProps) {
  const words = useReceiverWords();
  const { fields, secrets, setSecrets, fault, receiver } = props;
  const { field, isFixed } = binder(props);
  const { source, url } = fields;
  if (source === 'uptimekuma') return <p className={layout.soft}>{words.unacknowledged}</p>;
  const kept = receiver?.acknowledge?.url === url.trim() ? receiver.acknowledge : undefined;
  const secret = (name: keyof Secrets, isKept: boolean | undefined, hint: string) => (
    <PasswordField
      label={words[name]}
      autoComplete="off"
      maxLength={1_000}
      disabled={isFixed('acknowledge')}
      value={secrets[name]}
      hint={isKept === true ? words.kept : hint}
      error={fault?.of(`acknowledge.${name}`)}
      onChange={({ target }) => setSecrets({ ...secrets, [name]: target.value })}
    />
  );
  return (
    <fieldset className={layout.stack}>
      <legend>{words.acknowledge}</legend>
      <p className={layout.soft}>{words.acknowledgeText}</p>
      <TextField
        label={words.url}
        optional
        type="url"
        maxLength={2_000}
        {...field('url', words.urlHints[source], 'acknowledge.url')}
        error={fault?.of('acknowledge.url') ?? fault?.of('acknowledge')}
      />
      {url.trim() !== '' && (
        <>
          <TextField
            label={words.hours}
            type="number"
            min={1}
            max={168}
            {...field('hours', undefined, 'acknowledge.hours')}
          />
          <div className={layout.grid}>
            {secret('token', kept?.hasToken, words.tokenHint)}
            <TextField
              label={words.username}
              maxLength={200}
              autoComplete="off"
              {...field('username', undefined, 'acknowledge.username')}
            />
            {secret('password', kept?.hasPassword, words.passwordHint)}
          </div>
        </>
      )}
    </fieldset>
  );
}
