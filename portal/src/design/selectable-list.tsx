/** A list of which several items are selected, by pointer or keys, and a bar of what can be done with them. */
import { useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { newIdempotencyKey } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { Button } from './button.tsx';
import { type Column, CursorList, type CursorListProps } from './cursor-list.tsx';
import { Dialog } from './dialog.tsx';
import { FaultText } from './fault-text.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { Notice } from './notice.tsx';
import styles from './selectable-list.module.css';
import { showToast } from './toasts.tsx';

/** Something that can be done with each of the selected items. */
export interface BulkAct<Item> {
  readonly label: string;
  readonly look?: 'danger' | 'main';
  readonly question: (count: number) => string;
  /** What the act needs besides the items; it stays as it is from the first item on. */
  readonly fields?: (isFixed: boolean) => ReactNode;
  /** Whether the values typed so far are not enough. */
  readonly lacks?: boolean;
  /** Whether it can be done with the item; the others are left as they are. By default it can be done with all. */
  readonly fits?: (item: Item) => boolean;
  /**
   * Does it with one item; done twice, it has the same outcome as done once. `key` is an idempotency key for the item, the same
   * until the dialog is closed.
   */
  readonly act: (item: Item, key: string) => Promise<unknown>;
  readonly done: (count: number) => string;
}

interface SelectableListProps<Item> extends CursorListProps<Item> {
  /** What screen readers say of an item. */
  readonly nameOf: (item: Item) => string;
  readonly acts: readonly BulkAct<Item>[];
}

export function SelectableList<Item>({ nameOf, acts, ...list }: SelectableListProps<Item>) {
  const words = useLaterWords();
  const { items } = list.list;
  const { keyOf } = list;
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<{ readonly label: string; readonly items: readonly Item[] }>();
  const openAct = acts.find(({ label }) => label === open?.label);
  const last = useRef<string>(undefined);
  // Items that are no longer in the list are no longer selected.
  const selected = items.filter((item) => keys.has(keyOf(item)));
  const possible = acts.filter(({ fits }) => fits === undefined || selected.some(fits));
  const select = (some: readonly Item[]) => setKeys(new Set(some.map(keyOf)));
  const press = (item: Item, { shiftKey }: MouseEvent) => {
    const key = keyOf(item);
    const isOn = !keys.has(key);
    const from = shiftKey ? items.findIndex((one) => keyOf(one) === last.current) : -1;
    const to = items.indexOf(item);
    const range = from < 0 ? [item] : items.slice(Math.min(from, to), Math.max(from, to) + 1);
    const next = new Set(keys);
    for (const one of range) {
      if (isOn) next.add(keyOf(one));
      else next.delete(keyOf(one));
    }
    last.current = key;
    setKeys(next);
  };
  const pick: Column<Item> = {
    title: words.select,
    head: <span className="unseen">{words.select}</span>,
    width: '1.5rem',
    place: 'pick',
    cell: (item) => (
      <label className={styles.pick}>
        <input
          type="checkbox"
          aria-label={words.selectOne(nameOf(item))}
          checked={keys.has(keyOf(item))}
          onClick={(event) => press(item, event)}
          // The click has done it, since only a click says whether Shift was held.
          onChange={() => undefined}
        />
      </label>
    ),
  };
  return (
    <>
      <CursorList {...list} columns={[pick, ...list.columns]} />
      {selected.length > 0 && (
        <section className={`${styles.bar} ${layout.sheet} ${layout.row}`} aria-label={words.selection}>
          <span className={layout.fill} role="status">
            {words.selected(selected.length)}
          </span>
          {selected.length < items.length && (
            <Button small look="quiet" onClick={() => select(items)}>
              {words.selectAll(items.length)}
            </Button>
          )}
          {possible.map((act) => (
            <Button
              key={act.label}
              small
              look={act.look === 'danger' ? 'danger' : 'plain'}
              onClick={() => setOpen({ label: act.label, items: selected })}
            >
              {act.label}
            </Button>
          ))}
          <Button small look="quiet" onClick={() => select([])}>
            {words.selectNone}
          </Button>
        </section>
      )}
      {/* Not in the bar, which is gone while the list is loaded again. */}
      {open !== undefined && openAct !== undefined && (
        <Bulk
          act={openAct}
          items={open.items}
          keyOf={keyOf}
          nameOf={nameOf}
          select={select}
          close={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

interface Refused<Item> {
  readonly item: Item;
  readonly fault: Fault;
}

interface BulkProps<Item> {
  readonly act: BulkAct<Item>;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  /** Selects the items with which it could not be done. */
  readonly select: (items: readonly Item[]) => void;
  readonly close: () => void;
}

/** The items are those of the moment when the dialog was opened, whatever is reloaded meanwhile. */
function Bulk<Item>({ act: bulk, ...props }: BulkProps<Item>) {
  const words = useLaterWords();
  const { label, look = 'main', question, fields, lacks = false, fits = () => true, act, done } = bulk;
  const { keyOf, nameOf, select, close } = props;
  const [items] = useState(() => props.items.filter(fits));
  const leftAlone = props.items.length - items.length;
  const [attempt] = useState(newIdempotencyKey);
  const client = useQueryClient();
  const [at, setAt] = useState<number>();
  const [refused, setRefused] = useState<readonly Refused<Item>[]>([]);
  const [left, setLeft] = useState(items);
  const [broken, setBroken] = useState<Fault>();
  const isBusy = at !== undefined;

  async function run(): Promise<void> {
    const faults: Refused<Item>[] = [...refused];
    setBroken(undefined);
    for (const [place, item] of left.entries()) {
      setAt(items.length - left.length + place);
      try {
        await act(item, `${attempt}-${keyOf(item)}`);
      } catch (error) {
        const fault = error instanceof Fault ? error : new Fault(0, {});
        if (!fault.isRefusal || fault.isPassing) {
          setBroken(fault);
          setLeft(left.slice(place));
          setRefused(faults);
          setAt(undefined);
          await client.invalidateQueries();
          return;
        }
        faults.push({ item, fault });
      }
    }
    await client.invalidateQueries();
    setAt(undefined);
    setLeft([]);
    setRefused(faults);
    select(faults.map(({ item }) => item));
    if (items.length > faults.length) showToast({ text: done(items.length - faults.length) });
    if (faults.length === 0) close();
  }

  const isOver = left.length === 0;
  return (
    <Dialog title={label} close={() => !isBusy && close()}>
      <div className={layout.stack}>
        {!isOver && <p>{question(items.length)}</p>}
        {!isOver && leftAlone > 0 && <p className={layout.soft}>{words.leftAlone(leftAlone)}</p>}
        {!isOver && fields?.(isBusy || left.length < items.length || refused.length > 0)}
        {isBusy && <p role="status">{words.bulkAt(at + 1, items.length)}</p>}
        {broken !== undefined && (
          <Notice tone="error">
            {words.bulkStopped(left.length)} <FaultText fault={broken} />
          </Notice>
        )}
        {refused.length > 0 && (
          <Notice tone="warning">
            {words.bulkRefused(refused.length)}
            <ul>
              {refused.map(({ item, fault }) => (
                <li key={keyOf(item)}>
                  <bdi>{nameOf(item)}</bdi>: <FaultText fault={fault} />
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <div className={layout.buttons}>
          <Button autoFocus={!isOver} disabled={isBusy} onClick={() => !isBusy && close()}>
            {words.closeIt}
          </Button>
          {!isOver && (
            <Button look={look} busy={isBusy} disabled={lacks} onClick={() => void run()}>
              {broken === undefined ? label : words.bulkGoOn}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
