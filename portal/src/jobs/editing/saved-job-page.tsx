/** One saved job, or a new one: its form, with what a start of it would do now at the side. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CurlCall } from '../../api/as-curl.ts';
import { post } from '../../api/client.ts';
import type { Fault } from '../../api/fault.ts';
import { type Act, useAct, useRead } from '../../api/queries.ts';
import { changesOf, useEdits } from '../../browser/draft.ts';
import { useSettled } from '../../browser/settled.ts';
import { ActForm } from '../../design/act-form.tsx';
import { Answered } from '../../design/answered.tsx';
import { BackLink } from '../../design/button.tsx';
import { Removal } from '../../design/confirm-dialog.tsx';
import layout from '../../design/layout.module.css';
import { FaultNotice, Notice } from '../../design/notice.tsx';
import { Page, Section } from '../../design/page.tsx';
import { useStoredEdits } from '../../design/stored-edits.tsx';
import { showToast } from '../../design/toasts.tsx';
import { useSession } from '../../session/session.ts';
import { RehearsalView } from '../rehearsal.tsx';
import type { Rehearsal } from '../run.ts';
import {
  blank,
  type Call,
  callOf,
  type Fields,
  fieldsOf,
  type JobType,
  type SavedJob,
  type Task,
} from './fields.ts';
import { JobFields } from './job-fields.tsx';
import { useEditWords, useSavedJobWords } from './texts.ts';

const all = '/api/v1/savedjobs';
const path = '/api/v1/savedjobs/{id}';

const useTypes = () => useRead('/api/v1/jobtypes', { limit: 200 });

export function NewSavedJobPage() {
  const words = useSavedJobWords();
  return (
    <Page title={words.make} back={<Back />}>
      <Answered read={useTypes()}>{({ types }) => <New types={types} />}</Answered>
    </Page>
  );
}

function New({ types }: { readonly types: readonly JobType[] }) {
  const words = useSavedJobWords();
  const navigate = useNavigate();
  const { username } = useSession();
  const edits = useEdits(`savedjob.new.${username}`, blank);
  const act = useAct(all);
  const parameters = callOf(edits.fields, types.find(({ name }) => name === edits.fields.type)?.generic);
  const save = () =>
    act.mutate(
      { parameters },
      {
        onSuccess: ({ id }, isShown) => {
          edits.saved();
          showToast({ text: words.made });
          if (isShown) void navigate({ to: '/admin/saved-jobs/$id', params: { id } });
        },
      },
    );
  return (
    <Editor
      edits={edits}
      act={act}
      save={save}
      types={types}
      managedKeys={[]}
      parameters={parameters}
      call={{ method: 'POST', path: all, parameters }}
    />
  );
}

export function SavedJobPage() {
  const words = useSavedJobWords();
  const { id } = useParams({ from: '/admin/saved-jobs/$id' });
  const read = useRead(path, { id }, { live: ['savedjobs'] });
  const types = useTypes();
  return (
    <Page title={read.data?.name ?? words.title} back={<Back />}>
      <Answered read={read}>
        {(job) => (
          <Answered read={types}>{(all) => <Edited key={job.id} job={job} types={all.types} />}</Answered>
        )}
      </Answered>
    </Page>
  );
}

function Back() {
  return <BackLink to="/admin/saved-jobs">{useSavedJobWords().title}</BackLink>;
}

function Edited({ job, types }: { readonly job: SavedJob; readonly types: readonly JobType[] }) {
  const words = useSavedJobWords();
  const { username } = useSession();
  const { id, version, managed, managedKeys } = job;
  const stored = fieldsOf(job);
  const genericOf = (type: string) => types.find(({ name }) => name === type)?.generic;
  const wholeOf = (fields: Fields) => callOf(fields, genericOf(fields.type));
  const edits = useStoredEdits({
    path,
    of: { id },
    draft: `savedjob.${id}.${username}`,
    stored,
    version,
    rows: (fields) => rowsOf(words, fields),
    saved: words.made,
  });
  const whole = wholeOf(edits.fields);
  const { save, call, conflict } = edits.saving(changesOf(whole, wholeOf(stored)));
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      {managed && <Notice>{words.managed}</Notice>}
      {conflict}
      <Editor
        edits={edits}
        act={edits.act}
        save={save}
        types={types}
        managedKeys={managedKeys}
        parameters={whole}
        call={call}
        aside={edits.discard}
      />
      {!managed && (
        <Removal
          path={path}
          parameters={{ id }}
          label={words.remove}
          question={words.removeSure}
          removed={words.removed(job.name)}
          next={{ to: '/admin/saved-jobs' }}
        />
      )}
    </div>
  );
}

type Words = ReturnType<typeof useSavedJobWords>;

function rowsOf(words: Words, fields: Fields) {
  const left = (what: string) => `${words.exclude}: ${what}`;
  return [
    [words.name, fields.name],
    [words.type, fields.type],
    [words.owner, fields.owner],
    [words.message, fields.message],
    [words.tagFilter, fields.tagFilter],
    [words.savedTagFilters, fields.savedTagFilters.join('\n')],
    [words.groups, fields.groups.join('\n')],
    [words.numbers, fields.numbers],
    [left(words.tagFilter), fields.excludeFilter],
    [left(words.numbers), fields.excludeNumbers],
    [words.responseGoal, fields.responseGoal],
    [words.tasks, fields.tasks.map(asLines).join('\n')],
  ] as const;
}

/** `role:nurse → 2`, then `10 min: role:doctor → 3` for each level. */
function asLines({ ask, goal, levels }: Task): string {
  const later = levels.map((level) => `${level.after} min: ${aimed(level)}`);
  return [aimed({ ask, goal }), ...later].join('\n');
}

const aimed = ({ ask, goal }: Pick<Task, 'ask' | 'goal'>) => (goal === '' ? ask : `${ask} → ${goal}`);

interface EditorProps {
  readonly edits: Pick<ReturnType<typeof useEdits<Fields>>, 'fields' | 'change' | 'isTouched'>;
  readonly act: Pick<Act<never, unknown>, 'error' | 'isPending'>;
  readonly save: () => void;
  readonly types: readonly JobType[];
  readonly managedKeys: readonly string[];
  /** The whole job as typed. */
  readonly parameters: Call;
  readonly call: CurlCall;
  readonly aside?: ReactNode;
}

function Editor({ edits, act, save, types, managedKeys, parameters, call, aside }: EditorProps) {
  const words = useSavedJobWords();
  const { fields, change, isTouched } = edits;
  const type = types.find(({ name }) => name === fields.type);
  const rehearsal = useRehearsal(parameters, isWhole(fields, type));
  const { data, error, isCurrent } = rehearsal;
  return (
    <div className={layout.columns}>
      <ActForm
        form={{ isPending: act.isPending, fault: act.error }}
        submit={save}
        label={useEditWords().save}
        lacks={!isTouched}
        call={call}
        aside={aside}
      >
        <JobFields
          fields={fields}
          set={(some) => change((before) => ({ ...before, ...some }))}
          fault={act.error}
          types={types}
          managedKeys={managedKeys}
          counts={
            isCurrent ? (data?.tasks ?? []).map(({ levels }) => levels.map(({ people }) => people)) : []
          }
        />
      </ActForm>
      <div aria-live="polite">
        <FaultNotice fault={error} />
        {data?.problem !== undefined && (
          <Notice tone="warning">
            {words.problem} {data.problem}
          </Notice>
        )}
        {data === undefined ? (
          <Section title={words.rehearsal}>
            <p className={layout.soft}>{words.rehearsalHint}</p>
          </Section>
        ) : (
          <RehearsalView rehearsal={data} filter={type?.globalTagFilter} isCurrent={isCurrent} />
        )}
      </div>
    </div>
  );
}

/** Whether there is enough to rehearse: a call with gaps would only be refused. */
function isWhole({ message, tasks }: Fields, type: JobType | undefined): boolean {
  if (type === undefined || message.trim() === '') return false;
  return (
    type.generic === 'GMM' ||
    tasks.every(
      ({ ask, goal, levels }) =>
        ask.includes(':') && goal !== '' && levels.every((level) => level.ask !== '' && level.after !== ''),
    )
  );
}

/** Asks again after each change, once the user pauses. It sends and stores nothing. */
function useRehearsal({ owner: _, ...parameters }: Call, isReady: boolean) {
  const wanted = JSON.stringify(parameters);
  const settled = useSettled(wanted);
  const query = useQuery<Rehearsal, Fault>({
    queryKey: ['rehearsal of a draft', settled],
    queryFn: ({ signal }) => post('/api/v1/savedjobs/rehearse', JSON.parse(settled), { signal }),
    enabled: isReady && settled === wanted,
    placeholderData: (before) => before,
    meta: { live: ['contacts'] },
  });
  return { ...query, isCurrent: settled === wanted && query.isSuccess && !query.isPlaceholderData };
}
