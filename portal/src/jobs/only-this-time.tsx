/** What may be changed in a saved job for one run, by the type of the job (API: /startsavedjob, rules 3 to 5). */
import { cleanNumber } from '../../../src/wire/phone-number.ts';
import type { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { CheckField, TextArea, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { MessageField } from '../design/message-field.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { numbersIn, type Recipient } from '../sending/recipient.ts';
import { type RecipientsDraft, RecipientsField } from '../sending/recipients-field.tsx';
import { timeOf, timeZone, utcTime } from '../words/times.ts';
import type { SavedJob } from './run.ts';
import type { StartParameters } from './start.tsx';
import { useJobWords } from './texts.ts';

export interface Changes extends RecipientsDraft {
  readonly name: string;
  readonly message: string;
  /** Value of a date-time field. Empty means now. */
  readonly at: string;
  readonly goal: string;
  /** Whether the saved people are asked too. */
  readonly keeps: boolean;
  /** Numbers of people who are not asked. */
  readonly excluded: string;
  readonly excludeFilter: string;
  /** For jobs with tasks: who is asked instead. */
  readonly filter: string;
}

export function asSaved({ message }: SavedJob): Changes {
  return {
    name: '',
    message,
    at: '',
    goal: '',
    keeps: true,
    excluded: '',
    excludeFilter: '',
    filter: '',
    recipients: [],
    countryCode: '',
  };
}

const given = (text: string) => text.trim() || undefined;
const some = <Value,>(values: readonly Value[]) => (values.length === 0 ? undefined : values);

/** What is as saved is left out. */
export function parametersOf(changes: Changes, { message, settings }: SavedJob): StartParameters {
  const { name, at, goal, filter } = changes;
  const ofEvery = {
    jobname: given(name),
    message: changes.message === message ? undefined : changes.message,
    scheduledstart: timeOf(at),
    responsegoal: goal === '' ? undefined : Number(goal),
  };
  if (settings?.generic !== 'GMM') return { ...ofEvery, toaddressbookcustomtagfilter: given(filter) };
  const { recipients, countryCode, keeps, excluded, excludeFilter } = changes;
  const valuesOf = (kind: Recipient['kind']) =>
    some(recipients.filter((one) => one.kind === kind).map(({ value }) => value));
  return {
    ...ofEvery,
    tonumbers: valuesOf('number')?.map((value) => {
      const number = cleanNumber(value, countryCode || undefined);
      return number.ok ? number.value : value;
    }),
    toaddressbookcustomtagfilter: valuesOf('filter')?.[0],
    toaddressbooksavedtagfilters: valuesOf('saved'),
    toaddressbookgroups: valuesOf('group'),
    tokeep: recipients.length > 0 && keeps ? true : undefined,
    excludenumbers: some(numbersIn(excluded).numbers),
    excludecustomtagfilter: given(excludeFilter),
  };
}

interface OnlyThisTimeProps {
  readonly job: SavedJob;
  readonly changes: Changes;
  readonly change: (some: Partial<Changes>) => void;
  /** What the rehearsal finds wrong, with the fields it is about. */
  readonly fault: Fault | null;
}

export function OnlyThisTime({ job, changes, change, fault }: OnlyThisTimeProps) {
  const words = useJobWords();
  const saved = asSaved(job);
  const isChanged = JSON.stringify(changes) !== JSON.stringify(saved);
  const time = timeOf(changes.at);
  const zone = timeZone();
  return (
    <details>
      <summary>
        {words.onlyThisTime}
        {isChanged && ` · ${words.isChanged}`}
      </summary>
      <div className={layout.stack}>
        <MessageField
          label={words.message}
          text={changes.message}
          error={fault?.of('message')}
          onChange={(message) => change({ message })}
        />
        <div className={layout.grid}>
          <TextField
            label={words.runName}
            optional
            maxLength={200}
            placeholder={job.name}
            value={changes.name}
            error={fault?.of('jobname')}
            onChange={({ target }) => change({ name: target.value })}
          />
          <TextField
            label={words.startAt}
            hint={time === undefined ? words.startAtHint(zone) : utcTime(new Date(time))}
            optional
            type="datetime-local"
            value={changes.at}
            error={fault?.of('scheduledstart')}
            onChange={({ target }) => change({ at: target.value })}
          />
        </div>
        {job.settings?.generic === 'GMM' ? (
          <Whom changes={changes} change={change} fault={fault} />
        ) : (
          <OtherTask changes={changes} change={change} fault={fault} />
        )}
        <FaultNotice fault={faultBeside(fault)} />
        {isChanged && (
          <div>
            <Button small onClick={() => change(saved)}>
              {words.asSaved}
            </Button>
          </div>
        )}
      </div>
    </details>
  );
}

/** The parameters whose faults are shown at a field. */
const shownAtField = [
  ...['message', 'jobname', 'scheduledstart', 'responsegoal', 'toaddressbookcustomtagfilter'],
  ...['excludenumbers', 'excludecustomtagfilter'],
];

/** A fault of a field that shows none, such as one of the recipients. */
function faultBeside(fault: Fault | null): Fault | null {
  const fields = fault?.fields ?? [];
  return fields.some(({ field }) => !shownAtField.includes(field)) ? fault : null;
}

type Part = Omit<OnlyThisTimeProps, 'job'>;

function GoalField({ changes, change, fault, hint }: Part & { readonly hint?: string }) {
  const words = useJobWords();
  return (
    <TextField
      label={words.goalField}
      hint={hint}
      optional
      inputMode="numeric"
      maxLength={5}
      value={changes.goal}
      error={fault?.of('responsegoal')}
      onChange={({ target }) => change({ goal: target.value.replace(/\D/g, '') })}
    />
  );
}

function Whom({ changes, change, fault }: Part) {
  const words = useJobWords();
  return (
    <>
      <RecipientsField label={words.whom} draft={changes} change={change} />
      <CheckField
        label={words.keeps}
        checked={changes.keeps}
        disabled={changes.recipients.length === 0}
        onChange={({ target }) => change({ keeps: target.checked })}
      />
      <div className={layout.grid}>
        <GoalField changes={changes} change={change} fault={fault} />
        <TextField
          label={words.excludeFilter}
          hint={words.filterHint}
          optional
          maxLength={1000}
          value={changes.excludeFilter}
          error={fault?.of('excludecustomtagfilter')}
          onChange={({ target }) => change({ excludeFilter: target.value })}
        />
      </div>
      <TextArea
        label={words.excluded}
        hint={words.excludedHint}
        optional
        rows={2}
        maxLength={20_000}
        value={changes.excluded}
        error={fault?.of('excludenumbers')}
        onChange={({ target }) => change({ excluded: target.value })}
      />
    </>
  );
}

/** Another filter and goal replace all tasks of the job, and are given together. */
function OtherTask({ changes, change, fault }: Part) {
  const words = useJobWords();
  return (
    <div className={layout.grid}>
      <TextField
        label={words.otherFilter}
        hint={words.filterHint}
        optional
        maxLength={1000}
        value={changes.filter}
        error={fault?.of('toaddressbookcustomtagfilter')}
        onChange={({ target }) => change({ filter: target.value })}
      />
      <GoalField changes={changes} change={change} fault={fault} hint={words.together} />
    </div>
  );
}
