/** The defaults of a company, which a new entry takes for what it leaves out. */
import type { AnswerOf, ParametersOf } from '../api/endpoints.ts';
import { useEdit, useRead } from '../api/queries.ts';
import { useEdits } from '../browser/draft.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { ChangedMeanwhile } from '../design/conflict.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { EmailPage } from './email-page.tsx';
import { changesOf, noSettings, SettingsFields, settingsOf, useDifferences, usePayers } from './settings.tsx';
import { useEmailWords } from './texts.ts';

const path = '/api/v1/email/defaults';

export function DefaultsPage() {
  const read = useRead(path, {}, { live: ['emailsenders'] });
  return (
    <EmailPage>
      <Answered read={read}>{(defaults) => <Defaults stored={defaults} />}</Answered>
    </EmailPage>
  );
}

function Defaults({ stored }: { readonly stored: AnswerOf<'GET', typeof path> }) {
  const words = useEmailWords();
  const { username } = useSession();
  const before = settingsOf(stored);
  const edits = useEdits(`email.defaults.${username}`, before, stored.version);
  const act = useEdit(path, {});
  const { fields, change } = edits;
  const form = formOf(act, [fields, change]);
  const { payers, payer } = usePayers(fields.payingUser);
  const differences = useDifferences();
  const lacksSplit = payer !== undefined && !payer.smtpSplit;
  const wanted = lacksSplit && fields.splitCallback === 'yes' ? { ...fields, splitCallback: 'no' } : fields;
  const parameters = changesOf(wanted, before) as ParametersOf<'PATCH', typeof path>;
  const save = (over = edits.version) =>
    act.mutate(
      { parameters, version: over },
      {
        onSuccess: () => {
          edits.saved();
          showToast({ text: words.saved });
        },
      },
    );
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      <Notice>{words.holdsForNew(stored.entries)}</Notice>
      <ChangedMeanwhile
        edits={edits}
        version={stored.version}
        act={act}
        save={save}
        fields={differences(fields, before)}
        take={words.theirs}
        keep={words.mine}
      >
        {words.meanwhileDefaults}
      </ChangedMeanwhile>
      <ActForm
        form={form}
        submit={() => save()}
        label={words.save}
        lacks={Object.keys(parameters).length === 0}
        call={{ method: 'PATCH', path, parameters, version: edits.version }}
      >
        <SettingsFields
          kind="defaults"
          form={form}
          set={(name, value) => change((now) => ({ ...now, [name]: value }))}
          defaults={noSettings}
          managed={stored.managedKeys}
          payers={payers}
          lacksSplit={lacksSplit}
        />
      </ActForm>
    </div>
  );
}
