/** What films on phones have in common: a server with a simulator, its portal, and the moments in one picture for the documentation. */
import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { startWholeApp, type WholeApp } from '../../test/harness/app.ts';
import { PortalInBrowser } from '../../test/harness/browser.ts';
import { BrowserWindows } from '../../test/harness/browser-windows.ts';

export const alice = { username: 'alice', password: "alice's long password" };
/** How large a moment is at most. */
export const screen = { width: 360, height: 740 };
export const phone = { ...screen, theme: 'dark', touch: true } as const;

/** The end of each provisioning file: a simulator that delivers at once, and numbers for two questions to a person. */
const network = `
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46701740607", pool: true }
  - { number: "46701740608", pool: true }
`;

/** What a phone shows, and which place on it is tapped next. */
export interface Moment {
  readonly caption: string;
  readonly picture: Buffer;
  readonly tap?: { readonly x: number; readonly y: number; readonly label: string } | undefined;
}

export class Film {
  readonly app: WholeApp;
  readonly windows = new BrowserWindows();
  readonly portal = new PortalInBrowser(this.windows);
  readonly moments: Moment[] = [];

  private constructor(app: WholeApp) {
    this.app = app;
    this.portal.demo = { app, ...alice };
  }

  /** `companies`: that part of the provisioning file. */
  static async open(companies: string, env: Readonly<Record<string, string>> = {}): Promise<Film> {
    return new Film(await startWholeApp({ engine: 'sqlite', provisioning: companies + network, env }));
  }

  /** Plays, and writes the moments into a file; what the portal complains of makes the script fail. */
  async shoot(file: string, play: () => Promise<void>): Promise<void> {
    try {
      await play();
      const picture = await sideBySide(await this.windows.browser(), this.moments);
      writeFileSync(file, picture);
      console.log(`${file}: ${this.moments.length} moments, ${Math.ceil(picture.length / 1_000)} kB`);
      const faults = this.portal.faults();
      for (const fault of faults) console.error(fault);
      if (faults.length > 0) process.exitCode = 1;
    } finally {
      await this.windows.close();
      await this.app.close();
    }
  }

  /** Opens a simulated phone once it has got the text; resolves with what it shows, and what leaves it. */
  async openPhone(number: string, text: RegExp) {
    const page = await this.portal.visit(`/simulator?phone=${number}`, phone);
    const shown = page.getByRole('region', { name: 'The phone' });
    await shown.getByText(text).waitFor();
    // High enough for the whole phone above the navigation.
    await page.setViewportSize({ ...screen, height: 1_000 });
    return { shown, leave: () => this.portal.leave(page) };
  }
}

async function sideBySide(browser: Browser, moments: readonly Moment[]): Promise<Buffer> {
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
