/** Which domains a company may list senders of: those that end with one of its allowed endings (API: email-to-SMS, /set rule 1). */
import type { FieldError } from '../../foundation/errors.ts';
import { fault, type Result, success } from '../../foundation/result.ts';
import { parseDomain } from '../../wire/email-address.ts';

/** In the form in which domains are compared, with the dot that it may begin with. */
export function parseDomainEnding(text: string): Result<string> {
  const dot = text.startsWith('.') ? '.' : '';
  const domain = parseDomain(text.slice(dot.length));
  if (domain.ok) return success(dot + domain.value);
  const advice = text.startsWith('@') ? ' Leave out the @.' : '';
  return fault(domain.code, domain.error + advice);
}

/** A match of characters, as the API contract has it: `care.example` fits `intensivecare.example` too. */
export function isAllowedDomain(domain: string, endings: readonly string[]): boolean {
  return endings.some((ending) => domain.endsWith(ending));
}

export function faultOfDomain(domain: string, endings: readonly string[]): FieldError | undefined {
  if (isAllowedDomain(domain, endings)) return undefined;
  const allowed =
    endings.length === 0
      ? 'The company has no allowed domain endings yet; its operator sets them.'
      : `Allowed are domains that end with ${endings.join(', ')}.`;
  return {
    field: 'email',
    code: 'domain_not_allowed',
    error: `The domain ${domain} is not allowed. ${allowed}`,
  };
}

/** For the operator, who gives the ending; undefined where it fits nothing but what lies below it. */
export function warningOf(ending: string): string | undefined {
  if (ending.startsWith('.')) return undefined;
  return `warning: the ending "${ending}" also fits domains that anybody may register, such as evil${ending}; ".${ending}" fits only what lies below ${ending}`;
}
