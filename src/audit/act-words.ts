/** What the acts of the audit log are called: a sentence without its subject, by the kind of the act. */

import type { Language } from '../foundation/language.ts';
import type { Actor } from './audit-log.ts';

type Pair = readonly [en: string, sv: string];

export const actKinds = ['signedIn', 'sent', 'changed', 'exported', 'looked'] as const;
export type ActKind = (typeof actKinds)[number];

/** A test compares the keys with all acts. */
const words: Readonly<Record<ActKind, Readonly<Record<string, Pair>>>> = {
  signedIn: {
    'session.begin': ['signed in', 'loggade in'],
    'session.end': ['signed out', 'loggade ut'],
    'password.set': ['chose a password', 'valde ett lösenord'],
    'factor.add': ['added a second factor', 'lade till ett andra steg vid inloggning'],
    'factor.remove': ['removed a second factor', 'tog bort ett andra steg vid inloggning'],
    'factor.codes': ['created new recovery codes', 'skapade nya återställningskoder'],
    'factor.reset': ['removed a user’s second factors', 'tog bort en användares andra steg vid inloggning'],
  },
  sent: {
    'message.send': ['sent SMS', 'skickade sms'],
    'batch.make': ['created a batch', 'skapade ett utskick'],
    'run.start': ['started a job', 'startade ett jobb'],
    'message.resend': ['sent a message again', 'skickade ett meddelande igen'],
    'batch.resendFailed': [
      'sent again what failed of a batch',
      'skickade om det som misslyckats i ett utskick',
    ],
    'conversation.reply': ['replied in a conversation', 'svarade i en konversation'],
    'run.tell': ['wrote to people of a job', 'skrev till personer i ett jobb'],
    'simulator.answer': ['answered from a simulated phone', 'svarade från en simulerad telefon'],
    'webhook.test': ['tested a webhook', 'testade en webhook'],
    'webhook.replay': ['had a webhook send events again', 'lät en webhook skicka händelser igen'],
  },
  changed: {
    'message.cancel': ['cancelled a message', 'stoppade ett meddelande'],
    'message.reschedule': ['moved a message to another time', 'flyttade ett meddelande till en annan tid'],
    'batch.pause': ['paused a batch', 'pausade ett utskick'],
    'batch.resume': ['resumed a batch', 'återupptog ett utskick'],
    'batch.abort': ['aborted a batch', 'stoppade ett utskick'],
    'sending.cancel': ['took back what one call sent to many', 'tog tillbaka ett sms till flera'],
    'sending.reschedule': [
      'moved what one call sends to many to another time',
      'flyttade ett sms till flera till en annan tid',
    ],
    'run.accept': ['accepted for somebody in a job', 'tackade ja för någon i ett jobb'],
    'run.decline': ['declined for somebody in a job', 'tackade nej för någon i ett jobb'],
    'run.escalate': ['had a job ask more people', 'lät ett jobb fråga fler'],
    'run.extend': ['gave a job more time', 'gav ett jobb mer tid'],
    'run.cancel': ['ended a job', 'avslutade ett jobb'],
    'template.make': ['created a template', 'skapade en mall'],
    'template.change': ['changed a template', 'ändrade en mall'],
    'template.remove': ['removed a template', 'tog bort en mall'],
    'contact.make': ['added a person', 'lade till en person'],
    'contact.change': ['changed a person', 'ändrade en person'],
    'contact.remove': ['removed a person', 'tog bort en person'],
    'contacts.import': ['imported people', 'importerade personer'],
    'contacts.undoImport': ['undid an import of people', 'ångrade en import av personer'],
    'group.make': ['created a group', 'skapade en grupp'],
    'group.change': ['changed a group', 'ändrade en grupp'],
    'group.remove': ['removed a group', 'tog bort en grupp'],
    'filter.save': ['saved a filter of people', 'sparade ett urval av personer'],
    'filter.remove': ['removed a filter of people', 'tog bort ett urval av personer'],
    'person.erase': ['asked to erase a person', 'begärde att en person raderas'],
    'person.erased': ['had a person erased', 'fick en person raderad'],
    'conversation.archive': ['archived a conversation', 'arkiverade en konversation'],
    'conversation.unarchive': [
      'took a conversation out of the archive',
      'tog fram en konversation ur arkivet',
    ],
    'conversation.assign': ['assigned a conversation', 'gav en konversation till någon'],
    'incoming.assign': ['gave an SMS to a user', 'gav ett sms till en användare'],
    'incoming.look': ['read unclaimed SMS', 'läste sms utan mottagare'],
    'receipt.look': ['read receipts', 'läste leveranskvitton'],
    'carrier.test': ['tried a carrier with an SMS', 'provade en operatör med ett sms'],
    'job.make': ['created a saved job', 'skapade ett sparat jobb'],
    'job.change': ['changed a saved job', 'ändrade ett sparat jobb'],
    'job.remove': ['removed a saved job', 'tog bort ett sparat jobb'],
    'jobtype.make': ['created a job type', 'skapade en jobbtyp'],
    'jobtype.change': ['changed a job type', 'ändrade en jobbtyp'],
    'jobtype.remove': ['removed a job type', 'tog bort en jobbtyp'],
    'systemuser.make': ['created an owner of saved jobs', 'skapade en ägare av sparade jobb'],
    'systemuser.change': ['changed an owner of saved jobs', 'ändrade en ägare av sparade jobb'],
    'systemuser.remove': ['removed an owner of saved jobs', 'tog bort en ägare av sparade jobb'],
    'addressbook.make': ['created an address book', 'skapade en adressbok'],
    'addressbook.change': ['changed an address book', 'ändrade en adressbok'],
    'addressbook.empty': ['removed everybody from an address book', 'tog bort alla ur en adressbok'],
    'addressbook.remove': ['removed an address book', 'tog bort en adressbok'],
    'company.change': ['changed the company’s settings', 'ändrade företagets inställningar'],
    'number.give': ['gave a number to a user', 'gav ett nummer till en användare'],
    'user.make': ['created a user', 'skapade en användare'],
    'user.change': ['changed a user', 'ändrade en användare'],
    'user.activate': ['opened a user’s account', 'öppnade en användares konto'],
    'user.deactivate': ['closed a user’s account', 'stängde en användares konto'],
    'user.remove': ['removed a user', 'tog bort en användare'],
    'user.release': [
      'released a user from identity providers',
      'kopplade loss en användare från inloggningstjänster',
    ],
    'user.link': ['made a sign-in link for a user', 'gjorde en inloggningslänk till en användare'],
    'apikey.make': ['created an API key', 'skapade en API-nyckel'],
    'apikey.revoke': ['revoked an API key', 'spärrade en API-nyckel'],
    'apikey.expire': ['set when an API key ends', 'bestämde när en API-nyckel går ut'],
    'apikey.limit': ['changed what an API key may do', 'ändrade vad en API-nyckel får göra'],
    'email.sender.make': ['added an e-mail sender', 'lade till en e-postavsändare'],
    'email.sender.change': ['changed an e-mail sender', 'ändrade en e-postavsändare'],
    'email.sender.remove': ['removed an e-mail sender', 'tog bort en e-postavsändare'],
    'email.defaults.change': [
      'changed the defaults of e-mail senders',
      'ändrade förvalen för e-postavsändare',
    ],
    'optout.add': ['added an opt-out', 'lade till en avanmälan'],
    'optout.remove': ['removed an opt-out', 'tog bort en avanmälan'],
    'optout.settle': ['decided whether an SMS opts out', 'avgjorde om ett sms är en avanmälan'],
    'alertreceiver.make': ['created an alert receiver', 'skapade en larmmottagare'],
    'alertreceiver.change': ['changed an alert receiver', 'ändrade en larmmottagare'],
    'alertreceiver.remove': ['removed an alert receiver', 'tog bort en larmmottagare'],
    'incident.end': ['ended an alert', 'avslutade ett larm'],
    'webhook.make': ['created a webhook', 'skapade en webhook'],
    'webhook.change': ['changed a webhook', 'ändrade en webhook'],
    'webhook.rotate': ['changed the secret of a webhook', 'bytte hemlighet för en webhook'],
    'webhook.remove': ['removed a webhook', 'tog bort en webhook'],
    'webhook.enable': ['switched a webhook on', 'slog på en webhook'],
    'webhook.disable': ['switched a webhook off', 'stängde av en webhook'],
  },
  exported: {
    'message.export': ['exported messages', 'exporterade meddelanden'],
    'contacts.export': ['exported an address book', 'exporterade en adressbok'],
    'run.export': ['exported the record of a job', 'exporterade journalen över ett jobb'],
    'email.sender.export': ['exported the e-mail senders', 'exporterade e-postavsändarna'],
    'optout.export': ['exported the opt-outs', 'exporterade avanmälningarna'],
    'person.export': ['exported everything about a person', 'exporterade allt om en person'],
    'audit.export': ['exported the audit log', 'exporterade granskningsloggen'],
  },
  looked: {
    'company.look': ['looked at the company', 'tittade på företaget'],
    'message.read': ['looked at a message', 'tittade på ett meddelande'],
    'sending.look': ['looked at what was sent to many', 'tittade på ett sms till flera'],
    'batch.look': ['looked at a batch', 'tittade på ett utskick'],
    'conversation.look': ['looked at a conversation', 'tittade på en konversation'],
    'conversation.read': ['marked a conversation as read', 'markerade en konversation som läst'],
    'webhook.look': ['looked at what a webhook posted', 'tittade på det en webhook skickat'],
  },
};

export function actsOf(kind: ActKind): readonly string[] {
  return Object.keys(words[kind]);
}

/** The acts of a kind, each with its words. */
export function wordsOfActs(
  kind: ActKind,
  language: Language,
): readonly { readonly act: string; readonly words: string }[] {
  return Object.entries(words[kind]).map(([act, [en, sv]]) => ({ act, words: language === 'sv' ? sv : en }));
}

/** An act that only another server version knows is shown by its code. */
export function wordsOfAct(act: string, language: Language): string {
  const [en, sv] = actKinds.map((kind) => words[kind][act]).find((pair) => pair !== undefined) ?? [act, act];
  return language === 'sv' ? sv : en;
}

export const channelsInSwedish: Readonly<Record<Actor['channel'], string>> = {
  api: 'ett program',
  portal: 'portalen',
  command: 'ett kommando',
  operator: 'driften',
};

export function isActKind(text: string): text is ActKind {
  return (actKinds as readonly string[]).includes(text);
}
