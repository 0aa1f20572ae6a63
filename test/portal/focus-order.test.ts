/** Every page of the portal and every dialog that its buttons open, gone through by keyboard alone. */
import { expect, test } from 'vitest';
import { describePortal } from '../harness/browser.ts';
import { KeyboardUser } from '../harness/focus-order.ts';
import { addOperator, fillPortal, visitAsOperator } from '../harness/portal-contents.ts';
import { declaredPaths, PortalWalk } from '../harness/portal-walk.ts';

/** A few less than there are. */
const leastDialogs = 40;

describePortal('the order of the focus', (portal) => {
  test('[PORT-5] Tab goes through every page and dialog as they are read, and nothing that has the focus is hidden; Escape leads back', async () => {
    await addOperator(portal);
    const links = await fillPortal(portal);
    const found: Record<string, readonly string[]> = {};
    let dialogs = 0;
    for (const kind of ['company', 'operator'] as const) {
      const page = await (kind === 'operator' ? visitAsOperator(portal, {}) : portal.visit());
      const walk = new PortalWalk(page);
      for (const link of links) walk.add(link);
      const user = new KeyboardUser(walk);
      for (const path of declaredPaths().filter(
        (one) =>
          !['/admin', '/account'].includes(one) && one.startsWith('/operator') === (kind === 'operator'),
      )) {
        if (!(await walk.go(path))) found[path] = ['no link leads to it'];
        else {
          const faults = await user.faults();
          if (faults.length > 0) found[path] = faults;
        }
      }
      dialogs += user.dialogs;
      walk.end();
      await portal.leave(page);
    }
    expect(found).toEqual({});
    // Otherwise buttons no longer open what they opened, or this test no longer finds them.
    expect(dialogs).toBeGreaterThanOrEqual(leastDialogs);
  });
});
