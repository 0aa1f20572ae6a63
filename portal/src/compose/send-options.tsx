/** The other options of a message: its sender, its time, replies, how it is displayed and who pays. */
import { CheckField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { CostCenterField } from '../sending/cost-centers.tsx';
import { timeOf, timeZone, utcTime } from '../words/times.ts';
import styles from './compose.module.css';
import type { Draft } from './draft.ts';
import { useComposeWords } from './texts.ts';

export function SendOptions({
  draft,
  change,
  defaultSender,
}: {
  readonly draft: Draft;
  readonly change: (some: Partial<Draft>) => void;
  readonly defaultSender: string | undefined;
}) {
  const words = useComposeWords();
  const time = timeOf(draft.at);
  const zone = timeZone();
  return (
    <details className={styles.fold} open={draft.at !== '' || draft.twoWay || undefined}>
      <summary>{words.options}</summary>
      <div className={layout.grid}>
        <TextField
          label={words.at}
          hint={time === undefined ? words.atHint(zone) : words.atShown(zone, utcTime(new Date(time)))}
          optional
          type="datetime-local"
          value={draft.at}
          onChange={(event) => change({ at: event.target.value })}
        />
        <TextField
          label={words.from}
          hint={draft.twoWay ? words.fromPool : words.fromHint}
          optional
          maxLength={20}
          disabled={draft.twoWay}
          placeholder={defaultSender}
          value={draft.twoWay ? '' : draft.from}
          onChange={(event) => change({ from: event.target.value })}
        />
        <CostCenterField
          label={words.costCenter}
          optional
          maxLength={100}
          value={draft.costCenter}
          onChange={(event) => change({ costCenter: event.target.value })}
        />
      </div>
      <CheckField
        label={words.twoWay}
        hint={words.twoWayHint}
        checked={draft.twoWay}
        onChange={(event) => change({ twoWay: event.target.checked })}
      />
      <CheckField
        label={words.flash}
        hint={words.flashHint}
        checked={draft.flash}
        onChange={(event) => change({ flash: event.target.checked })}
      />
    </details>
  );
}
