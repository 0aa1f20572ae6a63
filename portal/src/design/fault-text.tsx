/** Why a call failed: in English by the server's own sentence, in Swedish by one of ours. */
import { lazy, Suspense } from 'react';
import type { FaultContent } from '../api/fault.ts';
import { useLanguage } from '../words/language.ts';
import { useDesignWords } from './texts.ts';

const own = ['unreachable', 'outdated', 'nocookies'] as const;
const isOwn = (code: string): code is (typeof own)[number] => (own as readonly string[]).includes(code);

/** If our texts can't be loaded, the server's sentence is shown. */
const InSwedish = lazy(() =>
  import('./fault-in-swedish.tsx').catch(() => ({
    default: ({ fault }: { readonly fault: FaultContent }) => <span lang="en">{fault.error}</span>,
  })),
);

/** The reason for something other than a failed call: a sentence of the server, or what a carrier said. */
export function ReasonText({
  reason,
  values,
}: {
  readonly reason: string;
  readonly values: FaultContent['values'];
}) {
  return <FaultText fault={{ code: '', error: reason, values }} />;
}

export function FaultText({ fault }: { readonly fault: FaultContent }) {
  const words = useDesignWords();
  const language = useLanguage();
  if (isOwn(fault.code)) return words[fault.code];
  if (language === 'en') return fault.error;
  return (
    <Suspense>
      <InSwedish fault={fault} />
    </Suspense>
  );
}
