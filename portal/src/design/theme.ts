/** Light or dark: as chosen here, otherwise as in the user's system. */
import { keep, kept } from '../browser/kept.ts';
import { sharedValue } from '../browser/value.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const isTheme = (text: string | undefined): text is Theme =>
  (themes as readonly (string | undefined)[]).includes(text);

const before = kept('theme');
const current = sharedValue<Theme>(isTheme(before) ? before : 'system');

function show(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
show(current.get());

export const useTheme = current.use;

export function chooseTheme(theme: Theme): void {
  keep('theme', theme === 'system' ? undefined : theme);
  current.set(theme);
  show(theme);
}
