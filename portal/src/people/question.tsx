/** Asks before what can't be taken back. */
import type { ReactNode } from 'react';
import type { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { usePeopleWords } from './texts.ts';

interface QuestionProps {
  /** What is done; the title, and what the button says. */
  readonly act: string;
  readonly close: () => void;
  readonly fault: Fault | null;
  readonly busy: boolean;
  readonly yes: () => void;
  readonly children: ReactNode;
}

export function Question({ act, close, fault, busy, yes, children }: QuestionProps) {
  const words = usePeopleWords();
  return (
    <Dialog title={act} close={close}>
      <div className={layout.stack}>
        <p>{children}</p>
        <FaultNotice fault={fault} />
        <div className={layout.buttons}>
          <Button onClick={close}>{words.cancel}</Button>
          <Button look="danger" busy={busy} onClick={yes}>
            {act}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
