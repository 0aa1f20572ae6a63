/** What limits an API key besides its end: the fields that choose it, and the line that says it. */
import type { AnswerOf } from '../api/endpoints.ts';
import type { FaultContent } from '../api/fault.ts';
import { ChipsField } from '../design/chips-field.tsx';
import { CheckField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { useKeyWords } from './texts.ts';

export type Limits = Pick<AnswerOf<'GET', '/api/v1/apikeys'>['apiKeys'][number], 'scopes' | 'networks'>;
type Scope = NonNullable<Limits['scopes']>[number];
/** A scope for the alerts of one receiver is kept, but chosen by a call. */
type NamedScope = Exclude<Scope, `alerts:${string}`>;

export interface GivenLimits {
  /** Null for all that the user may do. */
  readonly scopes: readonly Scope[] | null;
  readonly networks: readonly string[];
}

const scopes: readonly NamedScope[] = [
  ...(['read', 'send', 'jobs', 'contacts', 'webhooks', 'email', 'alerts', 'admin'] as const),
];

const isNamed = (scope: Scope): scope is NamedScope => (scopes as readonly Scope[]).includes(scope);

interface LimitFieldsProps {
  readonly limits: GivenLimits;
  readonly change: (limits: GivenLimits) => void;
  /** What is wrong with the networks. */
  readonly error: FaultContent | undefined;
}

export function LimitFields({ limits: { scopes: chosen, networks }, change, error }: LimitFieldsProps) {
  const words = useKeyWords();
  const choose = (scopes: GivenLimits['scopes']) => change({ scopes, networks });
  return (
    <>
      <CheckField
        label={words.onlySome}
        hint={words.onlySomeHint}
        checked={chosen !== null}
        onChange={({ target }) => choose(target.checked ? [] : null)}
      />
      {chosen !== null && (
        <fieldset className={`${layout.stack} ${layout.tight}`}>
          <legend>{words.may}</legend>
          {scopes.map((scope) => (
            <CheckField
              key={scope}
              label={words.scopes[scope]}
              checked={chosen.includes(scope)}
              onChange={({ target }) =>
                choose([
                  ...scopes.filter((one) => (one === scope ? target.checked : chosen.includes(one))),
                  ...chosen.filter((one) => !isNamed(one)),
                ])
              }
            />
          ))}
        </fieldset>
      )}
      <ChipsField
        label={words.networks}
        hint={words.networksHint}
        items={networks}
        maxLength={50}
        error={error}
        change={(networks) => change({ scopes: chosen, networks })}
      />
    </>
  );
}

export function LimitsOf({ of: { scopes, networks } }: { readonly of: Limits }) {
  const words = useKeyWords();
  const parts = [
    ...(scopes === undefined
      ? []
      : [scopes.map((scope) => (isNamed(scope) ? words.scopes[scope] : scope)).join(', ')]),
    ...(networks === undefined ? [] : [networks.join(', ')]),
  ];
  return parts.length > 0 && <div className={`${layout.soft} ${layout.wraps}`}>{parts.join(' · ')}</div>;
}
