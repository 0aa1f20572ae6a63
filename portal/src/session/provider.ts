/** Identity providers as this browser knows them. */
import { keep, kept } from '../browser/kept.ts';

export interface Provider {
  readonly name: string;
  readonly label: string;
}

const keptName = 'provider';

/** Those that the server offers to everybody, and the one that was last used in this browser. */
export function shownProviders(): readonly Provider[] {
  const offered = providersIn(
    document.querySelector<HTMLMetaElement>('meta[name=sign-in-providers]')?.content ?? '',
  );
  const used = providersIn(kept(keptName) ?? '').filter(
    ({ name }) => !offered.some((one) => one.name === name),
  );
  return [...used, ...offered];
}

export function rememberProvider(provider: Provider | undefined): void {
  if (provider !== undefined) keep(keptName, JSON.stringify([provider]));
}

function providersIn(json: string): readonly Provider[] {
  return json === '' ? [] : (JSON.parse(json) as readonly Provider[]);
}

/** Why the last sign-in with a provider led to nothing, from the part of the address that servers don't see. */
export function failureOfProvider(): string | undefined {
  return /^#provider=(\w+)$/.exec(location.hash)?.[1];
}
