/**
 * Any program that posts JSON: where an alert's parts stand is said by JSON pointers. Without pointers it is JSON of ours, as the
 * manual describes it: an alert, a list of alerts, or an object with the list `alerts`.
 */
import { get } from 'jsonpointer';
import {
  type AlertPointers,
  boundedAlert,
  plausibleTime,
  type ReceivedAlert,
  writtenTime,
} from '../alert.ts';
import { fieldsOf, type SourceReader } from './reading.ts';

export const generic: SourceReader = {
  needed: ({ pointers }) => [pointers?.items, pointers?.title ?? '/title'].filter(Boolean).join(', '),
  read(body, { now, pointers = {} }) {
    const items = itemsIn(body, pointers.items);
    const alertOf = (item: unknown) => alertAt(item, pointers, now);
    // Where no element has anything of an alert, the pointers or the body are wrong, and the sender has to know.
    const isOurs =
      items !== undefined && (items.length === 0 || items.some((item) => isAlert(item, pointers)));
    return isOurs ? { items, alertOf } : undefined;
  },
};

function itemsIn(body: unknown, pointer: string | undefined): readonly unknown[] | undefined {
  const { alerts = body } = fieldsOf(body) ?? {};
  const found = pointer === undefined ? alerts : at(body, pointer);
  if (Array.isArray(found)) return found;
  return fieldsOf(found) === undefined ? undefined : [found];
}

function isAlert(item: unknown, pointers: AlertPointers): boolean {
  const { title = '/title', fingerprint = '/fingerprint', labels = '/labels' } = pointers;
  return [title, fingerprint, labels].some((pointer) => at(item, pointer) !== undefined);
}

function alertAt(item: unknown, pointers: AlertPointers, now: number): ReceivedAlert | undefined {
  if (!isAlert(item, pointers)) return undefined;
  const state = stateOf(at(item, pointers.state ?? '/state'), pointers);
  if (state === undefined) return undefined;
  const title = at(item, pointers.title ?? '/title');
  const labels = fieldsOf(at(item, pointers.labels ?? '/labels'));
  const { alertname } = labels ?? {};
  return boundedAlert({
    // The fields of an item, which stand in for labels, differ from report to report.
    fingerprint:
      at(item, pointers.fingerprint ?? '/fingerprint') ?? (labels === undefined ? title : undefined),
    state,
    titles: [title, alertname],
    labels: labels ?? fieldsOf(item),
    annotations: at(item, pointers.annotations ?? '/annotations'),
    startedAt: timeOf(at(item, pointers.startedAt ?? '/startedAt'), now),
    url: at(item, pointers.url ?? '/url'),
  });
}

/** What says nothing of its state is firing; a state that is not listed wakes nobody. */
function stateOf(
  given: unknown,
  { firing = ['firing'], resolved = ['resolved'] }: AlertPointers,
): ReceivedAlert['state'] | undefined {
  if (given === undefined || given === null) return 'firing';
  const state = String(['string', 'number', 'boolean'].includes(typeof given) ? given : '');
  if (firing.includes(state)) return 'firing';
  return resolved.includes(state) ? 'resolved' : undefined;
}

/** No clock counted this many seconds yet: such a number is of milliseconds. */
const mostSeconds = 100_000_000_000;

function timeOf(given: unknown, now: number): number | null {
  if (typeof given !== 'number') return writtenTime(given, now);
  return plausibleTime(given < mostSeconds ? given * 1_000 : given, now);
}

/** The empty pointer names the whole. Receivers set up by earlier builds may have pointers that lack the first slash. */
function at(json: unknown, pointer: string): unknown {
  const whole = pointer === '' || pointer.startsWith('/') ? pointer : `/${pointer}`;
  return typeof json === 'object' && json !== null ? get(json, whole) : undefined;
}
