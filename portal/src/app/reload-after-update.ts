/** A server that was updated meanwhile no longer has the files of the pages that this tab would load next. */
import { keep, kept } from '../browser/kept.ts';

/** Another load so soon after would go round in circles. */
const pauseMs = 30_000;

export function reloadAfterUpdate(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(kept('reloaded', 'tab') ?? 0);
    if (performance.timeOrigin + performance.now() - last < pauseMs) return;
    if (!keep('reloaded', String(performance.timeOrigin + performance.now()), 'tab')) return;
    event.preventDefault();
    location.reload();
  });
}
