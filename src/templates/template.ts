/** A saved text with its versions, and what its text has to keep. */
import { fault, type Result, success } from '../foundation/result.ts';
import { normaliseText } from '../wire/sms/normalise.ts';
import { faultOfLabel } from '../wire/sms/substitution.ts';
import { parseTemplate } from '../wire/sms/template-text.ts';

/** As it was after a change. */
export interface TemplateVersion {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  /** Null: by a provisioning file, or before this was kept. */
  readonly changedAt: number | null;
  readonly changedBy: string | null;
}

/** As it is now. */
export interface Template extends TemplateVersion {
  readonly id: number;
  /** By a provisioning file, which alone changes it. */
  readonly managed: boolean;
}

/** Former ones beyond it are forgotten, the oldest first. */
export const maxFormerVersions = 100;

export const maxTemplateName = 100;

/** As it will be sent. A label that no call could fill is refused. */
export function templateText(given: string): Result<string> {
  const text = normaliseText(given);
  if (text === '') return fault('no_text', 'The text of the template is empty.');
  for (const label of parseTemplate(text).placeholders) {
    const wrong = faultOfLabel(label);
    if (wrong !== undefined) return wrong;
  }
  return success(text);
}
