/** The defaults of a company, which a new entry takes for what it leaves out. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { useStoredEdits } from '../design/stored-edits.tsx';
import { useSession } from '../session/session.ts';
import { EmailPage } from './email-page.tsx';
import { changesOf, noSettings, SettingsFields, settingsOf, usePayers, useRows } from './settings.tsx';
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
  const rows = useRows();
  const edits = useStoredEdits({
    path,
    of: {},
    draft: `email.defaults.${username}`,
    stored: before,
    version: stored.version,
    rows,
    saved: words.saved,
  });
  const { fields, change } = edits;
  const form = formOf(edits.act, [fields, change]);
  const { payers, payer } = usePayers(fields.payingUser);
  const lacksSplit = payer !== undefined && !payer.smtpSplit;
  const wanted = lacksSplit && fields.splitCallback === 'yes' ? { ...fields, splitCallback: 'no' } : fields;
  const { save, call, conflict, lacksChanges } = edits.saving(changesOf(wanted, before));
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      <Notice>{words.holdsForNew(stored.entries)}</Notice>
      {conflict}
      <ActForm
        form={form}
        submit={save}
        label={words.save}
        lacks={lacksChanges}
        aside={edits.discard}
        call={call}
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
