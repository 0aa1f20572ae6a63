/** What the owner of a run can do: ask more people now, write, extend, keep the record, and end it, never by one press. */
import { useState } from 'react';
import { countParts } from '../../../src/wire/sms/segments.ts';
import { fileAddress } from '../api/client.ts';
import { CopyButton } from '../design/as-curl.tsx';
import { Button, ButtonLink, buttonLook } from '../design/button.tsx';
import { ConfirmDialog, DialogButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { language } from '../words/language.ts';
import { shortTime, timeZone } from '../words/times.ts';
import styles from './jobs.module.css';
import { isRunning, type Run } from './run.ts';
import { useRunAct, useTakenIn } from './taken-in.ts';
import { useJobWords } from './texts.ts';
import { WriteDialog } from './write-dialog.tsx';

interface RunProps {
  readonly run: Run;
}

/** At the bottom of a phone, for the thumb. */
export function ActBar({ run }: RunProps) {
  return (
    <div className={`${styles.actBar} ${styles.onPhone}`}>
      <NextLevel run={run} />
      <div className={`${layout.beside} ${layout.tight}`}>
        <AskButton run={run} />
        <WriteButton run={run} />
      </div>
    </div>
  );
}

/** Beside the people, where there is room. */
export function ActColumn({ run }: RunProps) {
  const words = useJobWords();
  return (
    <section className={`${styles.actColumn} ${layout.stack} ${styles.notOnPhone}`} aria-label={words.acts}>
      {isRunning(run) && (
        <>
          <NextLevel run={run} />
          <AskButton run={run} />
          <WriteButton run={run} />
          <Extend run={run} />
        </>
      )}
      <EndButton run={run} />
    </section>
  );
}

/** What is seldom needed; on a phone also what has no room elsewhere. */
export function MoreButton({ run }: RunProps) {
  const words = useJobWords();
  const of = { id: Number(run.id), language };
  return (
    <DialogButton small icon={<Icon name="more" size={16} />} label={words.more}>
      {(close) => (
        <Dialog title={words.acts} close={close}>
          <div className={layout.stack}>
            {isRunning(run) && (
              <div className={styles.onPhone}>
                <Extend run={run} />
              </div>
            )}
            <a
              href={fileAddress('/api/v1/runs/{id}/record.html', { ...of, zone: timeZone() })}
              target="_blank"
              rel="noopener"
              className={buttonLook('plain')}
            >
              <Icon name="out" size={16} />
              {words.record}
            </a>
            <DownloadLink href={fileAddress('/api/v1/runs/{id}/record.csv', of)}>
              {words.recordCsv}
            </DownloadLink>
            <CopyButton small={false} text={location.href} label={words.copyLink} />
            <ButtonLink to="/runs/$id" params={{ id: run.id }} search={{ wall: true }} onClick={close}>
              {words.wall}
            </ButtonLink>
            <div className={styles.onPhone}>
              <EndButton run={run} done={close} />
            </div>
          </div>
        </Dialog>
      )}
    </DialogButton>
  );
}

const levelsOpen = ({ tasks, people }: Run) =>
  `${tasks.map((task) => task.levelsOpen).join()} ${people.waiting}`;

function NextLevel({ run }: RunProps) {
  const words = useJobWords();
  const { isTakenIn } = useTakenIn();
  const { people, nextLevelAt, nextLevelPeople = people.waiting } = run;
  if (isTakenIn('escalate', levelsOpen(run))) return <p role="status">{words.takingIn}</p>;
  if (people.waiting === 0) return <p className={layout.soft}>{words.allAsked}</p>;
  return (
    <p className={layout.soft}>
      {nextLevelAt === undefined
        ? words.notAskedYet(people.waiting)
        : words.nextLevel(nextLevelPeople, shortTime(new Date(nextLevelAt)))}
    </p>
  );
}

function AskButton({ run }: RunProps) {
  const words = useJobWords();
  const { mark, isTakenIn } = useTakenIn();
  const act = useRunAct('/api/v1/runs/{id}/escalate');
  const { canAsk, message } = run;
  if (canAsk === 0) return null;
  const shown = levelsOpen(run);
  return (
    <DialogButton
      look="main"
      className={layout.fill}
      busy={isTakenIn('escalate', shown)}
      label={words.askNow}
    >
      {(close) => (
        <ConfirmDialog
          title={words.askMore(canAsk)}
          label={words.askNow}
          look="main"
          act={act}
          close={close}
          confirm={() =>
            act.run({ id: Number(run.id) }, () => {
              mark('escalate', shown);
              close();
            })
          }
        >
          {words.costOfAsking(canAsk * countParts(message))}
        </ConfirmDialog>
      )}
    </DialogButton>
  );
}

function WriteButton({ run }: RunProps) {
  const words = useJobWords();
  return (
    <DialogButton className={layout.fill} label={words.writeMany}>
      {(close) => <WriteDialog run={run} close={close} />}
    </DialogButton>
  );
}

const steps = [15, 30, 60] as const;

function Extend({ run }: RunProps) {
  const words = useJobWords();
  const act = useRunAct('/api/v1/runs/{id}/extend');
  const { mark, isTakenIn } = useTakenIn();
  const shown = run.end ?? '';
  const isChanging = isTakenIn('extend', shown);
  return (
    <fieldset className={`${layout.stack} ${layout.tight}`}>
      <legend>{words.extend}</legend>
      <div className={styles.answers}>
        {steps.map((minutes) => (
          <Button
            key={minutes}
            busy={act.isPending || isChanging}
            aria-label={words.extendBy(minutes)}
            onClick={() => act.run({ id: Number(run.id), minutes }, () => mark('extend', shown))}
          >
            +{minutes}
          </Button>
        ))}
      </div>
      <p role="status" className={layout.soft}>
        {isChanging && words.takingIn}
      </p>
      <FaultNotice fault={act.error} />
    </fieldset>
  );
}

/** The press opens a question, and only the second press ends anything. */
function EndButton({ run, done }: RunProps & { readonly done?: () => void }) {
  const words = useJobWords();
  const act = useRunAct('/api/v1/runs/{id}/cancel');
  const { mark, isTakenIn } = useTakenIn();
  const [isAsking, setAsking] = useState(false);
  const isScheduled = run.phase === 'scheduled';
  if (run.phase === 'ended') return null;
  const label = isScheduled ? words.cancelStart : words.endRun;
  return (
    <>
      <Button look="danger" busy={isTakenIn('cancel', run.phase)} onClick={() => setAsking(true)}>
        {isTakenIn('cancel', run.phase) ? words.takingIn : `${label} …`}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={words.endTitle(run.name)}
          label={label}
          cancel={words.goOn}
          act={act}
          close={() => setAsking(false)}
          confirm={() =>
            act.run({ id: Number(run.id) }, () => {
              mark('cancel', run.phase);
              setAsking(false);
              done?.();
            })
          }
        >
          {isScheduled ? words.cancelStartText : words.endText}
        </ConfirmDialog>
      )}
    </>
  );
}
