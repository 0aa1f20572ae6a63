/** The placeholders of a text of an alert: `{{summary}}` is a label, or else an annotation, unless the name is one of our own. */

/** The text of a receiver without one. */
export const defaultAlertText = '{{title}}';

export type AlertValues = Readonly<Record<string, string>>;

const placeholder = /\{\{([^{}]{1,100})\}\}/g;

/**
 * The first of the values that has a name gives its value. One pass: what is filled in is never searched again. Unknown names
 * are empty, as most labels are missing now and then.
 */
export function fillAlertText(template: string, values: readonly AlertValues[]): string {
  return template.replace(placeholder, (_, given: string) => {
    const name = given.trim();
    const holder = values.find((some) => Object.hasOwn(some, name));
    return (holder?.[name] ?? '').replace(/\s+/g, ' ').trim();
  });
}
