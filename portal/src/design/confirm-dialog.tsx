/** Asks before an action: says what it does, and offers two buttons, the first of which changes nothing. */
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import type { ParametersOf, PathFor } from '../api/endpoints.ts';
import { type Act, useRemoval } from '../api/queries.ts';
import { Button, type ButtonProps } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { FaultNotice } from './notice.tsx';
import { showToast } from './toasts.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** Label of the button that confirms. */
  readonly label: string;
  /** Label of the other button; `Cancel` by default. */
  readonly cancel?: string;
  /** `danger` by default, for actions that can't be undone; `plain` where the other button is what most people want. */
  readonly look?: 'danger' | 'main' | 'plain';
  /** State of the call that `confirm` makes, if it makes one. */
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
  // A fault from before the dialog opened has already been shown.
  const [former] = useState(act?.error);
  // The outcome of the action is shown only here, so the dialog stays until then.
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
          {/* This button has the focus, so that Enter pressed too soon only cancels. */}
          <Button autoFocus look={look === 'plain' ? 'main' : 'plain'} onClick={leave}>
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
      <Button {...button} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}

interface ConfirmButtonProps<Parameters, Answer> extends Omit<ButtonProps, 'children' | 'onClick' | 'title'> {
  /** Label of the button, and of the confirming button in the dialog. */
  readonly label: string;
  /** The title of the dialog; the label by default. */
  readonly title?: string;
  readonly cancel?: string;
  readonly question: string;
  readonly act: Act<Parameters, Answer>;
  readonly parameters: Parameters;
  /** `isShown` is true while the page is still there and may navigate to another. */
  readonly done: (answer: Answer, isShown: boolean) => void;
}

/** A button for an action that can't be undone: it asks before performing it. */
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

interface RemovalProps<Path extends PathFor<'DELETE'>> {
  readonly path: Path;
  readonly parameters: ParametersOf<'DELETE', Path>;
  readonly label: string;
  /** The title of the dialog; the label by default. */
  readonly title?: string;
  readonly question: string;
  /** What is said when the object is gone. */
  readonly removed: string;
  /** The page that takes the place of the object's own. */
  readonly next: NavigateOptions;
}

/** Removes the object of a page, and leaves the page. */
export function Removal<Path extends PathFor<'DELETE'>>(props: RemovalProps<Path>) {
  const { path, removed, next, ...button } = props;
  const navigate = useNavigate();
  return (
    <ConfirmButton
      {...button}
      className={layout.start}
      act={useRemoval(path)}
      done={(_answer, isShown) => {
        showToast({ text: removed });
        if (isShown) void navigate(next);
      }}
    />
  );
}
