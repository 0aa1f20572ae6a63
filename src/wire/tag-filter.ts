/**
 * Parses and writes tag filters in both notations (API: address book, tag, tag filter): an AND of parts, each of which is an
 * OR of values.
 */
import { nearestName } from '../foundation/nearest-name.ts';
import { type Fault, fault, quoted, type Result, success } from '../foundation/result.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';

/** Matches a contact that has a tag of the type with any of the values. */
export interface FilterPart {
  readonly tagType: string;
  /** Never empty and without duplicates. */
  readonly tagValues: readonly string[];
}

/** Matches a contact that every part matches. Never empty. */
export type TagFilter = readonly FilterPart[];

/** Far above what people write, yet low enough that no filter costs the store much work. */
export const maxFilterParts = 20;
export const maxFilterValues = 1_000;
/** For a tag type or a tag value, in UTF-16 units. */
export const maxTagLength = 100;
/** Room for the maximum number of values of usual length. Checked before anything else, so hostile input costs nothing. */
export const maxFilterLength = 60_000;

/** Returns why a text can't be a tag type or value, or undefined if it can. Spaces at its ends are not part of a tag. */
export function reasonAgainstTag(tag: string): Sentence | undefined {
  if (tag === '') return { sentence: 'is_empty' };
  if (tag.length > maxTagLength) return { sentence: 'tag_long', length: tag.length, most: maxTagLength };
  const separator = /[;|:]/.exec(tag);
  if (separator !== null) return { sentence: 'tag_separator', sign: `“${separator[0]}”` };
  if (/[\p{Cc}\p{Cs}]/u.test(tag)) return { sentence: 'tag_control' };
  return tag === tag.trim() ? undefined : { sentence: 'tag_spaces' };
}

/** String notation: `role:nurse|doctor;ward:7`. Positions in faults count from 1. */
export function parseTagFilter(text: string): Result<TagFilter> {
  if (text.length > maxFilterLength) {
    return invalid({ sentence: 'filter_long', length: text.length, most: maxFilterLength });
  }
  if (text.trim() === '') return misshapen({ sentence: 'filter_empty' });
  const parts: FilterPart[] = [];
  let at = 1;
  let values = 0;
  for (const written of text.split(';', maxFilterParts + 1)) {
    if (parts.length === maxFilterParts) return tooManyParts(`at character ${at}`);
    const part = parsePart(written, at, parts.length + 1);
    if (!part.ok) return part;
    values += part.value.tagValues.length;
    if (values > maxFilterValues) return tooManyValues();
    parts.push(part.value);
    at += written.length + 1;
  }
  return success(parts);
}

function parsePart(written: string, at: number, number: number): Result<FilterPart> {
  if (written.trim() === '') {
    return misshapen({ sentence: 'filter_part_empty', part: number, at });
  }
  const colon = written.indexOf(':');
  if (colon === -1) {
    return misshapen({ sentence: 'filter_no_colon', part: number, at, written: quoted(written.trim()) });
  }
  const second = written.indexOf(':', colon + 1);
  if (second !== -1) {
    return misshapen({ sentence: 'filter_two_colons', part: number, at: at + second });
  }
  const tagType = written.slice(0, colon).trim();
  const reason = reasonAgainstTag(tagType);
  if (reason !== undefined) return misshapen({ sentence: 'filter_type', at, why: storedReason(reason) });
  const tagValues = new Set<string>();
  let valueAt = at + colon + 1;
  for (const item of written.slice(colon + 1).split('|', maxFilterValues + 1)) {
    const value = item.trim();
    const reason = reasonAgainstTag(value);
    if (reason !== undefined)
      return misshapen({ sentence: 'filter_value', at: valueAt, why: storedReason(reason) });
    if (tagValues.size === maxFilterValues) return tooManyValues();
    tagValues.add(value);
    valueAt += item.length + 1;
  }
  return success({ tagType, tagValues: [...tagValues] });
}

/** JSON notation: `[{ "tagtype": "role", "tagvalues": ["nurse", "doctor"] }]`. Positions in faults are those in the list. */
export function readTagFilter(json: unknown): Result<TagFilter> {
  if (!Array.isArray(json)) return invalid({ sentence: 'filter_list' });
  if (json.length === 0) return invalid({ sentence: 'filter_empty' });
  if (json.length > maxFilterParts) return tooManyParts(`[${maxFilterParts}]`);
  const parts: FilterPart[] = [];
  let values = 0;
  for (const [index, item] of (json as unknown[]).entries()) {
    const part = readPart(item, `[${index}]`);
    if (!part.ok) return part;
    values += part.value.tagValues.length;
    if (values > maxFilterValues) return tooManyValues();
    parts.push(part.value);
  }
  return success(parts);
}

const fieldsOfPart = ['tagtype', 'tagvalues'];

function readPart(json: unknown, place: string): Result<FilterPart> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return invalid({ sentence: 'filter_object', place });
  }
  // An ignored key may have been meant to narrow the filter.
  const unknown = Object.keys(json).find((name) => !fieldsOfPart.includes(name));
  if (unknown !== undefined) {
    const field = quoted(unknown);
    const near = nearestName(unknown, fieldsOfPart);
    return invalid(
      near === undefined
        ? { sentence: 'filter_field', place, field }
        : { sentence: 'filter_field_near', place, field, near: quoted(near) },
    );
  }
  const { tagtype, tagvalues } = json as { readonly tagtype?: unknown; readonly tagvalues?: unknown };
  const tagType = readTag(tagtype, `${place}.tagtype`);
  if (!tagType.ok) return tagType;
  if (!Array.isArray(tagvalues) || tagvalues.length === 0) {
    return invalid({ sentence: 'filter_list_of', place: `${place}.tagvalues` });
  }
  if (tagvalues.length > maxFilterValues) return tooManyValues();
  const tagValues = new Set<string>();
  for (const [index, item] of (tagvalues as unknown[]).entries()) {
    const value = readTag(item, `${place}.tagvalues[${index}]`);
    if (!value.ok) return value;
    tagValues.add(value.value);
  }
  return success({ tagType: tagType.value, tagValues: [...tagValues] });
}

function readTag(json: unknown, place: string): Result<string> {
  if (typeof json !== 'string') return invalid({ sentence: 'filter_string', place });
  const tag = json.trim();
  const reason = reasonAgainstTag(tag);
  return reason === undefined
    ? success(tag)
    : invalid({ sentence: 'filter_tag', place, why: storedReason(reason) });
}

/** A filter in the notation in which it is kept. */
export function normalTagFilter(written: string): Result<string> {
  const filter = parseTagFilter(written);
  return filter.ok ? success(formatTagFilter(filter.value)) : filter;
}

export function formatTagFilter(filter: TagFilter): string {
  return filter.map(({ tagType, tagValues }) => `${tagType}:${tagValues.join('|')}`).join(';');
}

function tooManyParts(place: string): Fault {
  return invalid({ sentence: 'filter_parts', most: maxFilterParts, place });
}

function tooManyValues(): Fault {
  return invalid({ sentence: 'filter_values', most: maxFilterValues });
}

function misshapen(reason: Sentence): Fault {
  return invalid({ sentence: 'filter_wrong', why: storedReason(reason) });
}

function invalid(said: Sentence): Fault {
  return fault('invalid_tag_filter', said);
}
