/**
 * The cases that GitHub's email_reply_parser is tested with, retold in our own words: which part of an e-mail its sender has
 * just written. One of them is decided differently here: after `--` without its space there must be a name or an address.
 */
import { expect, test } from 'vitest';
import { mailOf, rawMail } from '../../../test/harness/raw-mail.ts';

const header = [
  'From: Kari Nordmann <kari@care.example>',
  'In-Reply-To: <1@care.example>',
  'Content-Type: text/plain; charset=utf-8',
];

function ownText(written: string): string {
  return mailOf(rawMail([...header, 'Content-Transfer-Encoding: 8bit'], written)).text.text;
}

const rule = '_'.repeat(47);
const footer = `${rule}
oncall mailing list
oncall@lists.care.example
https://lists.care.example/mailman/listinfo/oncall`;

const quoted = `> Who can come tonight?
>
> -Ola Nordmann
>
> ${footer.replaceAll('\n', '\n> ')}`;

test.each([
  [
    'a name behind a hyphen, and what a list puts below',
    `Pump 3 stopped.\n\n-Kari Nordmann\n\n\n${footer}`,
    'Pump 3 stopped.',
  ],
  [
    'an answer on top',
    `Thanks.\n\nI am coming.\n\n- Kari\n\nOn 01/03/11 7:07 PM, Ola Nordmann wrote:\n${quoted}\n\n\n${footer}`,
    'Thanks.\n\nI am coming.',
  ],
  [
    'an answer below',
    `Hi,\nOn Tue, 2011-03-01 at 18:02 +0530, Ola Nordmann wrote:\n${quoted}\n\nI am coming.\n\n${quoted}\n\n\n${footer}`,
    'Hi,\n\nI am coming.',
  ],
  [
    'answers between what is quoted',
    'On Tue, Apr 29, 2014 at 4:22 PM, Ola <ola@care.example>wrote:\n\n> One?\n> \n\nFirst.\n\n>\n> Two?\n>\n\nand second.\n\n>\n> -- Ola\n>\n> On Tue, April 29, 2014 at 4:21 PM, Per <per@care.example> wrote:\n> > Hi\n>\n',
    'First.\n\nand second.',
  ],
  [
    'an address without a space in front, and empty lines below',
    'Well done.\n\nOn Aug 22, 2011, at 7:37 PM, ola<reply@care.example> wrote:\n\n\n\n\n> It runs again.',
    'Well done.',
  ],
  [
    'lists of the sender',
    'One: what I have.\n\n- a first point\nthat goes on\n- a second\n\nTwo:\n- more',
    'One: what I have.\n\n- a first point\nthat goes on\n- a second\n\nTwo:\n- more',
  ],
  [
    'an introduction in three lines',
    'So do I.\n\nSent from a torch full of pixels\n\nOn Dec 16, 2011, at 12:47 PM, Ola Nordmann\n<reply@care.example>\nwrote:\n\n> Is it fixed?\n>\n> ---\n> Reply to this email directly',
    'So do I.\n\nSent from a torch full of pixels',
  ],
  [
    'line ends of Windows',
    ':+1:\r\n\r\nOn Tue, Sep 25, 2012 at 8:59 AM, Ola Nordmann\r\n<notifications@care.example>wrote:\r\n\r\n> It runs.\r\n> \r\n',
    ':+1:',
  ],
  [
    'Outlook, with a rule',
    'An answer\n\n\n ------------------------------\n\n*From:* Ola [mailto:ola@care.example]\n*Sent:* Thursday, February 09, 2012 1:36 PM\n*To:* kari@care.example\n*Subject:* Shifts\n\n\nDear all,',
    'An answer',
  ],
  [
    'Outlook, with a rule right below',
    `An answer\n${'_'.repeat(40)}\nFrom: Ola [ola@care.example]\nSent: Friday, 23 March 2012 5:08 p.m.\nTo: Kari\nSubject: [shift:106]\n\nWho comes?`,
    'An answer',
  ],
  [
    'Outlook, without a rule',
    'An answer\n\nFrom: Ola [ola@care.example]\nSent: Friday, 23 March 2012 5:08 p.m.\nTo: Kari\nSubject: Shift\n\n> Who comes?',
    'An answer',
  ],
  ['a phone', 'Here it is\n\nSent from my iPhone', 'Here it is'],
  ['a phone of several words', 'Here it is\n\nSent from my Verizon Wireless BlackBerry', 'Here it is'],
  ['a phone with a comma', 'Here it is\n\nSent from my Verizon, Samsung Galaxy smartphone', 'Here it is'],
  ['a program with a full stop', 'Here it is\n\nSent from Yahoo Mail. Get the app on Android', 'Here it is'],
  [
    'a program that praises itself',
    'Here it is\n\nSent from ProtonMail, Swiss-based encrypted email.',
    'Here it is',
  ],
  ['a Pixel', 'Here it is\n\nSent from my Pixel 7', 'Here it is'],
  [
    'a sentence that begins like a signature',
    'Here it is\n\nSent from my desk, which is easier than my mobile phone.',
    'Here it is\n\nSent from my desk, which is easier than my mobile phone.',
  ],
  [
    'news that begin like a signature',
    'Sent from my phone, the pump has stopped',
    'Sent from my phone, the pump has stopped',
  ],
  ['what somebody tells', 'Sent via email to all units at 9', 'Sent via email to all units at 9'],
  [
    'indented lists above a quotation, and a signature below it',
    'keep\n\nthis form\n\n\n   - one\n   - another\n\n\nOn Fri, Feb 24, 2012 at 10:19 AM, <examples@care.example> wrote:\n\n> Tell us\n> more\n\n\n\n-- \n\n*Kari | Ward 7*',
    'keep\n\nthis form\n\n   - one\n   - another',
  ],
  [
    'a word that begins like one that introduces',
    'One question:\n\nHere, when I call...\n\nOn Oct 1, 2012, at 11:55 PM, Ola wrote:\n\n> All is well.\n>',
    'One question:\n\nHere, when I call...',
  ],
  [
    'a first line that begins as an introduction does',
    'On your side you can call\n\n     90 12 34 56\n\nOn 9 Jan 2014, at 2:47, Ola Nordmann wrote:\n\n> How?\n> […]\n> ---',
    'On your side you can call\n\n     90 12 34 56',
  ],
  [
    'two hyphens within a line',
    'Here it is -- this is no signature.\n\nBye',
    'Here it is -- this is no signature.\n\nBye',
  ],
  [
    'hyphens within a line above a signature',
    'a correct -- signature.\n\n-- \nkari',
    'a correct -- signature.',
  ],
  ['a rule in a text', 'Pump 3\n--\nStopped', 'Pump 3\n--\nStopped'],
  [
    'a list that is left by mail',
    `Door open\n${rule}\nOn call mailing list -- oncall@care.example\nTo unsubscribe send an email to oncall-leave@care.example`,
    'Door open',
  ],
  ['a rule of the sender', `Shifts\n${rule}\nKari 9-17\nOla 17-24`, `Shifts\n${rule}\nKari 9-17\nOla 17-24`],
  ['a name that somebody tells of', 'Who comes?\n- Kari and Ola', 'Who comes?\n- Kari and Ola'],
  ['a name alone', '- Kari', '- Kari'],
  ['a temperature', 'Tonight\n-5 degrees', 'Tonight\n-5 degrees'],
])('[MAIL-4] The sender’s own text is read from a reply: %s', (_name, written, own) => {
  expect(ownText(written)).toBe(own);
});

test('[MAIL-4] Thousands of quotation signs and long lines do not slow the reading of an e-mail', () => {
  const written = `I will look.\nOn Dec 8, 2013 2:10 PM, "Ola" <ola@care.example> wrote:\n\n> ${'GATTACA_'.repeat(9_000)}\n${'>'.repeat(70_000)}`;
  expect(ownText(written)).toBe('I will look.');
});
