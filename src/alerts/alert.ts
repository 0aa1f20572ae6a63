/**
 * An alert as a monitoring program reports it, in one shape for all programs, within bounds: a source may send anything, and what
 * it sends is stored, shown and put into SMS.
 */
import { createHash } from 'node:crypto';
import { fault, quoted, type Result, success } from '../foundation/result.ts';
import { replaceLoneSurrogates } from '../wire/sms/normalise.ts';

export const alertSources = ['alertmanager', 'grafana', 'zabbix', 'uptimekuma', 'generic'] as const;
export type AlertSource = (typeof alertSources)[number];

export type Labels = Readonly<Record<string, string>>;

export interface ReceivedAlert {
  /** The same for all reports of one matter. */
  readonly fingerprint: string;
  readonly state: 'firing' | 'resolved';
  readonly title: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** The time on the source's clock, which is only shown; null if that clock can't be right. */
  readonly startedAt: number | null;
  readonly url: string | null;
  /** The labels that the source groups by, if it groups: they match all alerts of the group. */
  readonly group?: Labels;
}

/** What one post contains. */
export interface ReadAlerts {
  /** At most one for each fingerprint. */
  readonly alerts: readonly ReceivedAlert[];
  /** How many reports wake nobody: test posts, maintenance, and what has no state of an alert. */
  readonly ignored: number;
  /** How many alerts were left out, by us as too many for one post, or by the source. */
  readonly leftOut: number;
}

/** Where a receiver of the source `generic` finds what belongs to an alert: JSON pointers (RFC 6901), by default as we document. */
export interface AlertPointers {
  /** The list of alerts, from the whole body; the others start at an element of it. */
  readonly items?: string;
  readonly fingerprint?: string;
  readonly state?: string;
  /** The states that mean firing, and resolved; anything else is ignored. */
  readonly firing?: readonly string[];
  readonly resolved?: readonly string[];
  readonly title?: string;
  readonly labels?: string;
  readonly annotations?: string;
  readonly startedAt?: string;
  readonly url?: string;
}

/** RFC 6901: empty for the whole, or parts that each follow a slash, in which ~0 is ~ and ~1 a slash. */
const pointerForm = /^(?:\/(?:[^~]|~[01])*)?$/;

export function checkedPointer(written: string): Result<string> {
  return pointerForm.test(written)
    ? success(written)
    : fault('invalid_value', { sentence: 'json_pointer', given: quoted(written) });
}

export const alertBounds = {
  /** Alerts in one post. */
  alerts: 20_000,
  fingerprint: 200,
  title: 200,
  url: 1_000,
  labels: 64,
  labelName: 100,
  labelValue: 500,
  /** In the JSON of a group, which is stored with each of its alerts. */
  group: 2_000,
  /** Alerts that a source says it has left out. */
  leftOut: 1_000_000,
} as const;

/** What a source says of an alert, unchecked. */
interface Reported {
  readonly fingerprint?: unknown;
  readonly state: ReceivedAlert['state'];
  /** The first that is a text is the title. */
  readonly titles: readonly unknown[];
  readonly labels?: unknown;
  readonly annotations?: unknown;
  readonly startedAt?: number | null;
  readonly url?: unknown;
  /** Bounded: see `boundedGroup`. */
  readonly group?: Labels | undefined;
}

export function boundedAlert({ group, ...reported }: Reported): ReceivedAlert {
  const labels = boundedLabels(reported.labels);
  const titles = reported.titles.map((title) => boundedText(title, alertBounds.title).trim());
  const title = titles.find((found) => found !== '') ?? '';
  const alert = {
    fingerprint: fingerprintOf(reported.fingerprint, labels, title),
    state: reported.state,
    title,
    labels,
    annotations: boundedLabels(reported.annotations),
    startedAt: reported.startedAt ?? null,
    url: boundedUrl(reported.url),
  };
  return group === undefined ? alert : { ...alert, group };
}

/** A source's own fingerprint, unless it is too long to be stored; without one, a digest of the labels or else of the title. */
function fingerprintOf(given: unknown, labels: Labels, title: string): string {
  const text = scalarText(given);
  // A cut fingerprint could be that of another alert.
  const kept = boundedText(text.slice(0, alertBounds.fingerprint + 1), alertBounds.fingerprint + 1);
  if (kept.length > alertBounds.fingerprint) return digestOf(text);
  if (kept !== '') return kept;
  const sorted = Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digestOf(sorted.length > 0 ? JSON.stringify(sorted) : title);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Anything but an object has no labels. */
export function boundedLabels(given: unknown): Labels {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  const kept: [string, string][] = [];
  for (const name in given) {
    if (kept.length === alertBounds.labels) break;
    const value = (given as Record<string, unknown>)[name];
    if (typeof value === 'object' || value === undefined) continue;
    kept.push([boundedText(name, alertBounds.labelName), boundedText(value, alertBounds.labelValue)]);
  }
  return Object.fromEntries(kept);
}

/** For all alerts of a post. Undefined if there are no labels, or more than are worth storing with each alert. */
export function boundedGroup(given: unknown): Labels | undefined {
  const labels = boundedLabels(given);
  const { length } = JSON.stringify(labels);
  return Object.keys(labels).length > 0 && length <= alertBounds.group ? labels : undefined;
}

/** Cut to a length, without what a database can't store: NUL and halves of surrogate pairs. */
export function boundedText(given: unknown, most: number): string {
  const cut = scalarText(given)
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '');
  return replaceLoneSurrogates(cut).replaceAll('\0', '');
}

/** Only links that a browser can open without harm. */
function boundedUrl(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > alertBounds.url || !/^https?:\/\//i.test(given))
    return null;
  return boundedText(given, alertBounds.url);
}

function scalarText(given: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof given) ? String(given) : '';
}

/** Servers without a clock begin in 1970, and programs in Go write the year 1 for “not known”. */
const earliest = Date.UTC(2000, 0);
const aheadMs = 86_400_000;

/** Null if the time can't be right. */
export function plausibleTime(at: number, now: number): number | null {
  return at >= earliest && at <= now + aheadMs ? Math.trunc(at) : null;
}

/** Reads RFC 3339. */
export function writtenTime(given: unknown, now: number): number | null {
  return typeof given === 'string' && given.length <= 50 ? plausibleTime(Date.parse(given), now) : null;
}
