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
const placeholder = /\{(?:Text:([^{}:]+)(?::([^{}]*))?|DateTime:([^{}:]+))\}/g;

/** What a form asks for: each label once, in the order of the text, with the first description that it has. */
export interface TemplateField {
  readonly label: string;
  readonly kind: 'text' | 'datetime';
  readonly description: string | undefined;
}

export function fieldsOf(text: string): readonly TemplateField[] {
  const fields = new Map<string, TemplateField>();
  for (const [, ofText, description, ofTime] of text.matchAll(placeholder)) {
    const label = ofText ?? ofTime ?? '';
    const known = fields.get(label);
    const kind = ofText === undefined ? 'datetime' : 'text';
    const told = known?.description ?? (description === '' ? undefined : description);
    fields.set(label, { label, kind: known?.kind ?? kind, description: told });
  }
  return [...fields.values()];
}

export function parseTemplate(text: string): TemplateText {
  const literals: string[] = [];
  const placeholders: string[] = [];
  let literalStart = 0;
  for (const match of text.matchAll(placeholder)) {
    literals.push(text.slice(literalStart, match.index));
    placeholders.push(match[1] ?? match[3] ?? '');
    literalStart = match.index + match[0].length;
  }
  literals.push(text.slice(literalStart));
  return { literals, placeholders };
}
