/** Which versions of an object a call may change: the entity tags of its `If-Match` (RFC 9110 section 13.1.1). */
import { fault, type Result, success } from './result.ts';

/** Undefined for any version. */
export type IfMatch = readonly string[] | undefined;

export function isMatch(ifMatch: IfMatch, version: string): boolean {
  return ifMatch === undefined || ifMatch.includes(version);
}

/** A version in the form of an `ETag`. */
export function entityTag(version: string): string {
  return `"${version}"`;
}

/** A list member, with its separators from the previous and next one (RFC 9110 sections 5.6.1 and 8.8.3). */
const member = /[ \t,]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,[ \t,]*|$)/y;

/** Weak tags are left out, because in this comparison, the strong one, they never match (section 8.8.3.2). */
export function parseIfMatch(header: string): Result<IfMatch> {
  if (header.trim() === '*') return success(undefined);
  const versions: string[] = [];
  member.lastIndex = 0;
  do {
    const found = member.exec(header);
    if (found === null) return fault('invalid_value', { sentence: 'if_match' });
    const [, weak, version = ''] = found;
    if (weak === undefined) versions.push(version);
  } while (member.lastIndex < header.length);
  return success(versions);
}
