/** What keeps an SMS, a job or an answer from being sent, and what can no longer be done about those that were. */
import { constant, entry } from './entry.ts';
import { listed, listedInSwedish, outcomesInSwedish, statusesInSwedish } from './words.ts';

export const sendingSentences = {
  // Sending and starting.
  text_empty: constant('The message text is empty.', 'Texten är tom.'),
  not_for_one_recipient: constant(
    'cannot be given for a single recipient of a batch.',
    'Det kan inte anges för en enda mottagare i ett utskick.',
  ),
  recipient_without_text: constant(
    'is missing, and there is no common message.',
    'Mottagaren har ingen text, och det finns ingen gemensam.',
  ),
  line_without_text: constant(
    'has no text after its number, and the call has no common message. Write the text after the first semicolon, or give one for all in the URL (M8).',
    'Raden har ingen text efter sitt nummer, och det finns ingen gemensam. Skriv den efter det första semikolonet, eller ange en för alla i adressen (M8).',
  ),
  line_large: entry(
    { most: 1 },
    ({ most }) => `has more than ${most} MiB, more than any SMS needs.`,
    ({ most }) => `Raden är större än ${most} MiB, mer än något sms behöver.`,
  ),
  no_route: entry(
    { recipient: '46701740699' },
    ({ recipient }) => `No route leads to ${recipient}.`,
    ({ recipient }) => `Det finns ingen väg till ${recipient}. Driften lägger till vägar.`,
  ),
  country_not_allowed: entry(
    { recipient: '46701740699', countries: 'NO, DK' },
    ({ recipient, countries }) =>
      `${recipient} is not in a country that the account may send to (${countries || 'none'}).`,
    ({ recipient, countries }) =>
      `${recipient} hör inte till ett land som du får skicka till (${countries || 'inget'}).`,
  ),
  nobody_selected: constant(
    'No SMS was queued. The address book selects nobody.',
    'Ingenting skickades. Urvalet ur adressboken är tomt.',
  ),
  nobody_with_phone: entry(
    { contacts: 3 },
    ({ contacts }) =>
      `No SMS was queued. The address book selects ${contacts} ${contacts === 1 ? 'contact, who has no phone number' : 'contacts, none of whom has a phone number'}.`,
    ({ contacts }) =>
      `Ingenting skickades. Urvalet ur adressboken är ${contacts} ${contacts === 1 ? 'person, som saknar' : 'personer, som alla saknar'} telefonnummer.`,
  ),
  only_placeholders: entry(
    { labels: '“name”', others: 2 },
    ({ labels, others }) =>
      `The message text is empty: the template has only placeholders, and no text was given for ${labels}${others === 0 ? '' : ` and ${others} more`}. Labels are case-sensitive.`,
    ({ labels, others }) =>
      `Texten är tom: mallen har bara fält, och ingen text angavs för ${labels}${others === 0 ? '' : ` och ${others} till`}. Namnen skiljer på stora och små bokstäver.`,
  ),
  flash_long: entry(
    { length: 161, most: 160 },
    ({ length, most }) =>
      `The text has ${length} characters. A flash SMS takes at most ${most}, all of the GSM 03.38 alphabet.`,
    ({ length, most }) =>
      `Texten har ${length} tecken. Ett sms som visas genast rymmer ${most}, och bara vanliga bokstäver (GSM-7).`,
  ),
  flash_characters: entry(
    { most: 160 },
    ({ most }) =>
      `The text has characters outside the GSM 03.38 alphabet. A flash SMS takes at most ${most} characters, all of that alphabet.`,
    ({ most }) =>
      `Texten har andra tecken än vanliga bokstäver (GSM-7). Ett sms som visas genast rymmer ${most} sådana.`,
  ),
  filters_given: entry(
    { filters: 2 },
    ({ filters }) =>
      `The call has ${filters} tag filters. Give at most one, whether custom, JSON or saved. Groups can be added.`,
    ({ filters }) =>
      `Det är ${filters} taggfilter. Ange högst ett, sparat eller skrivet. Grupper kan läggas till.`,
  ),
  not_for_jobs_of_type: entry(
    { parameter: 'responsegoal', type: 'Call', generic: 'GMA' },
    ({ parameter, type, generic }) =>
      `The parameter \`${parameter}\` does not apply to jobs of type ${type} (${generic}). Nothing was started.`,
    ({ parameter, type, generic }) =>
      `Parametern \`${parameter}\` gäller inte jobb av typen ${type} (${generic}). Ingenting startades.`,
  ),
  filter_with_goal: entry(
    { type: 'Call', generic: 'GMA', missing: 'responsegoal' },
    ({ type, generic, missing }) =>
      `Jobs of type ${type} (${generic}) take a new tag filter and a response goal only together. Give \`${missing}\` too. Nothing was started.`,
    ({ type, generic, missing }) =>
      `Jobb av typen ${type} (${generic}) tar ett nytt taggfilter och ett svarsmål bara tillsammans. Ange \`${missing}\` också. Ingenting startades.`,
  ),
  search_alone: constant(
    'The parameter `q` stands for one of id, to, from, name and words, so it is given without them.',
    'Parametern `q` står för något av id, to, from, name och words, och anges utan dem.',
  ),

  // Senders and address book queries.
  sender_not_listed: entry(
    { sender: 'Clinic', senders: 'Ward, 4670123' },
    ({ sender, senders }) => `The account may not send from ${sender}. Its senders are: ${senders}.`,
    ({ sender, senders }) => `Du får inte skicka från ${sender}. Dina avsändare är: ${senders}.`,
  ),
  sender_of_pool: entry(
    { sender: '46701000000' },
    ({ sender }) =>
      `${sender} is a number of the reply pool, which can’t be chosen as a sender. Use another sender, or "twoway".`,
    ({ sender }) => `${sender} är ett av numren för svar, som ingen väljer själv. Välj en annan avsändare.`,
  ),
  sender_of_another: entry(
    { sender: 'Clinic' },
    ({ sender }) => `${sender} belongs to another company. Send from a sender of your own.`,
    ({ sender }) => `${sender} tillhör ett annat företag. Välj en egen avsändare.`,
  ),
  no_pool_number: entry(
    { recipient: '46701740699' },
    ({ recipient }) => `The reply pool has no free number for a two-way SMS to ${recipient}.`,
    ({ recipient }) => `Det finns inget nummer ledigt som ${recipient} kan svara på.`,
  ),
  opted_out: entry(
    { recipient: '46701740699' },
    ({ recipient }) => `${recipient} has opted out of these messages.`,
    ({ recipient }) => `${recipient} vill inte ha sådana sms.`,
  ),
  unknown_filter: entry(
    { filter: '“Nurses”', known: '“Night”, “Day”' },
    ({ filter, known }) => `The default address book has no saved tag filter ${filter}: ${listed(known)}.`,
    ({ filter, known }) => `Adressboken har inget sparat filter ${filter}. ${listedInSwedish(known)}`,
  ),
  unknown_group: entry(
    { group: '“Ward 3”', known: '' },
    ({ group, known }) => `The default address book has no group ${group}: ${listed(known)}.`,
    ({ group, known }) => `Adressboken har ingen grupp ${group}. ${listedInSwedish(known)}`,
  ),

  // Messages, batches and runs.
  conversation_search: constant(
    'Search for a name, a number, or at least the first three digits of one.',
    'Sök efter ett namn, ett nummer, eller minst de tre första siffrorna i ett.',
  ),
  message_number_taken: entry(
    { message: '7' },
    ({ message }) =>
      `Message ${message} is sent from a pool number on which another company, or a job, will be waiting for the recipient’s answer at that time. Choose another time, or cancel the message and send it again.`,
    ({ message }) =>
      `Numret som meddelande ${message} ska komma från behövs då av någon annan för svar från samma mottagare. Välj en annan tid, eller stoppa det och skicka på nytt.`,
  ),
  texts_together: constant(
    'The texts of all recipients in `tosubst` are too long together for one call. Nothing was sent; spread the recipients over several calls.',
    'Mottagarnas texter är för långa tillsammans. Ingenting skickades; skicka till färre på en gång.',
  ),
  run_not_started: entry(
    { run: 3 },
    ({ run }) => `Run ${run} has not started yet: until it starts, it can only be cancelled.`,
    ({ run }) => `Larm ${run} har inte börjat än. Till dess går det bara att stoppa.`,
  ),
  message_with_carrier: entry(
    { message: '7' },
    ({ message }) => `Message ${message} can't be cancelled: it is being handed to the carrier right now.`,
    ({ message }) => `Det är för sent: meddelande ${message} lämnas just nu över till operatören.`,
  ),
  message_ended: entry(
    { message: '7', status: 'DELIVERED' },
    ({ message, status }) => `Message ${message} can't be cancelled: it is already ${status}.`,
    ({ message, status }) =>
      `Det är för sent: meddelande ${message} är redan skickat eller avslutat (${statusesInSwedish[status] ?? status}).`,
  ),
  message_has_changed: entry(
    { message: '7', status: 'DELIVERED' },
    ({ message, status }) => `Message ${message} is ${status} by now. Nothing was sent.`,
    ({ message, status }) =>
      `Meddelande ${message} har fått en annan status sedan dess: ${statusesInSwedish[status] ?? status}. Ingenting skickades.`,
  ),
  message_not_scheduled: entry(
    { message: '7', status: 'SENT' },
    ({ message, status }) => `Message ${message} is not waiting for a send time: it is ${status}.`,
    ({ message, status }) =>
      `Det är för sent: meddelande ${message} väntar inte längre på sin tid (${statusesInSwedish[status] ?? status}).`,
  ),
  sending_not_scheduled: constant(
    'Nothing of this sending waits for a send time any more.',
    'Det är för sent: inget av det här väntar längre på sin tid.',
  ),
  sending_number_taken: constant(
    'One of the SMS is sent from a pool number on which another company, or a job, will be waiting for the recipient’s answer at that time. Nothing was changed. Choose another time, or cancel the sending and send it again.',
    'Ett av numren som det ska komma från behövs då av någon annan för svar från samma mottagare. Inget är ändrat. Välj en annan tid, eller stoppa det och skicka på nytt.',
  ),
  message_of_run: entry(
    { message: 7, run: 3 },
    ({ message, run }) =>
      `Message ${message} belongs to run ${run} of a saved job, and only that run can send it again. Nothing was sent.`,
    ({ message, run }) =>
      `Meddelande ${message} hör till larm ${run}, och bara det kan skicka det igen. Ingenting skickades.`,
  ),
  nothing_failed: entry(
    { batch: 4 },
    ({ batch }) => `Batch ${batch} has no failed messages that can be sent again. Nothing was sent.`,
    ({ batch }) => `Inget som misslyckades i utskick ${batch} går att skicka igen. Ingenting skickades.`,
  ),
  nothing_failed_since: entry(
    { batch: 4 },
    ({ batch }) =>
      `All failed messages of batch ${batch} that can be sent again have already been sent again. Nothing was sent.`,
    ({ batch }) =>
      `Inget mer av det som misslyckades i utskick ${batch} går att skicka igen. Ingenting skickades.`,
  ),
  failed_just_resent: entry(
    { batch: 4 },
    ({ batch }) =>
      `Another call has just sent the failed messages of batch ${batch} again. This call sent nothing.`,
    ({ batch }) =>
      `Någon annan har just skickat igen det som misslyckades i utskick ${batch}. Ingenting skickades nu.`,
  ),
  run_ended: entry(
    { run: 3 },
    ({ run }) => `Run ${run} has ended.`,
    ({ run }) => `Larm ${run} är redan slut. Ingenting gjordes.`,
  ),
  run_ended_as: entry(
    { run: 3, outcome: 'filled' },
    ({ run, outcome }) => `Run ${run} has ended (${outcome}).`,
    ({ run, outcome }) =>
      `Larm ${run} är redan slut (${outcomesInSwedish[outcome] ?? outcome}). Ingenting gjordes.`,
  ),
  run_lacks_person: entry(
    { run: 3, person: '46701740620' },
    ({ run, person }) => `${person} is not one of the people of run ${run}.`,
    ({ run, person }) => `${person} är inte med i larm ${run}. Ingenting gjordes.`,
  ),
  run_lacks_comment: entry(
    { run: 3, person: '46701740620' },
    ({ run, person }) => `${person} has not commented on run ${run}.`,
    ({ run, person }) => `${person} har inte skrivit något oklart i larm ${run}. Ingenting gjordes.`,
  ),
  run_one_person: constant(
    'Only one of `phone`, `contactId` and `to` can be given.',
    'Välj antingen en person eller en grupp. Ingenting gjordes.',
  ),
  run_no_person: constant(
    'Give the `phone` or the `contactId` of one of the people.',
    'Välj en person. Ingenting gjordes.',
  ),

  // People and their numbers.
  unknown_user: entry(
    { user: '“anna”' },
    ({ user }) => `The company has no user ${user}.`,
    ({ user }) => `Företaget har ingen användare ${user}.`,
  ),
  unknown_owner: entry(
    { owner: '“night-jobs”' },
    ({ owner }) => `The company has no system user ${owner}.`,
    ({ owner }) => `Företaget har ingen systemanvändare ${owner}.`,
  ),
  unknown_job_type: entry(
    { type: '“Call”' },
    ({ type }) => `The company has no job type ${type}.`,
    ({ type }) => `Företaget har ingen jobbtyp ${type}.`,
  ),
  not_for_type: entry(
    { type: 'Call', generic: 'GMA' },
    ({ type, generic }) => `It does not apply to jobs of type ${type}, which derives from ${generic}.`,
    ({ type, generic }) => `Det gäller inte jobb av typen ${type}, som bygger på ${generic}.`,
  ),
  blind_user: entry(
    { user: '“anna”' },
    ({ user }) =>
      `The company has no user ${user} who can see this conversation: only its owner and administrators can.`,
    ({ user }) =>
      `Företaget har ingen användare ${user} som ser konversationen: det gör den som har den, och administratörer.`,
  ),
  hidden_user: entry(
    { user: '“anna”' },
    ({ user }) => `The company has no user ${user} whose messages you can see.`,
    ({ user }) => `Företaget har ingen användare ${user} vars meddelanden du ser.`,
  ),
  words_of_own: constant(
    'Words are looked for only in the SMS that you have sent yourself.',
    'Ord söks bara i sms som du själv har skickat.',
  ),
  erasure_managed: entry(
    { files: 'company.yaml' },
    ({ files }) =>
      `The provisioning file ${files} names somebody with this number, and would add this person again: remove the person from the file first.`,
    ({ files }) => `Provisioneringsfilen ${files} har någon med det här numret: ta bort den där först.`,
  ),
  no_unrouted: entry(
    { message: '“7”' },
    ({ message }) => `There is no incoming SMS ${message} that belongs to nobody.`,
    ({ message }) => `Inget sms ${message} är utan mottagare: någon kan ha hunnit före.`,
  ),
  no_simulator: constant(
    'There is no simulator carrier, and therefore no simulated phone.',
    'Det finns ingen simulerad operatör, och därför ingen simulerad telefon.',
  ),
  no_reader: constant(
    'None of your users would get what the phone writes to that number: first send the phone a two-way SMS through a simulator carrier, or give a number that you rent.',
    'Ingen får det som telefonen skriver till det numret. Skicka den först ett sms som går att svara på.',
  ),

  // Reasons why a conversation has ended.
  phone_is_name: entry(
    { phone: 'Clinic' },
    ({ phone }) => `${phone} is a name, and SMS can’t be sent to a name.`,
    ({ phone }) => `${phone} är ett namn, som det inte går att skicka sms till.`,
  ),
  number_gone: entry(
    { number: '46701000000' },
    ({ number }) => `The number ${number} no longer belongs to the user, and is not in the reply pool.`,
    ({ number }) => `Numret ${number} tillhör inte längre användaren, och är inte ett av numren för svar.`,
  ),
  number_moved: entry(
    { number: '46701000000' },
    ({ number }) =>
      `The number ${number} now belongs to another conversation with this phone. A new two-way SMS gets a number of its own.`,
    ({ number }) =>
      `Numret ${number} hör numera till en annan konversation med telefonen. Ett nytt sms som går att svara på får ett eget nummer.`,
  ),
  number_busy: entry(
    { phone: '46701740699', number: '46701000000' },
    ({ phone, number }) => `Others are now waiting for answers from ${phone} on the number ${number}.`,
    ({ phone, number }) => `Andra väntar nu på svar från ${phone} på numret ${number}.`,
  ),
  owner_cannot_send: entry(
    { user: 'anna' },
    ({ user }) => `The conversation belongs to ${user}, who can no longer send.`,
    ({ user }) => `Konversationen hör till ${user}, som inte längre får skicka.`,
  ),
} as const;
