/** Composes the moments of a film on phones into one picture for the documentation. */
import type { Browser } from 'playwright-core';

/** What a phone shows, and which place on it is tapped next. */
export interface Moment {
  readonly caption: string;
  readonly picture: Buffer;
  readonly tap?: { readonly x: number; readonly y: number; readonly label: string } | undefined;
}

/** `screen`: how large a moment is at most. */
export async function sideBySide(
  browser: Browser,
  moments: readonly Moment[],
  screen: { readonly width: number; readonly height: number },
): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 100, height: 100 } });
  const figures = moments.map(({ caption, picture, tap }) => {
    const mark = tap === undefined ? '' : `<b style="left:${tap.x}px;top:${tap.y}px">${tap.label}</b>`;
    return `<figure><div><img src="data:image/png;base64,${picture.toString('base64')}">${mark}</div>
      <figcaption>${caption}</figcaption></figure>`;
  });
  await page.setContent(`<!doctype html><style>
    body { margin: 0; width: max-content; display: flex; gap: 20px; padding: 20px; background: #e9ebee; }
    figure { margin: 0; width: ${screen.width}px; }
    div { position: relative; height: ${screen.height}px; display: grid; grid: 100% / 100%; place-items: center; }
    img { display: block; border-radius: 24px; max-width: 100%; max-height: 100%; }
    b { position: absolute; translate: -50% -50%; width: 30px; height: 30px; border-radius: 50%; text-align: center;
      font: bold 18px/30px sans-serif; background: #ffd54a; color: #111; border: 3px solid #fff; }
    figcaption { font: 20px/1.3 sans-serif; color: #111; padding-top: 14px; text-align: center; }
  </style>${figures.join('')}`);
  return page.locator('body').screenshot();
}
