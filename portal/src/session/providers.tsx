/** Sign-in with an identity provider: the links to it, and why it led to nothing. Loaded only where there is a provider. */
import { portalPath } from '../api/client.ts';
import { buttonLook } from '../design/button.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { failureOfProvider, type Provider, shownProviders } from './provider.ts';
import { useProviderWords } from './provider-texts.ts';

/** `confirms`: a user who is signed in proves again who they are. Both lead back to the current page. */
export function ProviderLinks({
  providers = shownProviders(),
  confirms = false,
}: {
  readonly providers?: readonly Provider[];
  readonly confirms?: boolean;
}) {
  const words = useProviderWords();
  const to = location.pathname.slice(portalPath.length - 1) + location.search;
  const query = new URLSearchParams(confirms ? { to, confirm: '1' } : { to });
  return providers.map(({ name, label }) => (
    <a
      key={name}
      className={buttonLook(confirms ? 'main' : 'plain')}
      href={`${portalPath}oidc/${name}?${query}`}
    >
      {confirms ? words.confirmWith(label) : words.signInWith(label)}
    </a>
  ));
}

export function ProviderSignIn() {
  const failure = failureOfProvider();
  return (
    <div className={layout.stack}>
      {failure !== undefined && <Notice tone="error">{failureWords(failure)}</Notice>}
      <ProviderLinks />
    </div>
  );
}

/** The sentence for a reason that the server gives in the address. */
export function failureWords(failure: string): string {
  const words = useProviderWords.now();
  return (words.failures as Readonly<Record<string, string>>)[failure] ?? words.failures.invalid;
}
