/**
 * Parses `Content-Type` and similar fields, where programs are less strict than RFC 2045 5.1. Whatever is recognised counts.
 */
import { maxWordingLength } from './reading-bounds.ts';

export interface ContentType {
  /** Such as `text/plain`, in lower case. */
  readonly type: string;
  parameter(name: string): string | undefined;
}

/** RFC 2045 5.2: a missing or unreadable type means plain text. */
export function parseContentType(value: string | undefined): ContentType {
  const words = new Words((value ?? '').slice(0, maxWordingLength));
  const type = words.next('').toLowerCase();
  const parameters = new Map<string, string>();
  while (!words.isAtEnd) {
    const name = words.next('=').toLowerCase();
    if (!words.skip('=')) continue;
    const text = words.next('');
    // If a name occurs twice, the first counts.
    if (name !== '' && !parameters.has(name)) parameters.set(name, text);
  }
  return {
    type: /^[\w-]+\/[\w.+-]+$/.test(type) ? type : 'text/plain',
    parameter: (name) => parameters.get(name),
  };
}

/** Returns the first word of a field such as `Content-Disposition`, in lower case, without comments and parameters. */
export function firstToken(value: string | undefined): string {
  const word = new Words((value ?? '').slice(0, maxWordingLength)).next('').toLowerCase();
  return /^[\w-]+/.exec(word)?.[0] ?? '';
}

const spaces = ' \t\r\n';

/** Splits text into words between white space, semicolons and comments, in one pass. */
class Words {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#toNext();
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Returns a quoted string, or the text before white space, a semicolon or one of `ends`. */
  next(ends: string): string {
    const word = this.#text[this.#at] === '"' ? this.#quoted() : this.#plain(ends);
    this.#toNext();
    return word;
  }

  skip(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    this.#toNext();
    return true;
  }

  #plain(ends: string): string {
    const start = this.#at;
    while (!this.isAtEnd && !`${spaces};${ends}`.includes(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  /** RFC 5322 3.2.4. A string that is never closed extends to the end. */
  #quoted(): string {
    let word = '';
    for (this.#at += 1; !this.isAtEnd; this.#at += 1) {
      const sign = this.#text.charAt(this.#at);
      if (sign === '"') break;
      if (sign === '\\') this.#at += 1;
      word += sign === '\\' ? this.#text.charAt(this.#at) : sign;
    }
    this.#at += 1;
    return word;
  }

  #toNext(): void {
    for (; !this.isAtEnd; this.#at += 1) {
      const sign = this.#text.charAt(this.#at);
      if (sign === '(') this.#at = this.#commentEnd();
      else if (sign !== ';' && !spaces.includes(sign)) return;
    }
  }

  /** Comments are assumed not to nest, because nobody writes nested ones here. */
  #commentEnd(): number {
    const end = this.#text.indexOf(')', this.#at);
    return end < 0 ? this.#text.length : end;
  }
}
