/** The Swedish sentence of each error code, for faults whose own sentence is not in the dictionary (`sentences.ts`). */

export const faultsInSwedish = {
  not_available: 'Den här versionen kan inte det än. Ingenting skickades.',

  nothing_queued: 'Ingenting skickades: ingen av mottagarna kunde tas emot.',
  invalid_number: 'Ett telefonnummer har 7 till 15 siffror och börjar med landsnumret.',
  number_not_mobile: 'Numret är inte ett mobilnummer i sitt land.',
  number_machine_series: 'Numret hör till en maskin, som inte läser sms.',
  no_route: 'Det finns ingen väg till numret. Driften lägger till vägar.',
  no_recipients: 'Ange minst en mottagare.',
  no_address_book: 'Du har ingen adressbok att hitta mottagare i. Driften bestämmer vilken du får.',
  no_text: 'Skriv en text.',
  unknown_template: 'Mallen finns inte, eller inte längre. Ingenting skickades.',
  invalid_flash_text: 'Ett sms som visas genast rymmer 160 tecken, och bara vanliga bokstäver (GSM-7).',
  invalid_sender: 'En avsändare är 1 till 11 bokstäver, siffror och enkla tecken, eller 3 till 15 siffror.',
  no_sender: 'Ange en avsändare: varken du eller företaget har någon förvald.',
  quota_exceeded: 'Det som är kvar av kvoten räcker inte. Ingenting skickades.',
  country_not_allowed: 'Du får inte skicka till numrets land. Driften bestämmer vilka länder som är öppna.',
  idempotency_mismatch: 'Samma försök har redan gjorts med annat innehåll. Ladda om sidan och försök igen.',

  not_found: 'Det finns inte, eller inte längre, eller så får du inte se det.',
  beyond_own_rights: 'Du kan inte ge någon mer än du har själv. Ingenting ändrades.',
  unknown_job: 'Jobbet finns inte, eller så får du inte starta det. Ingenting startades.',

  https_required: 'Inloggning tas bara emot över HTTPS. Öppna sidan med https:// i adressen.',
  other_session: 'Någon annan har loggat in i webbläsaren sedan dess. Ingenting gjordes; ladda om sidan.',
  password_needed:
    'Det här kräver ditt lösenord, angivet de senaste tio minuterna. Logga in igen. Ingenting gjordes.',
  own_factors:
    'En annan administratör, eller driften, behöver ta bort ditt andra steg åt dig. Ingenting ändrades.',
  factor_missing: 'Ett andra steg krävs vid inloggning. Ingenting gjordes; ladda om sidan.',
  factor_needed: 'Det här kräver ditt andra steg, angivet de senaste tio minuterna. Logga in igen.',
  own_email: 'En annan administratör behöver ändra din e-postadress åt dig. Ingenting ändrades.',
  key_revoked: 'API-nyckeln är spärrad eller har gått ut. Driften kan öppna den igen.',
  name_taken: 'Namnet är upptaget. Välj ett annat.',
  last_administrator: 'Användaren är företagets enda aktiva administratör. Utse en till först.',
  too_many_receivers: 'Företaget har så många larmmottagare som det får ha. Ta bort någon först.',
  too_many_jobs: 'Företaget har så många sparade jobb som det får ha. Ta bort något först.',
  too_many_job_types: 'Företaget har så många jobbtyper som det får ha. Ta bort någon först.',
  too_many_system_users: 'Företaget har så många systemanvändare som det får ha. Ta bort någon först.',
  too_many_books: 'Företaget har så många adressböcker som det får ha. Ta bort någon först.',
  too_many_users: 'Företaget har så många användare som det får ha. Ta bort någon först.',

  changed_meanwhile:
    'Någon annan har ändrat det här under tiden. Ladda om och försök igen. Ingenting ändrades.',

  import_interrupted: 'Importen ångrades, eller adressboken togs bort, innan den var klar.',
  already_resent: 'Någon annan har just skickat det igen. Ingenting skickades nu.',

  too_many_email_senders: 'Företaget har så många e-postavsändare som det får ha. Ta bort någon först.',
  invalid_email:
    'Ange en e-postadress (namn@domän). Där det gäller avsändare går även en hel domän (@domän).',
  invalid_paying_user: 'Den som betalar måste vara en aktiv användare i företaget som får skicka.',
  smtp_split_missing:
    'Kvitton och svar går bara tillbaka som e-post till den som driften har satt smtpSplit för.',
  belongs_to_another: 'Adressen eller domänen finns på ett annat företags lista. Ingenting ändrades.',

  too_many_webhooks: 'Det går inte att ha fler webhookar. Ta bort någon först.',
  webhook_disabled: 'Inget skickas till webhooken: den är avstängd eller inte aktiv.',
  replay_under_way: 'Händelser skickas redan igen. Vänta tills det är klart.',

  too_many_paused:
    'Företaget har så många pausade utskick som det får ha. Återuppta eller stoppa något först.',
  multipart_not_supported: 'Servern tar inte emot sådana filer.',
  content_encoding_not_supported: 'Servern tar inte emot komprimerat innehåll.',
  headers_too_large: 'Adressen är för lång. Gör sökningen kortare.',
  request_timeout: 'Det tog för lång tid innan allt kom fram. Försök igen.',

  overloaded: 'Servern har för mycket att göra just nu. Försök igen om en stund.',
  store_unavailable: 'Servern når inte sin databas just nu. Försök igen om en stund.',
  store_damaged: 'Databasen är skadad, och det som behövs kan inte läsas. Driften har fått veta det.',
  shutting_down: 'Servern startar om. Försök igen om en stund.',
  not_ready: 'Servern är inte redo än. Försök igen om en stund.',
  managed: 'Det här hanteras av driften, och kan bara ändras där. Ingenting ändrades.',
  role_missing: 'Du saknar den roll som behövs. En administratör i företaget kan ge dig den.',
  scope_missing: 'API-nyckeln saknar den behörighet som behövs.',
  network_not_allowed: 'API-nyckeln gäller inte från det här nätet.',
  too_many_keys: 'Det går inte att ha fler API-nycklar; spärrade räknas också.',
  cross_site: 'Anropet kom från en annan webbplats, och avvisades.',
  address_not_allowed: 'Det här är inte öppet för din nätadress.',
  method_not_allowed: 'Servern känner inte till det här. Ladda om sidan.',
  internal: 'Något gick fel i servern. Driften hittar orsaken i loggen.',
  too_many_attempts: 'För många misslyckade försök att logga in. Vänta en stund.',
  too_many_tests: 'Fler test-sms får inte skickas just nu. Vänta en stund.',

  bad_json: 'Servern kunde inte läsa det som skickades.',
  bad_encoding: 'Texten är inte i UTF-8.',
  bad_request: 'Servern kunde inte läsa det som skickades.',
  invalid_type: 'Värdet är av fel slag.',
  invalid_value: 'Värdet går inte att använda.',
  unknown_parameter: 'Ett namn i anropet är okänt. Ingenting gjordes.',
  duplicate_parameter: 'Samma sak är angiven två gånger.',
  conflicting_parameters: 'Det här går inte ihop.',

  no_pool_number: 'Det finns inget nummer ledigt som mottagaren kan svara på.',
  opted_out: 'Mottagaren vill inte ha sådana sms från företaget.',
  invalid_tag_filter: 'Taggfiltret är felskrivet.',
  unknown_tag_filter: 'Adressboken har inget sparat filter med det namnet.',
  unknown_group: 'Adressboken har ingen grupp med det namnet.',
  text_too_long: 'Texten är för lång.',
  invalid_time: 'Tiden går inte att använda.',
  conversation_over: 'Konversationen går inte längre att svara på från sitt nummer.',
  too_many_parts:
    'Det är för många delar på en gång. Ingenting skickades; skicka till färre, eller skicka det som ett utskick.',
  rate_exceeded: 'Gränsen för hur mycket som får skickas är nådd. Ingenting skickades.',
  domain_not_allowed: 'Domänen är inte öppen för företaget. Driften bestämmer vilka som är det.',
  not_started: 'Jobbet startade inte. Ingenting skickades.',
  incident_ended: 'Larmet är redan avslutat.',
  run_ended: 'Larmet är redan slut. Ingenting gjordes.',
  not_for_job_type: 'Det passar inte jobb av den här typen. Ingenting startades.',

  of_callback_url: 'En adress som anges i anrop går inte att ändra här. Ingenting ändrades.',
  of_system_user: 'En återrapport ändras på ägarens sida. Ingenting ändrades.',
  in_use: 'Något annat behöver det fortfarande. Ingenting ändrades.',
  taken: 'Det är upptaget. Ingenting ändrades.',
  too_late: 'Det är för sent.',

  sender_not_allowed: 'Du får inte skicka från den avsändaren.',
  sender_not_yours: 'Den avsändaren tillhör ett annat företag, eller är ett nummer för svar.',
  unauthorised: 'Du är inte inloggad, eller har inte tillgång till det här.',
  missing_parameter: 'Något som behövs är inte ifyllt.',
  body_too_large: 'Det är för stort för att tas emot på en gång.',
};
