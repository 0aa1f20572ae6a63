/** The grammar of saved templates: which curly brackets in a text are placeholders (API: saved text template). */

/** Literal texts with a placeholder between each two of them. */
export interface TemplateText {
  readonly literals: readonly string[];
  /** Their labels, exactly as written. What the description of a placeholder says is for people. */
  readonly placeholders: readonly string[];
}

/**
 * `{Text:label}`, `{Text:label:description}`, `{DateTime:label}`. A label is not empty; neither it nor a description
 * holds curly brackets, so that of brackets within brackets only the inner ones can be a placeholder; a description may
 * hold colons and be empty. Whatever differs from that, be it in the case of a letter, is text like any other.
 */
const placeholder = /\{(?:Text:([^{}:]+)(?::[^{}]*)?|DateTime:([^{}:]+))\}/g;

export function parseTemplate(text: string): TemplateText {
  const literals: string[] = [];
  const placeholders: string[] = [];
  let literalStart = 0;
  for (const match of text.matchAll(placeholder)) {
    literals.push(text.slice(literalStart, match.index));
    placeholders.push(match[1] ?? match[2] ?? '');
    literalStart = match.index + match[0].length;
  }
  literals.push(text.slice(literalStart));
  return { literals, placeholders };
}
