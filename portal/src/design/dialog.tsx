/** A dialog over the page, using the browser's own element, which keeps the focus inside and closes on Escape. */
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import styles from './dialog.module.css';
import { Icon } from './icons.tsx';
import layout from './layout.module.css';
import { useDesignWords } from './texts.ts';
import { ToastsOfDialog } from './toasts.tsx';

export interface DialogProps {
  readonly title: string;
  /** Id of the element that a screen reader reads after the title. */
  readonly describedBy?: string;
  /** Absent for a dialog that can't be closed, such as a sign-in. */
  readonly close?: () => void;
  /** A list at the top of the window, such as the palette, has no header, and its own button that closes it. */
  readonly look?: 'sheet' | 'palette';
  readonly children: ReactNode;
}

export function Dialog({ title, describedBy, close, look = 'sheet', children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  // The dialog closes before it leaves the page, so that the focus returns to where it was.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    setOpen(true);
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a click beside it does
    <dialog
      ref={element}
      className={`${styles.dialog} ${layout.sheet}`}
      data-look={look}
      {...(look === 'palette' ? { 'aria-label': title } : { 'aria-labelledby': id })}
      aria-describedby={describedBy}
      onCancel={(event) => {
        event.preventDefault();
        close?.();
      }}
      onClick={(event) => event.target === element.current && close?.()}
    >
      <div className={look === 'palette' ? '' : layout.within}>
        {look !== 'palette' && (
          <div className={`${styles.header} ${layout.beside} ${layout.apart}`}>
            <h2 id={id} className={layout.figure}>
              {withWholeNumbers(title)}
            </h2>
            {close !== undefined && <CloseButton close={close} />}
          </div>
        )}
        {/* A field can take the focus only once it is in sight. */}
        {isOpen && children}
      </div>
      <ToastsOfDialog />
    </dialog>
  );
}

/** A phone number is not divided between two lines. */
const withWholeNumbers = (text: string) => text.replace(/(?<=\d) (?=\d)/g, '\u00a0');

export function CloseButton({ close }: { readonly close: () => void }) {
  return (
    <button
      type="button"
      className={`${styles.close} ${layout.round}`}
      aria-label={useDesignWords().close}
      onClick={close}
    >
      <Icon name="close" />
    </button>
  );
}
