/** Short notices of what was just done. They disappear on their own, and may offer to undo it. */
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { Fault } from '../api/fault.ts';
import { sharedValue } from '../browser/value.ts';
import { FaultText } from './fault-text.tsx';
import { Icon } from './icons.tsx';
import layout from './layout.module.css';
import { useDesignWords } from './texts.ts';
import styles from './toasts.module.css';

export interface Toast {
  readonly text: ReactNode;
  readonly tone?: 'plain' | 'error';
  /** Undoes the action. The toast stays for as long as that is possible. */
  readonly undo?: () => void;
  /** Milliseconds that the toast stays. The default is 10 s with an undo and 5 s without. */
  readonly lastsMs?: number;
}

type Shown = Toast & { readonly id: number };

const shown = sharedValue<readonly Shown[]>([]);
let lastId = 0;

/** Shows a toast, and returns a function that removes it. */
export function showToast(toast: Toast): () => void {
  lastId += 1;
  const id = lastId;
  shown.set([...shown.get().slice(-3), { ...toast, id }]);
  return () => dismiss(id);
}

/** Shows why a call failed if there is no form to show it in. */
export function showFault(fault: Fault): void {
  showToast({ text: <FaultText fault={fault} />, tone: 'error' });
}

function dismiss(id: number): void {
  shown.set(shown.get().filter((toast) => toast.id !== id));
}

/** Used once, in the frame of the portal. Shows the toasts while no dialog is open. */
export function Toasts() {
  return <Place isUppermost={dialogs.use().length === 0} />;
}

/**
 * The open dialogs, the uppermost last. Everything outside the uppermost dialog is underneath it: it can't be pressed, and
 * screen readers don't read it.
 */
const dialogs = sharedValue<readonly string[]>([]);

/** Used in each dialog. Shows the toasts while the dialog is the uppermost. */
export function ToastsOfDialog() {
  const id = useId();
  useEffect(() => {
    dialogs.set([...dialogs.get(), id]);
    return () => dialogs.set(dialogs.get().filter((one) => one !== id));
  }, [id]);
  return <Place isUppermost={dialogs.use().at(-1) === id} />;
}

/** The section is there before it shows anything, because new toasts are read out only then. */
function Place({ isUppermost }: { readonly isUppermost: boolean }) {
  const words = useDesignWords();
  const toasts = shown.use();
  return (
    <section className={styles.toasts} aria-label={words.notifications} aria-live="polite">
      {isUppermost && toasts.map((toast) => <ShownToast key={toast.id} toast={toast} />)}
    </section>
  );
}

function ShownToast({ toast }: { readonly toast: Shown }) {
  const words = useDesignWords();
  const { id, text, tone = 'plain', undo } = toast;
  const lastsMs = toast.lastsMs ?? (undo === undefined ? 5_000 : 10_000);
  // The toast stays while the pointer or the focus is on it, so that its button can be pressed.
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = window.setTimeout(() => dismiss(id), lastsMs);
    return () => window.clearTimeout(timer);
  }, [id, lastsMs, isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while somebody is at its buttons
    <div
      className={`${styles.toast} ${layout.beside} ${layout.tight}`}
      data-tone={tone}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={layout.fill}>{text}</span>
      {undo !== undefined && (
        <button
          type="button"
          className={styles.undo}
          onClick={() => {
            dismiss(id);
            undo();
          }}
        >
          {words.undo}
        </button>
      )}
      <button type="button" aria-label={words.dismiss} onClick={() => dismiss(id)}>
        <Icon name="close" size={15} />
      </button>
    </div>
  );
}
