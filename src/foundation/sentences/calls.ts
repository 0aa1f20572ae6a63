/** What is wrong with a call as such: its length and size, its login, its parameters and its body. */
import { constant, entry } from './entry.ts';
import { expectedInSwedish, holder, mayInSwedish, span, spanInSwedish, typeInSwedish } from './words.ts';

export const callSentences = {
  // Length of texts and passwords. The English sentences continue after the name of what is too long or too short.
  length_at_most: entry(
    { most: 30, length: 31 },
    ({ most, length }) => `must have at most ${most} characters, but has ${length}.`,
    ({ most, length }) => `Högst ${most} tecken får plats, men det är ${length}.`,
  ),
  length_exactly: entry(
    { exactly: 6, length: 5 },
    ({ exactly, length }) => `must have exactly ${exactly} characters, but has ${length}.`,
    ({ exactly, length }) => `Det ska vara ${exactly} tecken, men är ${length}.`,
  ),
  length_between: entry(
    { fewest: 1, most: 30, length: 31 },
    ({ fewest, most, length }) => `must have ${fewest} to ${most} characters, but has ${length}.`,
    ({ fewest, most, length }) => `Det ska vara ${fewest} till ${most} tecken, men är ${length}.`,
  ),
  password_too_short: entry(
    { fewest: 12 },
    ({ fewest }) => `must have at least ${fewest} characters`,
    ({ fewest }) => `Minst ${fewest} tecken behövs.`,
  ),
  password_too_long: entry(
    { most: 1_024 },
    ({ most }) => `must have at most ${most} characters`,
    ({ most }) => `Högst ${most} tecken får plats.`,
  ),

  // Settings of webhooks.
  webhook_url: entry(
    { wrong: 'must be an https:// or http:// URL' },
    ({ wrong }) => `It ${wrong}.`,
    () =>
      'Adressen ska börja med https:// eller http:// och inte ha användarnamn, lösenord eller något efter #.',
  ),
  webhook_url_forbidden: entry(
    { why: 'its address 10.0.0.1 is not on the public internet' },
    ({ why }) =>
      `The address cannot be posted to: ${why}. The operator can allow it with CARILLON_CALLBACK_ALLOW.`,
    () => 'Dit får inget skickas: adressen ligger inte på det öppna internet. Driften kan tillåta den.',
  ),
  webhook_events: entry(
    { fewest: 1 },
    ({ fewest }) => `A webhook needs at least ${fewest} event.`,
    () => 'Välj minst en händelse.',
  ),
  webhook_filter: entry(
    { of: 'statuses', contradiction: 'has statuses, which apply only to message.status' },
    ({ contradiction }) => `The webhook ${contradiction}.`,
    ({ of }) =>
      of === 'statuses'
        ? 'Status på sms går bara att välja när webhooken rapporterar hur det gick för sms.'
        : 'Händelser från jobb går inte att begränsa så. Gör en egen webhook för jobb.',
  ),

  // Alerts.
  alert_shape: entry(
    { source: 'alertmanager', needed: 'alerts', found: '“heartbeat”, “monitor”' },
    ({ source, needed, found }) =>
      `The body is not one of the source ${source}: it needs ${needed}, but has ${found || 'no fields'}.`,
    ({ source, needed, found }) =>
      `Innehållet kommer inte från källan ${source}: ${needed} behövs, men det har ${found || 'inga fält'}.`,
  ),

  group_full: entry(
    { most: 10_000 },
    ({ most }) => `A group can have at most ${most} members. Nothing was changed.`,
    ({ most }) => `En grupp har högst ${most} medlemmar. Inget ändrades.`,
  ),

  wrong_password: constant('This is not your current password.', 'Det är inte ditt nuvarande lösenord.'),
  password_missing: constant('Your current password is needed.', 'Ditt nuvarande lösenord behövs.'),
  failed_logins: entry(
    { seconds: 30 },
    ({ seconds }) =>
      `Too many failed attempts to log in to this account or from this network. Try again in ${seconds} s; API keys keep working.`,
    ({ seconds }) => `För många misslyckade försök att logga in. Försök igen om ${seconds} s.`,
  ),
  wrong_code: constant(
    'This code is wrong, or was used before. Wait for the next one.',
    'Koden är fel eller redan använd. Vänta på nästa.',
  ),
  setup_over: constant(
    'More than five minutes have passed. Start again.',
    'Det har gått mer än fem minuter. Börja om.',
  ),
  password_recently: constant(
    'For this, you must have given your password within the last ten minutes. Nothing was done.',
    'Det här kräver ditt lösenord, angivet de senaste tio minuterna. Ingenting gjordes.',
  ),
  factor_recently: constant(
    'For this, you must have given a second factor within the last ten minutes. Nothing was done.',
    'Det här kräver ditt andra steg, angivet de senaste tio minuterna. Ingenting gjordes.',
  ),
  factor_missing: constant(
    'A second factor is required. Set one up, or sign in with it. Nothing was done.',
    'Ett andra steg krävs vid inloggning. Ställ in ett, eller logga in med det. Ingenting gjordes.',
  ),
  factor_taken: constant(
    'This second factor is set up already. Nothing was changed.',
    'Det är redan inställt. Ingenting ändrades.',
  ),
  wrong_passkey: constant(
    'This passkey could not be verified. Try again.',
    'Passkeyn kunde inte verifieras. Försök igen.',
  ),
  passkeys_full: constant(
    'You have ten passkeys, the maximum. Remove one first.',
    'Du har tio passkeys, fler går inte. Ta bort en först.',
  ),
  factor_gone: constant(
    'You have no such second factor. It may have been removed already.',
    'Den finns inte längre.',
  ),
  factor_required: constant(
    'A second factor is required. Set up another one before you remove the last.',
    'Ett andra steg krävs. Ställ in ett annat innan du tar bort det sista.',
  ),
  step_over: constant(
    'More than five minutes have passed since you entered your password: sign in again.',
    'Det har gått mer än fem minuter sedan du angav ditt lösenord: logga in igen.',
  ),
  session_ended: constant(
    'The session has ended: sign in again.',
    'Du är inte inloggad längre: logga in igen.',
  ),
  link_used: constant(
    'The link has been used or is older than half an hour. An administrator of the company, or the operator (carillon user link), can create a new one.',
    'Länken har redan använts, eller är äldre än en halvtimme. En administratör i företaget, eller driften (carillon user link), gör en ny.',
  ),

  // Contents of texts and calls.
  text_parts: entry(
    { parts: 256, most: 255 },
    ({ parts, most }) => `The text needs ${parts} SMS parts; the limit is ${most}.`,
    ({ parts, most }) => `Texten behöver ${parts} delar; ${most} är det mesta.`,
  ),
  text_length: entry(
    { most: 39_015, parts: 255 },
    ({ most, parts }) =>
      `The text has more than ${most} characters, which is more than ${parts} SMS parts hold.`,
    ({ most, parts }) => `Texten har mer än ${most} tecken, vilket är mer än ${parts} delar rymmer.`,
  ),
  call_parts: entry(
    { most: 30_000 },
    ({ most }) =>
      `The call has more than ${most} SMS parts in all. Nothing was sent; spread the recipients over several calls, or send them as a batch.`,
    ({ most }) =>
      `Det är mer än ${most} delar sammanlagt. Ingenting skickades; skicka till färre på en gång, eller skicka det som ett utskick.`,
  ),
  call_recipients: entry(
    { recipients: 10_001, most: 10_000 },
    ({ recipients, most }) =>
      `The call has ${recipients} recipients; the limit is ${most}. Spread them over several calls.`,
    ({ recipients, most }) =>
      `Det är ${recipients} mottagare; högst ${most} tas emot på en gång. Skicka till färre på en gång.`,
  ),
  call_recipients_at_least: entry(
    { recipients: 10_001, most: 10_000 },
    ({ recipients, most }) =>
      `The call has at least ${recipients} recipients; the limit is ${most}. Spread them over several calls.`,
    ({ recipients, most }) =>
      `Det är minst ${recipients} mottagare; högst ${most} tas emot på en gång. Skicka till färre på en gång.`,
  ),
  batch_recipients: entry(
    { recipients: 3_001, most: 3_000 },
    ({ recipients, most }) =>
      `The batch has ${recipients} recipients; the account may have at most ${most} in a batch.`,
    ({ recipients, most }) => `Utskicket har ${recipients} mottagare; du får ha högst ${most}.`,
  ),
  body_size: entry(
    { most: '256 MiB' },
    ({ most }) => `The body is larger than the ${most} that this endpoint takes.`,
    ({ most }) => `Det är större än ${most}, som är det mesta som tas emot på en gång.`,
  ),
  parts_never: entry(
    { holder, most: 100, span, parts: 120 },
    (of) =>
      `The ${of.holder} may send ${of.most} SMS parts a ${of.span}, and this call has ${of.parts}. Nothing was sent; spread the recipients over several calls.`,
    (of) =>
      `${mayInSwedish(of.holder)} skicka ${of.most} delar ${spanInSwedish(of.span)}, och det här är ${of.parts}. Ingenting skickades; skicka till färre på en gång.`,
  ),
  parts_left: entry(
    { holder, most: 100, span, left: 20, parts: 30, seconds: 42 },
    (of) =>
      `The ${of.holder} may send ${of.most} SMS parts a ${of.span}, of which ${of.left} are left; this call has ${of.parts}. Nothing was sent; try again in ${of.seconds} s.`,
    (of) =>
      `${mayInSwedish(of.holder)} skicka ${of.most} delar ${spanInSwedish(of.span)}. ${of.left} är kvar; det här är ${of.parts}. Ingenting skickades; försök igen om ${of.seconds} s.`,
  ),

  time_past: entry(
    { time: '“2026-01-31T09:30:00Z”', now: '2026-02-01T12:00:00.000Z' },
    ({ time, now }) => `The time ${time} is in the past. It is ${now} now.`,
    ({ time, now }) => `Tiden ${time} har redan varit. Nu är det ${now}.`,
  ),
  time_far_ahead: entry(
    { time: '“2030-01-31T09:30:00Z”', days: 366, latest: '2027-02-02T12:00:00.000Z' },
    ({ time, days, latest }) => `The time ${time} is more than ${days} days ahead. The latest is ${latest}.`,
    ({ time, days, latest }) => `Tiden ${time} är mer än ${days} dagar bort. Den senaste är ${latest}.`,
  ),

  // The form of a call. English sentences that begin with a verb continue after the name of the parameter.
  wrong_type: entry(
    { wanted: 'a string', given: 'a list' },
    ({ wanted, given }) => `must be ${wanted}, but is ${given}.`,
    ({ wanted, given }) => `Det ska vara ${typeInSwedish(wanted)}, men är ${typeInSwedish(given)}.`,
  ),
  digits_only: entry(
    { most: 19, given: '“7a”' },
    ({ most, given }) => `must be 1 to ${most} digits, but is ${given}.`,
    ({ most, given }) => `Det ska vara 1 till ${most} siffror, men är ${given}.`,
  ),
  whole_number_least: entry(
    { least: 1, given: 0 as string | number },
    ({ least, given }) => `must be a whole number of at least ${least}, but is ${given}.`,
    ({ least, given }) => `Det ska vara ett heltal som är minst ${least}, men är ${typeInSwedish(given)}.`,
  ),
  whole_number_between: entry(
    { least: 1, most: 60, given: 61 as string | number },
    ({ least, most, given }) => `must be a whole number from ${least} to ${most}, but is ${given}.`,
    ({ least, most, given }) =>
      `Det ska vara ett heltal från ${least} till ${most}, men är ${typeInSwedish(given)}.`,
  ),
  one_of_words: entry(
    { words: 'en, sv', given: '“de”' },
    ({ words, given }) => `must be one of ${words}, but is ${given}.`,
    ({ words, given }) => `Det ska vara något av ${words}, men är ${given}.`,
  ),
  items_at_most: entry(
    { most: 100, items: 101 },
    ({ most, items }) => `must have at most ${most} items, but has ${items}.`,
    ({ most, items }) => `Högst ${most} får vara med, men det är ${items}.`,
  ),
  empty_limit: constant(
    'is empty. Give at least one, or leave it out.',
    'Det är tomt. Ange minst en, eller utelämna det.',
  ),
  item_of_list: entry(
    { item: 3, why: 'must have at most 30 characters, but has 31.' },
    ({ item, why }, told) => `Item ${item} ${told(why)}`,
    ({ item, why }, told) => `Nummer ${item} i listan: ${told(why)}`,
  ),
  excludes_other: entry(
    { other: 'ts' },
    ({ other }) => `and \`${other}\` exclude each other. Give only one of them.`,
    ({ other }) => `Ange det här eller \`${other}\`, inte båda.`,
  ),
  one_of_two: entry(
    { one: 'filter', other: 'filterJson' },
    ({ one, other }) => `\`${one}\` and \`${other}\` cannot be given together. Give one of them.`,
    ({ one, other }) => `Ange antingen \`${one}\` eller \`${other}\`, inte båda.`,
  ),
  boolean_word: entry(
    { given: '“perhaps”' },
    ({ given }) => `${given} is neither true (T, TRUE, Y, YES) nor false (F, FALSE, N, NO).`,
    ({ given }) => `Det ska vara sant (T, TRUE, Y, YES) eller falskt (F, FALSE, N, NO), men är ${given}.`,
  ),
  given_twice: constant(
    'is given more than once in the URL. Give it once.',
    'Det står mer än en gång i adressen. Ange det en gång.',
  ),
  given_twice_as: entry(
    { one: 'to', other: 'T' },
    ({ one, other }) =>
      `is given more than once in the URL, as \`${one}\` and as \`${other}\`. Give it once.`,
    ({ one, other }) =>
      `Det står mer än en gång i adressen, som \`${one}\` och som \`${other}\`. Ange det en gång.`,
  ),
  given_twice_in_body: entry(
    { name: 'batch' },
    ({ name }) => `The parameter \`${name}\` is given more than once in the body. Give it once.`,
    ({ name }) => `Parametern \`${name}\` står mer än en gång i anropet. Ange den en gång.`,
  ),
  unknown_name: constant('is not known here.', 'Namnet är okänt här. Ingenting gjordes.'),
  unknown_name_near: entry(
    { near: 'message' },
    ({ near }) => `is not known here: did you mean \`${near}\`?`,
    ({ near }) => `Namnet är okänt här: menade du \`${near}\`? Ingenting gjordes.`,
  ),
  only_in_body: constant('can be given in a JSON body only.', 'Det kan bara anges i JSON, inte i adressen.'),
  not_in_url: entry(
    { name: 'message' },
    ({ name }) => `is in the URL, but this call has its parameters in its JSON body. Give \`${name}\` there.`,
    ({ name }) => `Det står i adressen, men anropets parametrar anges i JSON. Ange \`${name}\` där.`,
  ),
  null_character: constant('must not contain the character U+0000.', 'Tecknet U+0000 kan inte vara med.'),
  unknown_cursor: constant(
    'Give the `next` of a previous page, or leave it out.',
    'Ange `next` från en tidigare sida, eller utelämna det.',
  ),
  idempotency_key: entry(
    { most: 255 },
    ({ most }) => `must be 1 to ${most} printable ASCII characters.`,
    ({ most }) => `Det ska vara 1 till ${most} synliga tecken i ASCII.`,
  ),
  if_match: constant(
    'must be `*`, or versions in quotation marks, separated by commas, such as `"3"`.',
    'Det ska vara `*`, eller versioner inom citattecken med komma emellan, som `"3"`.',
  ),
  if_match_unwanted: constant('is not accepted by this call.', 'Det här anropet tar inte emot det.'),
  not_one_of: entry(
    { given: '7', words: 'send, jobs' },
    ({ given, words }) => `${given} is not one of ${words}.`,
    ({ given, words }) => `${given} är inget av ${words}.`,
  ),
  not_an_act: entry(
    { given: '7' },
    ({ given }) => `${given} is not an act of the audit log.`,
    ({ given }) => `${given} är ingen händelse i loggen.`,
  ),
  not_a_month: entry(
    { given: '2027' },
    ({ given }) => `${given} is not a month. Write it as 2027-01.`,
    ({ given }) => `${given} är ingen månad. Skriv den som 2027-01.`,
  ),
  not_an_id: entry(
    { given: '7a', noun: 'batch' },
    ({ given, noun }) => `${given} is not the id of ${noun === 'SMS' ? 'an' : 'a'} ${noun}.`,
    ({ given, noun }) => `${given} är inte id för ${noun === 'SMS' ? 'ett sms' : 'ett utskick'}.`,
  ),

  // The body of a call, and what is escaped in its URL.
  json_broken: entry(
    { expected: 'a colon', line: 2, column: 7, character: 15 },
    ({ expected, line, column, character }) =>
      `The body is not valid JSON: ${expected} is expected at line ${line}, column ${column} (character ${character}).`,
    ({ expected, line, column, character }) =>
      `Det är inte giltig JSON: ${expectedInSwedish[expected] ?? expected} väntas på rad ${line}, kolumn ${column} (tecken ${character}).`,
  ),
  json_kind: entry(
    { kind: 'a list' },
    ({ kind }) => `The body must be one JSON object, but is ${kind} (line 1, column 1).`,
    ({ kind }) => `Det ska vara ett objekt i JSON, men är ${typeInSwedish(kind)} (rad 1, kolumn 1).`,
  ),
  json_not_utf8: entry(
    { byte: 17 },
    ({ byte }) =>
      `The body must be JSON in UTF-8, but byte ${byte} is not part of any UTF-8 character. Compressed bodies and other charsets are not accepted.`,
    ({ byte }) =>
      `Det ska vara JSON i UTF-8, men byte ${byte} är inte del av något tecken i UTF-8. Annat, eller komprimerat, tas inte emot.`,
  ),
  json_value_large: entry(
    { name: '`batch`', most: 1 },
    ({ name, most }) => `${name} is larger than ${most} MiB, more than any SMS needs.`,
    ({ name, most }) => `${name} är större än ${most} MiB, mer än något sms behöver.`,
  ),
  json_value_full: entry(
    { name: '`batch`', most: 10_000 },
    ({ name, most }) => `The body is not accepted: ${name} has more than ${most} values.`,
    ({ name, most }) => `Det tas inte emot: ${name} har fler än ${most} värden.`,
  ),
  json_values: constant(
    'The body is not accepted: it has more values than any call needs. Spread it over several calls.',
    'Det tas inte emot: det är fler värden än något anrop behöver. Dela upp det på flera anrop.',
  ),
  json_deep: entry(
    { name: '`batch`', most: 32 },
    ({ name, most }) => `The body is not accepted: ${name} is nested more than ${most} levels deep.`,
    ({ name, most }) => `Det tas inte emot: ${name} är mer än ${most} nivåer djupt.`,
  ),
  json_fields: entry(
    { most: 1_000 },
    ({ most }) => `The body is not accepted: it has more than ${most} fields.`,
    ({ most }) => `Det tas inte emot: det har fler än ${most} fält.`,
  ),
  escape_broken: entry(
    { written: '“%x”', character: 3 },
    ({ written, character }) =>
      `The escape ${written} at character ${character} is broken. A % must be followed by two hexadecimal digits; write a percent sign itself as %25.`,
    ({ written, character }) =>
      `Koden ${written} vid tecken ${character} är fel. Efter % ska det stå två hexadecimala siffror; själva procenttecknet skrivs %25.`,
  ),
  escape_not_utf8: entry(
    { bytes: '“%E4”', character: 3 },
    ({ bytes, character }) =>
      `The bytes ${bytes} at character ${character} are not UTF-8. Encode the text as UTF-8 first, then escape it.`,
    ({ bytes, character }) =>
      `Koderna ${bytes} vid tecken ${character} är inte UTF-8. Gör texten till UTF-8 innan den kodas.`,
  ),
  text_not_utf8: constant(
    'The text is not UTF-8. Encode it as UTF-8 first, then escape it.',
    'Texten är inte UTF-8. Gör den till UTF-8 innan den kodas.',
  ),
  in_item: entry(
    { item: 3, why: 'The text is not UTF-8.' },
    ({ item, why }, told) => `In item ${item} of the list: ${told(why)}`,
    ({ item, why }, told) => `Nummer ${item} i listan: ${told(why)}`,
  ),
  method: entry(
    { method: 'PUT', allow: 'GET, POST' },
    ({ method, allow }) => `This path does not accept ${method}. It accepts ${allow}.`,
    ({ method, allow }) => `Adressen tar inte emot ${method}. Den tar emot ${allow}.`,
  ),
  cross_site: entry(
    { why: 'It came from afar.' },
    ({ why }, told) => `The call was refused: another site’s page could have made it. ${told(why)}`,
    ({ why }, told) => `Anropet avvisades: en annan webbplats kan ha skickat det. ${told(why)}`,
  ),
  cross_site_login: entry(
    { why: 'It came from afar.' },
    ({ why }, told) => `The request carries a login, and was refused. ${told(why)}`,
    ({ why }, told) => `Anropet har en inloggning, och avvisades. ${told(why)}`,
  ),
  site_other: constant(
    'The browser sent the request on behalf of a page of another site.',
    'Webbläsaren skickade det åt en sida på en annan webbplats.',
  ),
  site_origin: constant(
    'The request’s `Origin` is not this server. Behind a proxy, the operator must set CARILLON_PUBLIC_URL to the address that users see.',
    'Dess `Origin` är inte den här servern. Bakom en proxy behöver driften sätta CARILLON_PUBLIC_URL till adressen som användarna ser.',
  ),
  site_unproven: constant(
    'The call’s `Sec-Fetch-Site` or `Origin` does not show that a page of this server made it.',
    'Varken `Sec-Fetch-Site` eller `Origin` visar att en sida på den här servern gjorde det.',
  ),
  site_form: constant(
    'The call’s `Content-Type` is one that forms use. Send application/json.',
    'Dess `Content-Type` är en typ som formulär skickar. Skicka application/json.',
  ),
  bodies_full: constant(
    'The service already has as many large bodies as it can hold. Nothing was done; try again in a moment.',
    'Servern läser redan så mycket på en gång som den rymmer. Ingenting gjordes; försök igen om en stund.',
  ),
  passwords_waiting: constant(
    'More passwords are waiting than this server can check in a second. Try again in a moment; API keys are checked at once.',
    'Fler lösenord väntar än servern hinner kontrollera på en sekund. Försök igen om en stund; API-nycklar kontrolleras genast.',
  ),
  calls_unanswered: constant(
    'Too many calls were sent on one connection without waiting for their answers. This call and those after it were not done. Send them again, fewer at a time.',
    'För många anrop skickades på en anslutning utan att vänta på svaren. Det här anropet och de som kom efter det utfördes inte. Skicka dem igen, färre åt gången.',
  ),
  pages_open: constant(
    'Too many pages are open to keep all of them up to date. Close some. This page stays as it was when it was loaded.',
    'För många sidor är öppna för att alla ska hållas uppdaterade. Stäng några. Den här sidan står kvar som den var när den laddades.',
  ),
  store_uncertain: constant(
    'The store failed while storing this call, which may or may not have been done. If it had an `Idempotency-Key`, repeat it with the same key; otherwise check what was done before you repeat it.',
    'Databasen slutade svara medan det här sparades, så det är oklart om det blev gjort. Hade anropet en `Idempotency-Key`, så gör om det med samma nyckel; se annars efter vad som blev gjort innan du gör om det.',
  ),
  reads_waiting: entry(
    { user: 4, company: 16, all: 64 },
    ({ user, company, all }) =>
      `Too many long reads are already waiting: the limits are ${user} for a user, ${company} for a company and ${all} in all. Nothing was done; wait until some of them have been answered.`,
    ({ user, company, all }) =>
      `För många långa läsningar väntar redan: gränserna är ${user} för en användare, ${company} för ett företag och ${all} sammanlagt. Ingenting gjordes; vänta tills några har fått svar.`,
  ),
  files_read: entry(
    { user: 4, company: 16 },
    ({ user, company }) =>
      `Too many files are already being read: at most ${user} of a user and ${company} of a company at a time. Nothing was done; try again when one of them has been read.`,
    ({ user, company }) =>
      `För många filer läses redan: högst ${user} från en användare och ${company} från ett företag på en gång. Ingenting gjordes; försök igen när någon har lästs.`,
  ),
} as const;
