/** The fields of a saved job: those of every job, then whom it asks, by its type, with the levels of a task as rows. */
import type { ReactNode } from 'react';
import type { Fault } from '../../api/fault.ts';
import { Button } from '../../design/button.tsx';
import { ChipsField } from '../../design/chips-field.tsx';
import { SelectField, TextArea, TextField } from '../../design/field.tsx';
import layout from '../../design/layout.module.css';
import { ManagedMark } from '../../design/managed-mark.tsx';
import { MessageField } from '../../design/message-field.tsx';
import { type Fields, type JobType, newLevel, newTask, type Task } from './fields.ts';
import { useOwners } from './saved-jobs-page.tsx';
import { useSavedJobWords } from './texts.ts';

interface FieldsProps {
  readonly fields: Fields;
  readonly set: (some: Partial<Fields>) => void;
  readonly fault: Fault | null;
  readonly types: readonly JobType[];
  readonly managedKeys: readonly string[];
  /** How many people each level of each task would ask now. */
  readonly counts: readonly (readonly number[])[];
}

type Typed = { readonly target: { readonly value: string } };

/** The properties of a text field, by the name of the field and that of its parameter. */
function binder({ fields, set, fault, managedKeys }: FieldsProps) {
  const isFixed = (key: string) => managedKeys.includes(key);
  type TextName = { [Name in keyof Fields]: Fields[Name] extends string ? Name : never }[keyof Fields];
  return {
    isFixed,
    field: (name: TextName, parameter: string, hint?: ReactNode) => {
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

export function JobFields(props: FieldsProps) {
  const words = useSavedJobWords();
  const { fields, set, fault, types } = props;
  const { field, isFixed } = binder(props);
  const { owners, error } = useOwners();
  const generic = types.find(({ name }) => name === fields.type)?.generic;
  return (
    <>
      <TextField label={words.name} required maxLength={100} dir="auto" {...field('name', 'name')} />
      <div className={layout.grid}>
        <SelectField
          label={words.type}
          required
          {...field('type', 'type', generic && words.generics[generic])}
        >
          <Options chosen={fields.type} none={words.chooseType} names={types.map(({ name }) => name)} />
        </SelectField>
        <SelectField
          label={words.owner}
          required
          {...field('owner', 'owner', owners?.length === 0 ? words.noOwners : words.ownerHint)}
          error={fault?.of('owner') ?? error}
        >
          <Options chosen={fields.owner} none={words.chooseOwner} names={owners ?? []} />
        </SelectField>
      </div>
      <MessageField
        label={words.message}
        text={fields.message}
        error={fault?.of('message')}
        hint={isFixed('message') && <ManagedMark name="message" />}
        readOnly={isFixed('message')}
        onChange={(message) => set({ message })}
      />
      {generic === 'GMM' && <Recipients {...props} />}
      {generic === 'GMA' && <Tasks {...props} />}
    </>
  );
}

interface OptionsProps {
  readonly chosen: string;
  readonly none: string;
  readonly names: readonly string[];
}

/** What is chosen stays even if it is gone. */
function Options({ chosen, none, names }: OptionsProps) {
  return (
    <>
      {chosen === '' && <option value="">{none}</option>}
      {[...new Set([...(chosen === '' ? [] : [chosen]), ...names])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </>
  );
}

function Recipients(props: FieldsProps) {
  const words = useSavedJobWords();
  const { fields, set, fault } = props;
  const { field, isFixed } = binder(props);
  const mark = (key: string) => isFixed(key) && <ManagedMark name={key} />;
  return (
    <>
      <fieldset className={layout.stack} disabled={isFixed('recipients')}>
        <legend>
          {words.recipients} {mark('recipients')}
        </legend>
        <TextField
          label={words.tagFilter}
          optional
          {...field('tagFilter', 'recipients.tagFilter', words.filterHint)}
        />
        <ChipsField
          label={words.savedTagFilters}
          items={fields.savedTagFilters}
          error={fault?.of('recipients.savedTagFilters')}
          change={(savedTagFilters) => set({ savedTagFilters })}
          maxLength={100}
        />
        <ChipsField
          label={words.groups}
          items={fields.groups}
          error={fault?.of('recipients.groups')}
          change={(groups) => set({ groups })}
          maxLength={100}
        />
        <TextArea
          label={words.numbers}
          optional
          rows={3}
          {...field('numbers', 'recipients.numbers', words.numbersHint)}
        />
      </fieldset>
      <fieldset className={layout.stack} disabled={isFixed('exclude')}>
        <legend>
          {words.exclude} {mark('exclude')}
        </legend>
        <TextField
          label={words.tagFilter}
          optional
          {...field('excludeFilter', 'exclude.tagFilter', words.filterHint)}
        />
        <TextArea
          label={words.numbers}
          optional
          rows={2}
          {...field('excludeNumbers', 'exclude.numbers', words.numbersHint)}
        />
      </fieldset>
      <TextField
        label={words.responseGoal}
        optional
        inputMode="numeric"
        maxLength={5}
        {...field('responseGoal', 'responseGoal')}
      />
    </>
  );
}

const replaced = <Item,>(items: readonly Item[], place: number, item: Item) =>
  items.map((one, at) => (at === place ? item : one));
const without = <Item,>(items: readonly Item[], place: number) => items.filter((_, at) => at !== place);

/** The server takes no more. */
const most = 20;

function Tasks(props: FieldsProps) {
  const words = useSavedJobWords();
  const { fields, set, fault, counts } = props;
  const { isFixed } = binder(props);
  const { tasks } = fields;
  return (
    <fieldset className={layout.stack} disabled={isFixed('tasks')}>
      <legend>
        {words.tasks} {isFixed('tasks') && <ManagedMark name="tasks" />}
      </legend>
      {tasks.map((task, place) => (
        <TaskFields
          // biome-ignore lint/suspicious/noArrayIndexKey: tasks are known by their order
          key={place}
          task={task}
          place={place}
          fault={fault}
          counts={counts[place] ?? []}
          change={(next) => set({ tasks: replaced(tasks, place, next) })}
          remove={tasks.length > 1 ? () => set({ tasks: without(tasks, place) }) : undefined}
        />
      ))}
      {tasks.length < most && (
        <Button small className={layout.start} onClick={() => set({ tasks: [...tasks, newTask] })}>
          {words.addTask}
        </Button>
      )}
    </fieldset>
  );
}

interface TaskProps {
  readonly task: Task;
  readonly place: number;
  readonly fault: Fault | null;
  readonly counts: readonly number[];
  readonly change: (task: Task) => void;
  readonly remove: (() => void) | undefined;
}

function TaskFields({ task, place, fault, counts, change, remove }: TaskProps) {
  const words = useSavedJobWords();
  const { ask, goal, levels } = task;
  const of = `tasks[${place}]`;
  const digits = (value: string) => value.replace(/\D/g, '');
  return (
    <fieldset className={`${layout.well} ${layout.stack}`}>
      <legend className="unseen">{words.task(place + 1)}</legend>
      <Row title={`${words.level(1)} · ${words.atOnce}`} count={counts[0]}>
        <TextField
          label={words.ask}
          hint={words.askHint}
          required
          value={ask}
          error={fault?.of(`${of}.tagType`) ?? fault?.of(`${of}.tagValue`)}
          onChange={({ target }) => change({ ...task, ask: target.value })}
        />
        <TextField
          label={words.goal}
          required
          inputMode="numeric"
          maxLength={5}
          value={goal}
          error={fault?.of(`${of}.goal`)}
          onChange={({ target }) => change({ ...task, goal: digits(target.value) })}
        />
      </Row>
      {levels.map((level, at) => {
        const field = `${of}.escalations[${at}]`;
        const edit = (some: Partial<typeof level>) =>
          change({ ...task, levels: replaced(levels, at, { ...level, ...some }) });
        return (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: levels are known by their order
            key={at}
            title={words.level(at + 2)}
            count={counts[at + 1]}
            remove={[words.removeLevel(at + 2), () => change({ ...task, levels: without(levels, at) })]}
          >
            <TextField
              label={words.after}
              required
              inputMode="numeric"
              maxLength={5}
              value={level.after}
              error={fault?.of(`${field}.afterMinutes`)}
              onChange={({ target }) => edit({ after: digits(target.value) })}
            />
            <TextField
              label={words.ask}
              hint={words.filterHint}
              required
              value={level.ask}
              error={fault?.of(`${field}.tagFilter`)}
              onChange={({ target }) => edit({ ask: target.value })}
            />
            <TextField
              label={words.raised}
              optional
              inputMode="numeric"
              maxLength={5}
              value={level.goal}
              error={fault?.of(`${field}.goal`)}
              onChange={({ target }) => edit({ goal: digits(target.value) })}
            />
          </Row>
        );
      })}
      <div className={layout.row}>
        {levels.length < most && (
          <Button small onClick={() => change({ ...task, levels: [...levels, newLevel] })}>
            {words.addLevel}
          </Button>
        )}
        {remove !== undefined && (
          <Button small look="quiet" onClick={remove}>
            {words.removeTask(place + 1)}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface RowProps {
  readonly title: string;
  /** How many people the level adds now. */
  readonly count: number | undefined;
  readonly remove?: readonly [label: string, act: () => void];
  readonly children: ReactNode;
}

function Row({ title, count, remove, children }: RowProps) {
  const words = useSavedJobWords();
  return (
    <fieldset className={`${layout.stack} ${layout.tight}`}>
      <legend>
        {title}
        {count !== undefined && <span className={layout.soft}> · {words.matching(count)}</span>}
      </legend>
      <div className={layout.grid}>{children}</div>
      {remove !== undefined && (
        <Button small look="quiet" className={layout.start} onClick={remove[1]}>
          {remove[0]}
        </Button>
      )}
    </fieldset>
  );
}
