/** Creates a batch from a table and a text, and sends it only after everything has been checked. */
import { useEffect } from 'react';
import { Fault } from '../api/fault.ts';
import { useDraft } from '../browser/draft.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { BackLink, Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { useSession } from '../session/session.ts';
import { type BatchDraft, blankDraft, fieldsOf, isSameDraft, mappingOf, untouched } from './batch-draft.ts';
import styles from './batches.module.css';
import { CheckResult } from './check-result.tsx';
import { RecipientsCard } from './recipients-card.tsx';
import { SendChecked, Unanswered } from './send-checked.tsx';
import { recipientOf, type Table } from './table/table.ts';
import { TableError, useTable } from './table/use-table.ts';
import { TextCard } from './text-card.tsx';
import { useBatchWords } from './texts.ts';
import { useCheck } from './use-check.ts';

export function NewBatchPage() {
  const words = useBatchWords();
  const { username } = useSession();
  const [draft, setDraft, forget] = useDraft<BatchDraft>(`batch.${username}`, blankDraft);
  const { state, read, write, pick, forget: forgetTable } = useTable();
  const change = (more: Partial<BatchDraft>) => setDraft((before) => ({ ...before, ...more }));
  // Text that was pasted before a reload is read again.
  const { pasted } = draft;
  const isUnread = state.kind === 'none' && pasted.trim() !== '';
  useEffect(() => {
    if (isUnread) void read(new Blob([pasted]));
  }, [isUnread, pasted, read]);
  const clear = () => {
    change({ ...untouched, pasted: '', numberColumn: undefined, textColumn: undefined });
    forgetTable();
  };
  return (
    <Page
      title={words.newBatch}
      lead={words.newLead}
      width="narrow"
      back={<BackLink to="/batches">{words.toAll}</BackLink>}
    >
      <div>
        <Unanswered username={username} />
        <RecipientsCard draft={draft} change={change} state={state} read={read} clear={clear} />
        {state.kind === 'read' && (
          <>
            <TextCard draft={draft} change={change} table={state.table} />
            <TimeCard draft={draft} change={change} />
            <CheckAndSend
              draft={draft}
              change={change}
              write={write}
              pick={pick}
              forget={forget}
              table={state.table}
              file={state.file}
            />
          </>
        )}
      </div>
    </Page>
  );
}

interface DraftProps {
  readonly draft: BatchDraft;
  readonly change: (more: Partial<BatchDraft>) => void;
}

function TimeCard({ draft, change }: DraftProps) {
  const words = useBatchWords();
  return (
    <Section title={words.when}>
      <Card className={layout.stack}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          maxLength={100}
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label={words.sender}
          hint={words.senderHint}
          maxLength={15}
          value={draft.from}
          onChange={({ target }) => change({ from: target.value })}
        />
        <TextField
          type="datetime-local"
          label={words.beginsAt}
          hint={words.beginsHint}
          value={draft.begins}
          onChange={({ target }) => change({ begins: target.value })}
        />
      </Card>
    </Section>
  );
}

function CheckAndSend({
  ...props
}: DraftProps &
  Pick<ReturnType<typeof useTable>, 'write' | 'pick'> & {
    readonly table: Table;
    readonly file: Blob;
    readonly forget: () => void;
  }) {
  const { draft, change, table, file, write, pick, forget } = props;
  const words = useBatchWords();
  const check = useCheck({ write, pick });
  const checked = check.data;
  const isCurrent = checked !== undefined && isSameDraft(checked.of[0], draft) && checked.of[1] === table;
  const checkWith = (more: Partial<BatchDraft>) => {
    change(more);
    check.mutate({ draft: { ...draft, ...more }, table, file });
  };
  const { error } = check;
  const mapping = mappingOf(draft, table);
  const lacksText = mapping.text === undefined && draft.message.trim() === '';
  const recipient = recipientOf(table.sample[0] ?? [], mapping);
  return (
    <div className={`${styles.check} ${layout.stack}`}>
      {checked !== undefined && !isCurrent && <Notice>{words.checkAgain}</Notice>}
      {error instanceof Fault && <FaultNotice fault={error} />}
      {error instanceof TableError && (
        <Notice tone="error">{words.faults[error.fault.kind](error.fault)}</Notice>
      )}
      {checked !== undefined && isCurrent && (
        <CheckResult checked={checked} draft={draft} change={checkWith} table={table} mapping={mapping}>
          <SendChecked checked={checked} isLater={draft.begins !== ''} forget={forget} />
        </CheckResult>
      )}
      {!isCurrent && (
        <Button
          look="main"
          className={layout.start}
          busy={check.isPending}
          disabled={lacksText}
          onClick={() => checkWith({})}
        >
          {check.isPending ? words.checking : words.check}
        </Button>
      )}
      <AsCurl
        call={{
          method: 'POST',
          path: '/api/v1/batches',
          parameters: { ...fieldsOf(draft, table, mapping), batch: [recipient] },
        }}
      />
    </div>
  );
}
