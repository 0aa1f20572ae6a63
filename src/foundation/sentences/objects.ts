/** What a call names or changes and cannot: it is not there, belongs to others, is in use, or does not go together. */
import { constant, entry } from './entry.ts';
import { markInSwedish, nounsInSwedish, placesInSwedish, rightsInSwedish } from './words.ts';

export const objectSentences = {
  // What a call names.
  none_such: entry(
    { noun: 'message', id: 7 as string | number },
    ({ noun, id }) => `There is no ${noun} ${id}.`,
    ({ noun, id }) => `Det finns ${nounsInSwedish[noun]?.none ?? noun} ${id}.`,
  ),
  none_seen: entry(
    { noun: 'run', id: 7 as string | number },
    ({ noun, id }) => `There is no ${noun} ${id} that you may see.`,
    ({ noun, id }) => `Det finns ${nounsInSwedish[noun]?.none ?? noun} ${id} som du får se.`,
  ),
  none_in_place: entry(
    { noun: 'group', id: '“Ward 3”', place: 'in the address book' },
    ({ noun, id, place }) => `There is no ${noun} ${id} ${place}.`,
    ({ noun, id, place }) =>
      `Det finns ${nounsInSwedish[noun]?.none ?? noun} ${id} ${placesInSwedish[place] ?? place}.`,
  ),
  none_of_version: entry(
    { noun: 'template', id: '1001', version: 3 },
    ({ noun, id, version }) => `There is no version ${version} of the ${noun} ${id}.`,
    ({ noun, id, version }) =>
      `Det finns ingen version ${version} av ${nounsInSwedish[noun]?.the ?? noun} ${id}.`,
  ),
  no_import: entry(
    { id: '7' },
    ({ id }) => `The address book has no import ${id} from the last 24 hours.`,
    ({ id }) => `Adressboken har ingen import ${id} från det senaste dygnet.`,
  ),
  no_sender_entry: entry(
    { email: 'anna@care.example' },
    ({ email }) => `There is no entry for ${email}. Nothing was removed.`,
    ({ email }) => `Listan har ingen post för ${email}. Ingenting togs bort.`,
  ),
  no_template: entry(
    { template: '1001' },
    ({ template }) => `The company has no template ${template}. Nothing was sent.`,
    ({ template }) => `Företaget har ingen mall ${template}. Ingenting skickades.`,
  ),
  no_startable_job: entry(
    { job: '71' },
    ({ job }) => `There is no saved job ${job} that the account may start.`,
    ({ job }) => `Det finns inget jobb ${job} som du får starta.`,
  ),
  changed_by_other: entry(
    { noun: 'group', id: '“Ward 3”' },
    ({ noun, id }) =>
      `The ${noun} ${id} was changed by someone else. Reload it and try again. Nothing was changed.`,
    ({ noun, id }) =>
      `Någon annan har ändrat ${nounsInSwedish[noun]?.the ?? noun} ${id}. Ladda om och försök igen. Ingenting ändrades.`,
  ),
  number_given_away: entry(
    { number: '46701740605', user: 'anna' },
    ({ number, user }) => `The number ${number} was given to ${user} by someone else. Nothing was changed.`,
    ({ number, user }) => `Någon annan har gett numret ${number} till ${user}. Ingenting ändrades.`,
  ),
  message_rescheduled: entry(
    { message: '7' },
    ({ message }) => `Message ${message} was rescheduled after it was shown. Reload it and try again.`,
    ({ message }) =>
      `Meddelande ${message} har fått en annan tid sedan det visades. Ladda om och försök igen.`,
  ),
  managed: entry(
    { what: 'the group “Ward 3”' },
    ({ what }, told) =>
      `A provisioning file manages ${told(what)}, which can only be changed there. Nothing was changed.`,
    ({ what }, told) => `Det är driften som bestämmer ${told(what)}, i en fil. Ingenting ändrades.`,
  ),
  managed_object: entry(
    { noun: 'group', id: '“Ward 3”' },
    ({ noun, id }) => `the ${noun} ${id}`,
    ({ noun, id }) => `${nounsInSwedish[noun]?.the ?? noun} ${id}`,
  ),
  managed_field: entry(
    { field: 'name', noun: 'group', id: '“Ward 3”' },
    ({ field, noun, id }) => `the field \`${field}\` of the ${noun} ${id}`,
    ({ field, noun, id }) => `fältet \`${field}\` för ${nounsInSwedish[noun]?.the ?? noun} ${id}`,
  ),
  managed_setting: entry(
    { field: 'language' },
    ({ field }) => `the setting \`${field}\` of the company`,
    ({ field }) => `företagets inställning \`${field}\``,
  ),
  managed_default: entry(
    { field: 'sender' },
    ({ field }) => `the default for \`${field}\``,
    ({ field }) => `vad som är förvalt för \`${field}\``,
  ),
  managed_password: constant('your password', 'ditt lösenord'),
  managed_renter: entry(
    { number: '46701740605' },
    ({ number }) => `who rents the number ${number}`,
    ({ number }) => `vem som hyr numret ${number}`,
  ),
  managed_readers: entry(
    { users: 'anna, bo', book: '“Staff”' },
    ({ users, book }) => `the right of ${users} to read ${book}`,
    ({ users, book }) => `att ${users} får läsa ${book}`,
  ),
  managed_books: entry(
    { user: '“anna”' },
    ({ user }) => `which address books ${user} may read`,
    ({ user }) => `vilka adressböcker ${user} får läsa`,
  ),
  managed_default_book: entry(
    { user: '“anna”' },
    ({ user }) => `the default address book of ${user}`,
    ({ user }) => `förvald adressbok för ${user}`,
  ),
  name_elsewhere: entry(
    { name: '“anna”' },
    ({ name }) => `The name ${name} is already taken, in this company or another. Choose another name.`,
    ({ name }) => `Namnet ${name} är upptaget, i det här företaget eller ett annat. Välj ett annat namn.`,
  ),
  key_name_taken: entry(
    { name: '“crm”' },
    ({ name }) =>
      `You already have an API key named ${name}, or had one that was revoked. Choose another name.`,
    ({ name }) =>
      `Du har redan en API-nyckel som heter ${name}, eller har haft en som spärrades. Välj ett annat namn.`,
  ),
  keys_full: entry(
    { most: 100 },
    ({ most }) => `You have ${most} API keys, the limit for an account; revoked and expired keys count too.`,
    ({ most }) => `Du har ${most} API-nycklar, och fler får man inte ha; spärrade och utgångna räknas också.`,
  ),
  users_full: entry(
    { most: 10_000 },
    ({ most }) => `The company has ${most} users, the maximum that API calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} användare, och fler får inte plats. Ta bort någon först.`,
  ),
  paused_full: entry(
    { most: 100 },
    ({ most }) => `The company has ${most} paused batches. Resume or abort one of them first.`,
    ({ most }) => `Företaget har ${most} pausade utskick. Återuppta eller stoppa något av dem först.`,
  ),
  webhook_name: entry(
    { name: '“crm”' },
    ({ name }) => `The company already has a webhook ${name}.`,
    ({ name }) => `Företaget har redan en webhook ${name}.`,
  ),
  callback_urls_full: entry(
    { most: 50, own: 10 },
    ({ most, own }) =>
      `The calls of a company can name at most ${most} callback URLs, and those of a user at most ${own}. Remove one of them among the webhooks, or use one that you have already used. Nothing was sent.`,
    ({ most, own }) =>
      `Ett företags anrop kan ange högst ${most} olika adresser för rapporter, och en användares högst ${own}. Ta bort någon av dem bland webhookarna, eller använd en som du redan har använt. Ingenting skickades.`,
  ),
  webhooks_full: entry(
    { most: 50, own: 10 },
    ({ most, own }) => `A company can have at most ${most} webhooks, and a user can create at most ${own}.`,
    ({ most, own }) =>
      `Ett företag kan ha högst ${most} webhookar, och en användare kan lägga upp högst ${own}.`,
  ),
  webhook_disabled: entry(
    { webhook: 'crm' },
    ({ webhook }) => `Nothing is posted to the webhook ${webhook}: it is disabled. No test was sent.`,
    ({ webhook }) => `Inget skickas till webhooken ${webhook}: den är avstängd. Inget test skickades.`,
  ),
  webhook_inactive: entry(
    { webhook: 'crm' },
    ({ webhook }) => `Nothing is posted to the webhook ${webhook}: it is not active. No test was sent.`,
    ({ webhook }) => `Inget skickas till webhooken ${webhook}: den är inte aktiv. Inget test skickades.`,
  ),
  callback_of: entry(
    { owner: '“night-jobs”' },
    ({ owner }) => `It is the callback of ${owner}. Nothing was changed.`,
    ({ owner }) => `Det är återrapporten för ${owner}, som ändras på ägarens sida. Ingenting ändrades.`,
  ),
  role_missing: entry(
    { roles: 'send', user: 'anna' },
    ({ roles, user }) =>
      `This call requires the role ${roles.replaceAll(', ', ' or ')}, which the account ${user} does not have. An administrator of the company, or the operator, can give it.`,
    ({ roles, user }) =>
      `Det här kräver rollen ${roles.replaceAll(', ', ' eller ')}, som ${user} saknar. En administratör i företaget, eller driften, kan ge den.`,
  ),
  scope_missing: entry(
    { scope: 'send' },
    ({ scope }) =>
      `This call requires the scope ${scope}, which the API key does not have. Its user, or an administrator of the company, can give it.`,
    ({ scope }) =>
      `Det här kräver behörigheten ${scope}, som API-nyckeln saknar. Nyckelns användare, eller en administratör i företaget, kan ge den.`,
  ),
  key_network: entry(
    { address: '192.0.2.7' },
    ({ address }) =>
      `The API key is not accepted from ${address}. Its user, or an administrator of the company, can change from which networks it is.`,
    ({ address }) =>
      `API-nyckeln gäller inte från ${address}. Nyckelns användare, eller en administratör i företaget, kan ändra från vilka nät den gäller.`,
  ),
  key_expired: constant(
    'The API key has expired. Its user, or an administrator of the company, can set a later end.',
    'API-nyckeln har gått ut. Nyckelns användare, eller en administratör i företaget, kan sätta ett senare slut.',
  ),
  last_administrator: entry(
    { user: 'anna' },
    ({ user }) =>
      `The user ${user} is the last active administrator of the company. Appoint another one first. Nothing was changed.`,
    ({ user }) =>
      `Användaren ${user} är företagets enda aktiva administratör. Utse en till först. Ingenting ändrades.`,
  ),
  user_needed: entry(
    { needs: 'it pays for senders', others: 2 },
    ({ needs, others }) =>
      `The user is still needed: ${needs}${others === 0 ? '' : `; and ${others} more`}. Nothing was removed.`,
    ({ needs, others }) =>
      `Användaren behövs än: ”${needs}”${others === 0 ? '' : ` och ${others} till`}. Ingenting togs bort.`,
  ),
  beyond_own_rights: entry(
    { held: 'your roles are send' },
    ({ held }, told) =>
      `You cannot grant more rights than you have yourself: ${told(held)}. Nothing was changed.`,
    ({ held }, told) => `Du kan inte ge någon mer än du har själv: ${told(held)}. Ingenting ändrades.`,
  ),
  own_roles: entry(
    { roles: 'send, jobs' },
    ({ roles }) => `your roles are ${roles}`,
    ({ roles }) => `dina roller är ${roles}`,
  ),
  own_limit: entry(
    { most: 100 as number | string, of: 'SMS parts per day' },
    ({ most, of }) => `your limit is ${most} ${of}`,
    ({ most, of }) => `din gräns är ${most} ${rightsInSwedish[of] ?? of}`,
  ),
  own_list: entry(
    { of: 'countries', list: 'SE, NO' },
    ({ of, list }) => (list === '' ? `you have no ${of}` : `your ${of} are ${list}`),
    ({ of, list }) =>
      list === ''
        ? `du har inga ${rightsInSwedish[of] ?? of}`
        : `dina ${rightsInSwedish[of] ?? of} är ${list}`,
  ),
  own_mail: constant(
    'you do not get receipts and answers by mail',
    'du får inte kvitton och svar som e-post',
  ),
  other_session: entry(
    { user: 'anna' },
    ({ user }) =>
      `This page was loaded for another user; this browser has since signed in as ${user}. Reload the page. Nothing was done.`,
    ({ user }) =>
      `Sidan laddades för någon annan; i webbläsaren är nu ${user} inloggad. Ladda om sidan. Ingenting gjordes.`,
  ),
  sender_listed_elsewhere: entry(
    { sender: 'anna@care.example' },
    ({ sender }) => `The sender ${sender} is on the list of another company. Nothing was changed.`,
    ({ sender }) => `Avsändaren ${sender} finns på ett annat företags lista. Ingenting ändrades.`,
  ),
  sender_entries_full: entry(
    { most: 10_000 },
    ({ most }) =>
      `The company has ${most} e-mail senders, the maximum that calls can create. Remove some, or replace the addresses of a domain by one entry for the whole domain (@domain).`,
    ({ most }) =>
      `Företaget har ${most} e-postavsändare, och fler får inte plats. Ta bort någon, eller ersätt adresserna i en domän med en post för hela domänen (@domän).`,
  ),
  payer_unfit: entry(
    { user: '“anna”', why: 'is odd' },
    ({ user, why }, told) => `The paying user ${user} ${told(why)}.`,
    ({ user, why }, told) => `Den som betalar, ${user}, ${told(why)}.`,
  ),
  default_payer_unfit: entry(
    { user: '“anna”', why: 'is odd' },
    ({ user, why }, told) => `The default paying user ${user} ${told(why)}. Give another in \`payinguser\`.`,
    ({ user, why }, told) => `Den som är förvald att betala, ${user}, ${told(why)}. Ange någon annan.`,
  ),
  payer_inactive: constant('is not active', 'är inte aktiv'),
  payer_without_role: constant(
    'may not send SMS: it lacks the role `send`',
    'får inte skicka sms: rollen `send` saknas',
  ),
  payer_unknown: constant(
    'is not a user of the company, neither by id nor by name',
    'är inte en användare i företaget, varken som id eller namn',
  ),
  payer_without_split: entry(
    { user: 'anna' },
    ({ user }) =>
      `This needs the setting SMTPSPLIT, which the paying user ${user} does not have. Give another paying user, or set \`splitCallback\` to false.`,
    ({ user }) =>
      `Det här kräver inställningen SMTPSPLIT, som betalaren ${user} saknar. Ange någon annan, eller välj bort kvitton och svar som e-post.`,
  ),
  default_split: entry(
    { user: 'anna' },
    ({ user }) =>
      `The default of the company for \`splitCallback\` needs the setting SMTPSPLIT, which the paying user ${user} does not have. Give another paying user, or set \`splitCallback\` to false.`,
    ({ user }) =>
      `Företaget har förvalt att kvitton och svar går tillbaka som e-post, vilket kräver inställningen SMTPSPLIT. Den saknar betalaren ${user}. Ange någon annan, eller välj bort det.`,
  ),

  // Names and form contents. The first four English sentences continue after the field's name.
  name_blank: constant('must not be blank.', 'Ett namn behövs.'),
  name_of_dots: constant('must not be `.` or `..`.', 'Bara en eller två punkter kan inte vara ett namn.'),
  control_characters: constant(
    'must not contain control characters.',
    'Radbrytningar, tabbar och andra styrtecken kan inte vara med.',
  ),
  email_form: constant(
    'must be an e-mail address such as anna@care.example.',
    'Ange en e-postadress, som anna@care.example.',
  ),
  name_exists: entry(
    { noun: 'a group', name: '“Ward 3”', place: 'in the address book' },
    ({ noun, name, place }) => `There is already ${noun} ${name} ${place}. Nothing was changed.`,
    ({ name }) => `Upptaget: ${name} finns redan. Ingenting ändrades.`,
  ),
  username_form: constant(
    'A user name must not contain colons or control characters, or begin or end with a space.',
    'Ett användarnamn har inget kolon, inga styrtecken och inget mellanslag först eller sist.',
  ),
  system_id_form: entry(
    { most: 15 },
    ({ most }) => `must have 1 to ${most} ASCII characters, without spaces and colons.`,
    ({ most }) => `Ange 1 till ${most} ASCII-tecken, utan mellanslag och kolon.`,
  ),
  no_smpp_login: entry(
    { user: 'anna' },
    ({ user }) => `The user ${user} has no SMPP login. Give the user one first.`,
    ({ user }) => `Användaren ${user} har ingen SMPP-inloggning. Lägg upp en först.`,
  ),
  unknown_country: entry(
    { country: '“SX1”' },
    ({ country }) =>
      `No country with phone numbers has the code ${country}. Give a code such as SE (ISO 3166).`,
    ({ country }) => `Det finns ingen landskod ${country}. En sådan har två bokstäver, som SE.`,
  ),
  no_countries: constant(
    'Name at least one country, or clear the list.',
    'Ange minst ett land, eller ta bort begränsningen.',
  ),
  default_sender_not_listed: entry(
    { sender: '“Clinic”' },
    ({ sender }) => `The sender ${sender} is not among those that the user may send from.`,
    ({ sender }) => `Avsändaren ${sender} är inte bland dem som användaren får skicka från.`,
  ),
  default_book_not_listed: entry(
    { book: '“Staff”' },
    ({ book }) => `The address book ${book} is not among those that the user may read.`,
    ({ book }) => `Adressboken ${book} är inte bland dem som användaren får läsa.`,
  ),
  company_sender_not_listed: entry(
    { sender: '“Clinic”' },
    ({ sender }) => `The sender ${sender} is not among those that the company may send from.`,
    ({ sender }) => `Avsändaren ${sender} är inte bland dem som företaget får skicka från.`,
  ),
  hours_incomplete: constant(
    'Send hours need a beginning, an end and a time zone.',
    'Sändningstiderna behöver en början, ett slut och en tidszon.',
  ),
  cost_center_code: entry(
    { code: '“4711”' },
    ({ code }) =>
      `The cost centre ${code} needs a code that is in the list only once, without a semicolon, and a name, each on one line.`,
    ({ code }) =>
      `Kostnadsstället ${code} behöver en kod som står i listan bara en gång, utan semikolon, och ett namn, båda på en rad.`,
  ),
  hours_empty: constant(
    'Send hours must not end at the time at which they begin. Clear the beginning to send at all hours.',
    'Slutet måste vara en annan tid än början. Välj dygnet runt om det inte ska finnas någon gräns.',
  ),
  time_of_day: entry(
    { time: '“7”' },
    ({ time }) => `A time from 00:00 to 23:59 is needed, such as 07:00, but this is ${time}.`,
    ({ time }) => `Det ska vara ett klockslag som 07:00, men är ${time}.`,
  ),
  unknown_zone: entry(
    { zone: '“Stockholm”' },
    ({ zone }) => `No time zone has the name ${zone}. Give one such as Europe/Stockholm.`,
    ({ zone }) => `Det finns ingen tidszon ${zone}. Ange en som Europe/Stockholm.`,
  ),
  no_rented_number: entry(
    { number: '“46701740605”' },
    ({ number }) => `No user of the company rents a number ${number}.`,
    ({ number }) => `Ingen användare i företaget hyr numret ${number}.`,
  ),
  no_carrier: entry(
    { name: '“op1”' },
    ({ name }) => `There is no carrier ${name}.`,
    ({ name }) => `Det finns ingen operatör ${name}.`,
  ),
  too_many_tests: entry(
    { minute: '5', day: '50' },
    ({ minute, day }) =>
      `At most ${minute} test SMS are sent in a minute, and ${day} in a day. Nothing was sent. Try again later.`,
    ({ minute, day }) =>
      `Högst ${minute} test-sms skickas på en minut och ${day} på ett dygn. Inget skickades. Försök igen senare.`,
  ),
  test_too_long: constant(
    'A test is one SMS: at most 160 characters, or 70 if some are not in the GSM alphabet.',
    'Ett test är ett enda sms: högst 160 tecken, eller 70 om något av dem inte finns i GSM-alfabetet.',
  ),
  no_account: entry(
    { user: '“anna”' },
    ({ user }) => `No company has a user ${user}.`,
    ({ user }) => `Inget företag har någon användare ${user}.`,
  ),
  user_inactive: entry(
    { user: 'anna' },
    ({ user }) => `The user ${user} is not active, and can't sign in.`,
    ({ user }) => `Användaren ${user} är inte aktiv, och kan inte logga in.`,
  ),
  domain_not_allowed: entry(
    { domain: 'care.example', endings: 'clinic.example' },
    ({ domain, endings }) =>
      `The domain ${domain} is not allowed. ${endings === '' ? 'The company has no allowed domain endings yet; its operator sets them.' : `Only domains that end with ${endings} are allowed.`}`,
    ({ domain, endings }) =>
      `Domänen ${domain} är inte öppen för företaget. ${endings === '' ? 'Driften har inte öppnat någon än.' : `Öppna är domäner som slutar på ${endings}.`}`,
  ),
  country_code_form: entry(
    { code: '046' },
    ({ code }) => `${code} is not a country code, which has 1 to 4 digits and does not begin with 0.`,
    ({ code }) => `${code} är inte ett landsnummer. Ett sådant har 1 till 4 siffror och börjar inte med 0.`,
  ),
  no_paying_user: constant(
    'The parameter `payinguser` is missing, and the company has no default for it.',
    'Ange vem som betalar: företaget har ingen förvald.',
  ),
  label_length: entry(
    { most: 100, label: '“first name…”' },
    ({ most, label }) => `A label can have at most ${most} characters, but ${label} has more.`,
    ({ most, label }) => `Namnet på ett fält har högst ${most} tecken, men ${label} har fler.`,
  ),

  // Contacts, groups and their files.
  contact_without_key: constant(
    'A contact needs a phone number, an e-mail address or an id from your own lists, so that it can be recognised. Add at least one of them.',
    'En person behöver ett telefonnummer, en e-postadress eller ett eget id. Fyll i minst ett av dem.',
  ),
  contact_exists: entry(
    { by: 'Anna Berg', what: 'phone 46701740699' },
    ({ by, what }) =>
      `${by} already has the ${what}. People may share a phone number if each of them has an id from your own lists. Nothing was changed.`,
    ({ by, what }) =>
      `${by} har redan ${markInSwedish(what)}. De som delar nummer behöver var sitt id. Ingenting ändrades.`,
  ),
  member_without_key: constant(
    'A member of a group needs a phone number or an id from your own lists. Add one to the contact first. Nothing was changed.',
    'Den som är med i en grupp behöver ett telefonnummer eller ett eget id. Lägg till det först. Ingenting ändrades.',
  ),
  book_has_contacts: entry(
    { contacts: 40 },
    ({ contacts }) =>
      `The address book has ${contacts} ${contacts === 1 ? 'contact' : 'contacts'}. Give \`withContacts\` to remove them too. Nothing was removed.`,
    ({ contacts }) =>
      `Adressboken har ${contacts} ${contacts === 1 ? 'person' : 'personer'}. Ingenting togs bort.`,
  ),
  book_has_many_contacts: entry(
    { most: 10_000 },
    ({ most }) =>
      `The address book has more than ${most} contacts. Give \`withContacts\` to remove them too. Nothing was removed.`,
    ({ most }) => `Adressboken har fler än ${most} personer. Ingenting togs bort.`,
  ),
  book_is_default: entry(
    { users: 'anna, bo' },
    ({ users }) =>
      `It is the default address book of ${users}, in which their filters, groups and saved jobs are looked up. Give them another default first. Nothing was removed.`,
    ({ users }) =>
      `Den är förvald för ${users}, vars filter, grupper och sparade jobb söks där. Välj en annan åt dem först. Ingenting togs bort.`,
  ),
  book_in_file: entry(
    { users: 'anna, bo' },
    ({ users }) =>
      `The provisioning file lets ${users} read the address book: only the operator can end that, in the file. Nothing was removed.`,
    ({ users }) => `Driften har bestämt att ${users} ska läsa adressboken. Ingenting togs bort.`,
  ),
  default_of_reader: entry(
    { user: '“anna”' },
    ({ user }) =>
      `It can't be the default address book of ${user}, who may not read it. Nothing was changed.`,
    ({ user }) => `Den kan inte vara förvald för ${user}, som inte får läsa den. Ingenting ändrades.`,
  ),
  too_many_books: entry(
    { most: 200 },
    ({ most }) => `The company has ${most} address books, the maximum that calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} adressböcker, och fler får inte plats. Ta bort någon först.`,
  ),
  too_many_jobs: entry(
    { most: 500 },
    ({ most }) => `The company has ${most} saved jobs, the maximum that calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} sparade jobb, och fler får inte plats. Ta bort något först.`,
  ),
  too_many_receivers: entry(
    { most: 100 },
    ({ most }) => `The company has ${most} alert receivers, the maximum. Remove one first.`,
    ({ most }) => `Företaget har redan ${most} larmmottagare, och fler får inte plats. Ta bort någon först.`,
  ),
  receiver_role: entry(
    { user: '“alice”', role: 'jobs' },
    ({ user, role }) => `The user ${user} needs the role ${role} for this.`,
    ({ user, role }) => `Användaren ${user} behöver rollen ${role} för det.`,
  ),
  receiver_action: constant(
    'A receiver needs either `start`, the id of a saved job, or `send`, those who get an SMS.',
    'Välj antingen ett sparat jobb som startas eller vilka som får sms.',
  ),
  receiver_nobody: constant(
    'An SMS needs somebody to go to: give `numbers`, `tagFilter` or `groups`.',
    'Välj vilka som får sms: nummer, taggar eller grupper.',
  ),
  receiver_unacknowledged: constant(
    'Uptime Kuma takes no acknowledgements.',
    'Uptime Kuma tar inte emot några kvittenser.',
  ),
  receiver_pointers: constant(
    'Only the source `generic` has pointers.',
    'Pekare finns bara för egna källor.',
  ),
  incident_over: entry(
    { incident: 1001 as string | number },
    ({ incident }) => `The incident ${incident} has ended. Nothing was changed.`,
    ({ incident }) => `Larmet ${incident} är redan avslutat. Ingenting ändrades.`,
  ),
  too_many_job_types: entry(
    { most: 100 },
    ({ most }) => `The company has ${most} job types, the maximum that calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} jobbtyper, och fler får inte plats. Ta bort någon först.`,
  ),
  too_many_system_users: entry(
    { most: 100 },
    ({ most }) => `The company has ${most} system users, the maximum that calls can create. Remove some.`,
    ({ most }) =>
      `Företaget har redan ${most} systemanvändare, och fler får inte plats. Ta bort någon först.`,
  ),
  type_in_use: entry(
    { type: '“Call”', jobs: '71 Night alarm' },
    ({ type, jobs }) =>
      `Saved jobs of the type ${type} need it as it is: ${jobs}. Give them another type first. Nothing was changed.`,
    ({ type, jobs }) =>
      `Sparade jobb av typen ${type} behöver den som den är: ${jobs}. Ge dem en annan typ först. Ingenting ändrades.`,
  ),
  owner_has_jobs: entry(
    { jobs: '71 Night alarm' },
    ({ jobs }) =>
      `The system user owns saved jobs: ${jobs}. Give them another owner first. Nothing was removed.`,
    ({ jobs }) =>
      `Systemanvändaren äger sparade jobb: ${jobs}. Ge dem en annan ägare först. Ingenting togs bort.`,
  ),
  owner_has_users: entry(
    { users: 'anna, bo' },
    ({ users }) =>
      `Its jobs may be started by ${users}. Give them another system user first. Nothing was removed.`,
    ({ users }) =>
      `Dess jobb får startas av ${users}. Ge dem en annan systemanvändare först. Ingenting togs bort.`,
  ),
  callback_secret: constant(
    'It must be whsec_ followed by 24 to 64 octets in base64.',
    'Hemligheten ska vara whsec_ följt av 24 till 64 byte i base64.',
  ),
  callback_url: constant(
    'A callback of the type POST needs a `url`.',
    'Ange adressen som händelserna ska postas till.',
  ),
  rows_faulty: entry(
    { rows: 3 },
    ({ rows }) =>
      `${rows} ${rows === 1 ? 'row has a fault' : 'rows have faults'}, and nothing was imported. Correct the file, or give \`skipFaulty\` to import the other rows.`,
    ({ rows }) =>
      `${rows} ${rows === 1 ? 'rad' : 'rader'} har fel, och ingenting importerades. Rätta filen, eller importera bara de andra raderna.`,
  ),
  file_empty: constant('The file is empty.', 'Filen är tom.'),
  column_joins: constant(
    'Must be places of columns such as `1-2`, counted from 1.',
    'Ska vara kolumnernas platser, som `1-2`, räknade från 1.',
  ),
  time_not_past: constant('Give a time that has passed.', 'Ange en tid som har varit.'),
  file_no_number: constant(
    'The file has no column `number`. Nothing was imported.',
    'Filen har ingen kolumn med namnet number. Ingenting importerades.',
  ),
  file_head_row: entry(
    { line: 7 },
    ({ line }) => `The file has no line ${line} with column names. Nothing was imported.`,
    ({ line }) => `Filen har ingen rad ${line} med kolumnnamn. Ingenting importerades.`,
  ),
  file_not_text: constant(
    'This is not a text file. Save the table as CSV; a workbook (.xlsx) can’t be read. Nothing was imported.',
    'Det här är ingen textfil. Spara tabellen som CSV; en arbetsbok (.xlsx) kan inte läsas. Ingenting importerades.',
  ),
  file_rows: entry(
    { most: 100_000 },
    ({ most }) => `A file can have at most ${most} rows: split it. Nothing was imported.`,
    ({ most }) => `En fil har högst ${most} rader. Dela upp den. Ingenting importerades.`,
  ),
  file_columns: entry(
    { most: 100, columns: 120 },
    ({ most, columns }) => `A file can have at most ${most} columns; this one has ${columns}.`,
    ({ most, columns }) => `En fil har högst ${most} kolumner, och den här har ${columns}.`,
  ),
  file_broken: entry(
    { line: 7, wrong: 'a quotation mark is not closed' },
    ({ line, wrong }, told) =>
      `The file is not valid CSV from line ${line} on: ${told(wrong)}. Nothing was imported.`,
    ({ line, wrong }, told) =>
      `Filen går inte att läsa som CSV från rad ${line}: ${told(wrong)}. Ingenting importerades.`,
  ),
} as const;
