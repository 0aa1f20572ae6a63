/** What is known about something, as names and values; unknown values are left out. */
import type { ReactNode } from 'react';
import layout from './layout.module.css';

export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, fact: ReactNode])[] }) {
  return (
    <dl className={layout.grid}>
      {facts
        .filter(([, fact]) => fact !== undefined && fact !== '' && fact !== false)
        .map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof fact === 'string' ? <bdi>{fact}</bdi> : fact}</dd>
          </div>
        ))}
    </dl>
  );
}
