/** The state of a batch, in a word. */
import type { BatchState } from '../../../src/batches/management/shown-batch.ts';
import { Badge, type Tone } from '../design/status-badge.tsx';
import { useBatchWords } from './texts.ts';

const tones: Readonly<Record<BatchState, Tone>> = {
  preparing: 'waiting',
  scheduled: 'waiting',
  held: 'waiting',
  sending: 'moving',
  paused: 'cancelled',
  sent: 'moving',
  done: 'delivered',
  aborted: 'cancelled',
  failed: 'failed',
};

export function StateBadge({ state }: { readonly state: BatchState }) {
  return <Badge tone={tones[state]}>{useBatchWords().states[state]}</Badge>;
}
