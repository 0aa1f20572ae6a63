/** A list that is read page by page: rows under headings on a wide screen, and one below the other on a phone. */
import { createLink } from '@tanstack/react-router';
import {
  type AnchorHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Fault } from '../api/fault.ts';
import { Button } from './button.tsx';
import styles from './cursor-list.module.css';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { FaultNotice } from './notice.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';
import { useDesignWords } from './texts.ts';

export interface Column<Item> {
  readonly title: string;
  /** What stands above the column, if not its title. */
  readonly head?: ReactNode;
  readonly cell: (item: Item) => ReactNode;
  /** Width of the column in a grid, such as `8rem` or `2fr`; `minmax(0, 1fr)` by default. */
  readonly width?: string;
  /** Position on a phone: first line left, first line right, below, or in front. A column without a place is left out there. */
  readonly place?: 'main' | 'aside' | 'below' | 'pick';
  /** On a phone, the title stands before what would not be understood without it. */
  readonly isNamed?: boolean;
}

/** The result of `useList`. */
export interface CursorListState<Item> {
  readonly items: readonly Item[];
  readonly fault: Fault | null;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly isFarBack?: boolean;
  readonly loadMore: () => void;
  readonly isBehind: boolean;
  readonly reload: () => void;
}

export interface CursorListProps<Item> {
  /** What the list contains, for those who can't see it. */
  readonly label: string;
  readonly list: CursorListState<Item>;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** Shown instead of the list when it is empty. */
  readonly empty: ReactNode;
}

export function CursorList<Item>({ label, list, columns, keyOf, empty }: CursorListProps<Item>) {
  const { items, fault, isLoading } = list;
  if (isLoading) return <SkeletonRows />;
  if (fault !== null && items.length === 0) return <FaultNotice fault={fault} tryAgain={list.reload} />;
  if (items.length === 0 && !list.hasMore) return empty;
  return (
    <>
      <Newer list={list} />
      <ItemTable label={label} items={items} columns={columns} keyOf={keyOf} />
      <More list={list} />
    </>
  );
}

/** The rows alone, for a short list. */
export function ItemTable<Item>({
  label,
  items,
  columns,
  keyOf,
}: Pick<CursorListProps<Item>, 'label' | 'columns' | 'keyOf'> & { readonly items: readonly Item[] }) {
  const template = columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ');
  return (
    <table
      aria-label={label}
      className={`${styles.table} ${layout.lines}`}
      style={{ '--columns': template } as object}
      onKeyDown={moveBetweenRows}
    >
      <thead className={styles.head}>
        <tr className={styles.row}>
          {columns.map(({ title, head = title }) => (
            <th key={title} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      {rangesOf(items).map((range, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the key of a place in the list, whatever is there.
        <Range key={place} rows={range.length} isFirst={place === 0}>
          {() =>
            range.map((item) => (
              <tr key={keyOf(item)} className={`${styles.row} ${styles.item} ${layout.lazy}`}>
                {columns.map(({ title, cell, place, isNamed }) => (
                  <td
                    key={title}
                    className={`${styles.cell} ${layout.clip}`}
                    data-place={place ?? 'none'}
                    data-title={isNamed ? title : undefined}
                  >
                    {cell(item)}
                  </td>
                ))}
              </tr>
            ))
          }
        </Range>
      ))}
    </table>
  );
}

const rowsInRange = 50;
/** Height of a row with one line, assumed until the real height is known. */
const rowPixels = 52;

function rangesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / rowsInRange) }, (_, place) =>
    items.slice(place * rowsInRange, (place + 1) * rowsInRange),
  );
}

/**
 * A part of a list that may be very long. Its rows are there while it is in or near the visible area; otherwise an empty
 * space of the same height replaces them. The first rows are always there, so that the keyboard reaches a list that is far
 * below.
 */
function Range({
  rows,
  isFirst,
  children,
}: {
  readonly rows: number;
  readonly isFirst: boolean;
  readonly children: () => ReactNode;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [height, setHeight] = useState(isFirst ? undefined : rows * rowPixels);
  useEffect(() => {
    const { current } = body;
    if (current === null || isFirst) return;
    const look = ([entry]: readonly IntersectionObserverEntry[]) => {
      if (entry === undefined) return;
      if (entry.isIntersecting) setHeight(undefined);
      // A row with the focus stays, however far it is scrolled away.
      else if (!current.contains(document.activeElement)) setHeight(entry.boundingClientRect.height);
    };
    const near = new IntersectionObserver(look, { rootMargin: '1500px' });
    near.observe(current);
    return () => near.disconnect();
  }, [isFirst]);
  return (
    <tbody ref={body} style={height === undefined ? undefined : { height }}>
      {height === undefined && children()}
    </tbody>
  );
}

/** Offers newer items when too much of the list is shown for the list to be reloaded after changes. */
function Newer({ list }: { readonly list: CursorListState<unknown> }) {
  const words = useLaterWords();
  if (!list.isBehind) return null;
  const show = () => {
    window.scrollTo({ top: 0 });
    list.reload();
  };
  return (
    <div className={`${styles.newer} ${layout.sheet} ${layout.row}`} role="status">
      {words.newer}
      <Button small onClick={show}>
        {words.showNewer}
      </Button>
    </div>
  );
}

/** Loads the next page when the end of the list comes near, or when the button is pressed. */
function More({ list }: { readonly list: CursorListState<unknown> }) {
  const words = useLaterWords();
  const { loading } = useDesignWords();
  const end = useRef<HTMLDivElement>(null);
  const { hasMore, isLoadingMore, isFarBack, loadMore, fault } = list;
  const loads = useRef(loadMore);
  loads.current = loadMore;
  const waits = hasMore && !isLoadingMore && !isFarBack && fault === null;
  useEffect(() => {
    if (!waits || end.current === null) return;
    const near = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && loads.current(), {
      rootMargin: '600px',
    });
    near.observe(end.current);
    return () => near.disconnect();
  }, [waits]);
  if (fault !== null) return <FaultNotice fault={fault} tryAgain={loadMore} />;
  if (!hasMore) return null;
  return (
    <div ref={end} className={`${styles.more} ${layout.centred}`}>
      <Button busy={isLoadingMore} onClick={loadMore}>
        {isLoadingMore ? loading : isFarBack ? words.searchOn : words.loadMore}
      </Button>
    </div>
  );
}

/** The up and down keys move from row to row. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')];
  const place = links.indexOf(document.activeElement as HTMLElement);
  if (place < 0) return;
  event.preventDefault();
  links[place + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
}

function PlainRowLink(
  props: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> },
) {
  return (
    <a {...props} className={styles.link} data-row-link="">
      {props.children}
    </a>
  );
}

/** For the main cell of a row: opens the page of the item from anywhere in the row. */
export const RowLink = createLink(PlainRowLink);
