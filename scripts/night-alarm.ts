/**
 * `tsx scripts/night-alarm.ts [PICTURE]`: plays a night alarm on two phones, the owner's and that of a nurse who is asked, from
 * the portal's front page to the record of the run. It prints the owner's taps, and makes `docs/night-alarm.png`, which shows
 * the moments side by side.
 */
import type { Locator, Page } from 'playwright-core';
import { answer } from '../test/harness/jobs.ts';
import { alice, Film, type Moment, phone, screen } from './film/film.ts';

const [, , file = 'docs/night-alarm.png'] = process.argv;

const phones = { anna: '46701740620', cleo: '46701740622', gun: '46701740626' };

/** The hospital of `docs/examples/night-alarm.yaml` with more nurses. */
const companies = `
companies:
  - name: Nordic Care
    addressBooks:
      - id: 11
        name: Staff
        contacts:
          - { id: 1, name: Anna Berg, phone: "${phones.anna}", tags: { role: nurse } }
          - { id: 2, name: Bo Ek, phone: "46701740606", tags: { role: nurse } }
          - { id: 3, name: Cleo Dahl, phone: "${phones.cleo}", tags: { role: nurse } }
          - { id: 4, name: Gun Holt, phone: "${phones.gun}", tags: { role: nurse } }
          - { id: 5, name: Ivar Juhl, phone: "46701740627", tags: { role: nurse } }
          - { id: 6, name: Eva Gran, phone: "46701740624", tags: { role: assistant } }
          - { id: 7, name: Finn Holm, phone: "46701740625", tags: { role: assistant } }
    systemUsers: [{ username: nordic-jobs }]
    users:
      - { username: alice, password: "${alice.password}", roles: [send, jobs], defaultAddressBook: Staff, systemUser: nordic-jobs }
    jobTypes: [{ name: NightCall, generic: GMA, expiryMinutes: 60, reminderMinutes: 5 }]
    savedJobs:
      - id: 72
        owner: nordic-jobs
        name: Night alarm
        type: NightCall
        message: "Ward 7 needs two nurses now. Can you come? Answer YES or NO."
        tasks: [{ tagType: role, tagValue: nurse, goal: 2, escalations: [{ afterMinutes: 10, tagFilter: "role:assistant" }] }]
`;

let taps = 0;
const film = await Film.open(companies);
const { app, portal, moments } = film;
await film.shoot(file, async () => {
  const owner = await portal.visit('/', phone);
  const run = await startAlarm(owner);
  await answerAsAnna();
  await answer(app, run, phones.gun, 'No, I am away');
  await answer(app, run, phones.cleo, 'In half an hour, is that OK?');
  await findTwo(owner);
  await seeRecord(owner);
});

/** The owner opens the saved job, sees who would be asked, and starts it. Returns the id of the run. */
async function startAlarm(owner: Page): Promise<number> {
  await tap(owner.getByRole('navigation', { name: 'Pages' }).last().getByRole('link', { name: 'Jobs' }));
  await tap(owner.getByRole('link', { name: 'Start Night alarm …' }), 'The saved jobs');
  await tap(owner.getByRole('button', { name: 'Start: ask 5 people now' }), 'Who would be asked, and when');
  await tap(owner.getByRole('button', { name: 'Start now' }), 'Ten seconds to undo, or start now');
  await owner.waitForURL(/\/runs\/\d+$/);
  await owner.getByRole('link', { name: '4 Silent' }).waitFor();
  return Number(owner.url().split('/').at(-1));
}

/** On her own phone, with taps that are not the owner's. */
async function answerAsAnna(): Promise<void> {
  const { shown: anna, leave } = await film.openPhone(phones.anna, /^Ward 7 needs/);
  await anna.getByRole('button', { name: 'Yes', exact: true }).tap();
  await anna.getByText('Night alarm: thank you, you are on.').waitFor();
  await show(anna, 'Meanwhile, on a nurse’s phone');
  await leave();
}

/** What Cleo has written is neither YES nor NO, but the owner counts it as YES. */
async function findTwo(owner: Page): Promise<void> {
  await owner.getByText('1 of 2', { exact: true }).waitFor();
  await owner.getByRole('link', { name: '1 NO', exact: true }).waitFor();
  await tap(owner.getByRole('button', { name: 'Count as YES for Cleo Dahl' }), 'The board, as answers come');
  await owner.getByText('2 of 2', { exact: true }).waitFor();
  await owner.getByText('The goal is reached.').waitFor();
  console.log(`Two nurses are found after ${taps} taps.`);
}

async function seeRecord(owner: Page): Promise<void> {
  await tap(owner.getByRole('button', { name: 'Actions …' }), 'Two nurses are found');
  const [record] = await Promise.all([
    owner.context().waitForEvent('page'),
    tap(owner.getByRole('link', { name: 'Record, to print' })),
  ]);
  await record.setViewportSize(screen);
  await record.getByRole('heading', { level: 1 }).waitFor();
  await show(record, 'The record');
}

/** A tap of the owner. With a caption, the moment before it becomes part of the film. */
async function tap(on: Locator, caption?: string): Promise<void> {
  taps += 1;
  await on.scrollIntoViewIfNeeded();
  const box = await on.boundingBox();
  if (box === null) throw new Error(`nobody can tap what is not shown: ${on}`);
  const place = { x: box.x + box.width + 5, y: box.y + box.height / 2, label: String(taps) };
  if (caption !== undefined) await show(on.page(), caption, place);
  console.log(`${taps}. ${(await on.getAttribute('aria-label')) ?? (await on.textContent())}`);
  await on.tap();
}

async function show(what: Page | Locator, caption: string, tapped?: Moment['tap']): Promise<void> {
  await what.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  moments.push({ caption, picture: await what.screenshot(), tap: tapped });
}
