/** Reads `Content-Type` and its like, where programs are less strict than RFC 2045 5.1. */
import { MIMEType } from 'node:util';

export interface ContentType {
  /** `text/plain`, in lower case. */
  readonly type: string;
  parameter(name: string): string | undefined;
}

/** Longer ones are not worth the reading. */
const maxLength = 4_096;
/** Each word is tried from each of its letters, so that the work grows with the square of this. */
const maxFallbackLength = 512;

/** RFC 2045 5.2: what says nothing, or nothing that can be read, is plain text. */
export function parseContentType(value: string | undefined): ContentType {
  const text = (value ?? '').slice(0, maxLength);
  return parsed(text) ?? parsed(text.replace(/\([^()]*\)/g, '')) ?? fallback(text);
}

function parsed(text: string): ContentType | undefined {
  try {
    const { essence, params } = new MIMEType(text);
    return { type: essence, parameter: (name) => params.get(name) ?? undefined };
  } catch {
    return undefined;
  }
}

/** `text/html charset=x` without its semicolon, or `text`: what is recognised counts. */
function fallback(text: string): ContentType {
  const beginning = text.slice(0, maxFallbackLength);
  const type = /^\s*([\w-]+\/[\w.+-]+)/.exec(beginning)?.[1]?.toLowerCase() ?? 'text/plain';
  return {
    type,
    parameter: (name) => {
      for (const [, key, quoted, plain] of beginning.matchAll(/([\w-]+)=(?:"([^"]*)"|([^\s;"]+))/g))
        if (key?.toLowerCase() === name) return quoted ?? plain;
      return undefined;
    },
  };
}

/** The first word of a field such as `Content-Disposition`, in lower case, without comments and parameters. */
export function firstToken(value: string | undefined): string {
  return (
    /[\w-]+/.exec((value ?? '').slice(0, maxLength).replace(/\([^()]*\)/g, ''))?.[0]?.toLowerCase() ?? ''
  );
}
