/** What can be done about a run that lacks people: ask more of them, wait longer, or end it. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import { useHomeWords } from './texts.ts';

const longerMinutes = 30;

/** A run of a job. */
export type Run = AnswerOf<'GET', '/api/v1/runs/{id}'>;

interface DecisionProps {
  readonly run: Run;
  /** How many of its places are filled, in words. */
  readonly places: string;
  readonly close: () => void;
}

export function DecisionDialog({ run, places, close }: DecisionProps) {
  const words = useHomeWords();
  const escalate = useAct('/api/v1/runs/{id}/escalate');
  const extend = useAct('/api/v1/runs/{id}/extend');
  const cancel = useAct('/api/v1/runs/{id}/cancel');
  const id = Number(run.id);
  const done = (text: string) => ({
    onSuccess() {
      close();
      showToast({ text });
    },
  });
  return (
    <Dialog title={run.name} close={close}>
      <div className={layout.stack}>
        <p dir="auto">{run.message}</p>
        <p>
          {places}. {words.answerCounts(run.people)}
        </p>
        <FaultNotice fault={escalate.error ?? extend.error ?? cancel.error} />
        <div className={layout.buttons}>
          <Button
            look="danger"
            busy={cancel.isPending}
            onClick={() => cancel.mutate({ parameters: { id } }, done(words.ended))}
          >
            {words.endRun}
          </Button>
          <Button
            busy={extend.isPending}
            onClick={() =>
              extend.mutate({ parameters: { id, minutes: longerMinutes } }, done(words.isLonger))
            }
          >
            {words.longer(longerMinutes)}
          </Button>
          {run.people.waiting > 0 && (
            <Button
              look="main"
              busy={escalate.isPending}
              onClick={() => escalate.mutate({ parameters: { id } }, done(words.asked))}
            >
              {words.askMore}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
