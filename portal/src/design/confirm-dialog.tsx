/** Asks before something is done: what it does, and two buttons, of which the first leaves all as it is. */
import { type ReactNode, useId, useState } from 'react';
import type { Act } from '../api/queries.ts';
import { Button, type ButtonProps } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { FaultNotice } from './notice.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What the button says that does it. */
  readonly label: string;
  /** What the other says; `Cancel` unless told. */
  readonly cancel?: string;
  /** What can't be taken back is a danger, unless told otherwise. */
  readonly look?: 'danger' | 'main';
  /** How the call stands that `confirm` makes, where it makes one. */
  readonly act?: Pick<Act<never, unknown>, 'error' | 'isPending'>;
  readonly confirm: () => void;
  readonly close: () => void;
  /** A sentence, or several elements. */
  readonly children: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const words = useLaterWords();
  const { title, label, cancel = words.cancel, look = 'danger', act, confirm, close, children } = props;
  const id = useId();
  const isPending = act?.isPending === true;
  // What went wrong before it opened was told then.
  const [former] = useState(act?.error);
  // What becomes of the act is told here, and nowhere else: until then the dialog stays.
  const leave = () => {
    if (!isPending) close();
  };
  return (
    <Dialog title={title} describedBy={id} close={leave}>
      <div className={layout.stack}>
        <div id={id} className={layout.stack}>
          {typeof children === 'string' ? <p>{children}</p> : children}
        </div>
        <FaultNotice fault={act?.error === former ? null : act?.error} />
        <div className={layout.buttons}>
          {/* Pressing Enter too soon does nothing. */}
          <Button autoFocus onClick={leave}>
            {cancel}
          </Button>
          <Button look={look} busy={isPending} onClick={confirm}>
            {label}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface DialogButtonProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  readonly label: string;
  /** The dialog that the button opens. */
  readonly children: (close: () => void) => ReactNode;
}

export function DialogButton({ label, children, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}

interface ConfirmButtonProps<Parameters, Answer> extends Omit<ButtonProps, 'children' | 'onClick' | 'title'> {
  /** What the button says, and the one in the dialog. */
  readonly label: string;
  /** The title of the dialog; by default the label. */
  readonly title?: string;
  readonly cancel?: string;
  readonly question: string;
  readonly act: Act<Parameters, Answer>;
  readonly parameters: Parameters;
  /** `isShown`: the page is still there, and may lead on to another. */
  readonly done: (answer: Answer, isShown: boolean) => void;
}

/** A button for what can't be taken back: it asks, and then does it. */
export function ConfirmButton<Parameters, Answer>(props: ConfirmButtonProps<Parameters, Answer>) {
  const { label, title = label, cancel, question, act, parameters, done, ...button } = props;
  return (
    <DialogButton look="danger" {...button} label={label}>
      {(close) => (
        <ConfirmDialog
          title={title}
          label={label}
          {...(cancel !== undefined && { cancel })}
          act={act}
          close={close}
          confirm={() =>
            act.mutate(
              { parameters },
              {
                onSuccess(answer, isShown) {
                  close();
                  done(answer, isShown);
                },
              },
            )
          }
        >
          {question}
        </ConfirmDialog>
      )}
    </DialogButton>
  );
}
