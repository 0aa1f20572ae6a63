/** What a source has to say of the bodies that it posts. */
import type { AlertPointers, ReceivedAlert } from '../alert.ts';

export interface ReadingSettings {
  readonly now: number;
  /** For the source `generic`. */
  readonly pointers?: AlertPointers | undefined;
}

export interface SourceReader {
  /** The names of the fields that tell a body of the source, for the error message. */
  readonly needed: (settings: ReadingSettings) => string;
  /** Undefined if this is no body of the source. */
  readonly read: (body: unknown, settings: ReadingSettings) => PostedItems | undefined;
}

export interface PostedItems {
  readonly items: readonly unknown[];
  /** Undefined for what wakes nobody. */
  readonly alertOf: (item: unknown) => ReceivedAlert | undefined;
  /** How many alerts the source left out of the post. */
  readonly leftOut?: number;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Undefined if the value is no object. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
