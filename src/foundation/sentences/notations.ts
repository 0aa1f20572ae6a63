/** What is wrong with something that people and programs write: numbers, senders, addresses, times, filters and files. */
import { constant, entry } from './entry.ts';
import { columnsInSwedish, markInSwedish, partsOfTime } from './words.ts';

const formOfNumber = {
  en: 'A phone number has 7 to 15 digits and begins with its country code.',
  sv: 'Ett telefonnummer har 7 till 15 siffror och börjar med landsnumret.',
};

const quotesOfCsv = {
  en: 'a cell that begins with a quote must end with one, and quotes inside it must be doubled',
  sv: 'en cell som börjar med ett citattecken ska sluta med ett, och citattecken inuti den ska vara dubbla',
};

export const notationSentences = {
  // Numbers, senders, addresses, times and filters, as people and programs write them.
  number_long: entry(
    { number: '4670174069', most: 100 },
    ({ number, most }) => `${number} is longer than ${most} characters. ${formOfNumber.en}`,
    ({ number, most }) => `${number} är längre än ${most} tecken. ${formOfNumber.sv}`,
  ),
  number_national: entry(
    { number: '0701740699' },
    ({ number }) => `${number} begins with 0, but no default country code was given. ${formOfNumber.en}`,
    ({ number }) => `${number} börjar med 0, och inget landsnummer är valt. ${formOfNumber.sv}`,
  ),
  not_a_network: entry(
    { given: '“10.0.0”' },
    ({ given }) => `${given} is not an IP address or a network, such as 192.0.2.7 or 10.0.0.0/8.`,
    ({ given }) => `${given} är ingen IP-adress och inget nät, till exempel 192.0.2.7 eller 10.0.0.0/8.`,
  ),
  json_pointer: entry(
    { given: '“title”' },
    ({ given }) =>
      `${given} is not a JSON pointer (RFC 6901): it begins with /, such as /title, and ~ is written ~0.`,
    ({ given }) =>
      `${given} är ingen JSON-pekare (RFC 6901): den börjar med /, till exempel /title, och ~ skrivs ~0.`,
  ),
  number_shortened: entry(
    { number: '4.67E+10' },
    ({ number }) =>
      `${number} is a number that a spreadsheet has shortened (E+…), which lost digits: format its column as text, and enter the number again. ${formOfNumber.en}`,
    ({ number }) =>
      `${number} har kortats av ett kalkylprogram (E+…), och siffror har försvunnit: gör kolumnen till text och skriv in numret igen. ${formOfNumber.sv}`,
  ),
  number_decimals: entry(
    { number: '46701740699.0', ending: '“.0”' },
    ({ number, ending }) =>
      `${number} ends in ${ending}, as if a program had taken it for an amount: give the number without decimals. ${formOfNumber.en}`,
    ({ number, ending }) =>
      `${number} slutar på ${ending}, som om ett program hade tagit det för ett belopp: skriv numret utan decimaler. ${formOfNumber.sv}`,
  ),
  number_character: entry(
    { number: '070x1740699', character: '“x”' },
    ({ number, character }) =>
      `${number} contains ${character}, which a phone number cannot have. ${formOfNumber.en}`,
    ({ number, character }) =>
      `${number} innehåller ${character}, som ett telefonnummer inte kan ha. ${formOfNumber.sv}`,
  ),
  number_empty: entry(
    { number: '46' },
    ({ number }) => `${number} has no digits. ${formOfNumber.en}`,
    ({ number }) => `${number} har inga siffror. ${formOfNumber.sv}`,
  ),
  number_zero: entry(
    { number: '00070174' },
    ({ number }) => `${number} still begins with 0 after the prefix was dropped. ${formOfNumber.en}`,
    ({ number }) => `${number} börjar med 0 även utan sitt prefix. ${formOfNumber.sv}`,
  ),
  number_digits: entry(
    { number: '46701', digits: 5 },
    ({ number, digits }) =>
      `${number} has ${digits} ${digits === 1 ? 'digit' : 'digits'}. ${formOfNumber.en}`,
    ({ number, digits }) =>
      `${number} har ${digits} ${digits === 1 ? 'siffra' : 'siffror'}. ${formOfNumber.sv}`,
  ),
  number_of_machines: entry(
    { number: '467190000000001', country: 'SE' },
    ({ number, country }) =>
      `${number} is in a series of ${country} issued to machines, which do not read SMS.`,
    ({ number, country }) => `${number} hör till en serie i ${country} för maskiner, som inte läser sms.`,
  ),
  number_of_no_country: entry(
    { number: '9991234567' },
    ({ number }) => `${number} is not a phone number of any country.`,
    ({ number }) => `${number} är inte ett telefonnummer i något land.`,
  ),
  number_meant: entry(
    { number: '460701740699', meant: '46701740699' },
    ({ number, meant }) => `${number} is not a valid number. Did you mean ${meant}?`,
    ({ number, meant }) => `${number} är inget giltigt nummer. Menade du ${meant}?`,
  ),
  number_not_mobile: entry(
    { number: '4681234567', country: 'SE' },
    ({ number, country }) =>
      `${number} is not in a mobile series of its country${country && ` (${country})`}.`,
    ({ number, country }) => `${number} är inte ett mobilnummer i sitt land${country && ` (${country})`}.`,
  ),
  email_wrong: entry(
    { email: 'Anna', why: 'is odd' },
    ({ email, why }, told) => `${email} ${told(why)}. An address has the form name@domain.`,
    ({ email, why }, told) => `${email} ${told(why)}. En adress har formen namn@domän.`,
  ),
  domain_wrong: entry(
    { domain: 'care', why: 'is odd' },
    ({ domain, why }, told) => `The domain ${domain} ${told(why)}. A domain looks like care.example.`,
    ({ domain, why }, told) => `Domänen ${domain} ${told(why)}. En domän ser ut som care.example.`,
  ),
  is_empty: constant('is empty', 'är tom'),
  email_without_at: constant('has no @', 'har inget @'),
  email_long: entry(
    { most: 254 },
    ({ most }) => `has more than ${most} characters`,
    ({ most }) => `har mer än ${most} tecken`,
  ),
  email_without_name: constant('has nothing before its @', 'har inget före sitt @'),
  email_name_long: entry(
    { most: 64 },
    ({ most }) => `has more than ${most} characters before its @`,
    ({ most }) => `har mer än ${most} tecken före sitt @`,
  ),
  email_two_ats: constant('has more than one @', 'har mer än ett @'),
  email_space: constant(
    'contains a space (in a URL, write a plus sign as %2B)',
    'innehåller ett mellanslag (i en adress till servern skrivs plustecken %2B)',
  ),
  email_name: entry(
    { name: '“a(b”' },
    ({ name }) => `has a name that no address can have: ${name}`,
    ({ name }) => `har ett namn som ingen adress kan ha: ${name}`,
  ),
  contains: entry(
    { character: '“!”' },
    ({ character }) => `contains ${character}`,
    ({ character }) => `innehåller ${character}`,
  ),
  domain_invalid: constant('is not a valid domain name (IDNA)', 'är inget giltigt domännamn (IDNA)'),
  domain_dots: constant(
    'begins or ends with a dot, or has two in a row',
    'börjar eller slutar med en punkt, eller har två i rad',
  ),
  domain_labels: constant(
    'has a part that is not 1 to 63 letters, digits and inner hyphens',
    'har en del som inte består av 1 till 63 bokstäver och siffror, med bindestreck bara inuti',
  ),
  domain_number: constant('ends with a number', 'slutar med ett tal'),
  sender_wrong: entry(
    { why: 'is odd' },
    ({ why }, told) =>
      `The sender id ${told(why)}. It is 1 to 11 letters, digits and simple signs, or a number of 3 to 15 digits.`,
    ({ why }, told) =>
      `Avsändaren ${told(why)}. En avsändare är 1 till 11 bokstäver, siffror och enkla tecken, eller ett nummer med 3 till 15 siffror.`,
  ),
  mail_sender_wrong: entry(
    { why: 'is odd', fewest: 3, most: 11 },
    ({ why, fewest, most }, told) =>
      `The sender id ${told(why)}. Here it must have ${fewest} to ${most} letters, digits and simple signs.`,
    ({ why, fewest, most }, told) =>
      `Avsändaren ${told(why)}. Här ska den ha ${fewest} till ${most} bokstäver, siffror och enkla tecken.`,
  ),
  sender_long: entry(
    { sender: '46701740699467017406994670174069' },
    ({ sender }) => `${sender} is too long`,
    ({ sender }) => `${sender} är för lång`,
  ),
  sender_decimals: entry(
    { sender: '46701740699.0' },
    ({ sender }) => `${sender} has decimals, as if a program had taken it for an amount`,
    ({ sender }) => `${sender} har decimaler, som om ett program hade tagit den för ett belopp`,
  ),
  sender_digits: entry(
    { sender: '46', digits: 2 },
    ({ sender, digits }) => `${sender} has ${digits} ${digits === 1 ? 'digit' : 'digits'}`,
    ({ sender, digits }) => `${sender} har ${digits} ${digits === 1 ? 'siffra' : 'siffror'}`,
  ),
  sender_characters: entry(
    { sender: 'care', characters: 12 },
    ({ sender, characters }) =>
      `${sender} has ${characters} ${characters === 1 ? 'character' : 'characters'}`,
    ({ sender, characters }) => `${sender} har ${characters} tecken`,
  ),
  sender_character: entry(
    { sender: 'care', character: '“@”' },
    ({ sender, character }) => `${sender} contains ${character}, which networks do not carry`,
    ({ sender, character }) => `${sender} innehåller ${character}, som operatörerna inte tar emot`,
  ),
  sender_signs: entry(
    { sender: '4' },
    ({ sender }) => `${sender} has neither a letter nor a digit`,
    ({ sender }) => `${sender} har varken en bokstav eller en siffra`,
  ),
  time_part: entry(
    { time: '“2026-13-01T09:30Z”', part: 'month', value: 13, from: 1, to: 12 },
    ({ time, part, value, from, to }) =>
      `The time ${time} has the ${part} ${value}, but it must be ${from} to ${to}.`,
    ({ time, part, value, from, to }) =>
      `Tiden ${time} har ${partsOfTime[part] ?? part} ${value}, men det ska vara ${from} till ${to}.`,
  ),
  time_offset: entry(
    { time: '“2026-01-31T09:30+25:00”' },
    ({ time }) => `The time ${time} has an invalid offset from UTC.`,
    ({ time }) => `Tiden ${time} har en omöjlig skillnad mot UTC.`,
  ),
  time_space: entry(
    { time: '“2026-01-31T09:30 01:00”' },
    ({ time }) =>
      `The time ${time} has a space where its offset begins. In a URL, write the plus sign as %2B.`,
    ({ time }) =>
      `Tiden ${time} har ett mellanslag där skillnaden mot UTC börjar. I en adress skrivs plustecknet %2B.`,
  ),
  time_without_zone: entry(
    { time: '“2026-01-31T09:30”' },
    ({ time }) => `The time ${time} has no zone. End it with Z for UTC, or with an offset such as +02:00.`,
    ({ time }) => `Tiden ${time} har ingen tidszon. Sluta med Z för UTC, eller med en skillnad som +02:00.`,
  ),
  time_form: entry(
    { time: '“soon”' },
    ({ time }) =>
      `${time} is not a time. Write it as 2026-01-31T09:30:00Z, 2026-01-31T09:30Z or 2026-01-31T09:30:00+01:00.`,
    ({ time }) =>
      `${time} är ingen tid. Skriv den som 2026-01-31T09:30:00Z, 2026-01-31T09:30Z eller 2026-01-31T09:30:00+01:00.`,
  ),
  filter_wrong: entry(
    { why: 'The filter is odd.' },
    ({ why }, told) => `${told(why)} Write a filter as type:value|value;type:value.`,
    ({ why }, told) => `${told(why)} Skriv ett filter som typ:värde|värde;typ:värde.`,
  ),
  filter_long: entry(
    { length: 70_000, most: 60_000 },
    ({ length, most }) => `The filter has ${length} characters; at most ${most} are allowed.`,
    ({ length, most }) => `Filtret har ${length} tecken; högst ${most} får plats.`,
  ),
  filter_empty: constant('The filter is empty.', 'Filtret är tomt.'),
  filter_parts: entry(
    { most: 20, place: 'at character 90' },
    ({ most, place }) => `The filter has more than ${most} parts: the first surplus part is ${place}.`,
    ({ most, place }) =>
      `Filtret har fler än ${most} delar: den första överflödiga är ${place.replace('at character', 'vid tecken')}.`,
  ),
  filter_values: entry(
    { most: 1_000 },
    ({ most }) => `The filter has more than ${most} tag values in all.`,
    ({ most }) => `Filtret har fler än ${most} taggvärden sammanlagt.`,
  ),
  filter_part_empty: entry(
    { part: 2, at: 12 },
    ({ part, at }) => `Part ${part} at character ${at} is empty: a “;” may appear only between two parts.`,
    ({ part, at }) => `Del ${part} vid tecken ${at} är tom: “;” får bara stå mellan två delar.`,
  ),
  filter_no_colon: entry(
    { part: 2, at: 12, written: '“nurse”' },
    ({ part, at, written }) =>
      `Part ${part} at character ${at}, ${written}, has no “:” between tag type and values.`,
    ({ part, at, written }) =>
      `Del ${part} vid tecken ${at}, ${written}, har inget “:” mellan taggens typ och värden.`,
  ),
  filter_two_colons: entry(
    { part: 2, at: 12 },
    ({ part, at }) => `Part ${part} has a second “:” at character ${at}.`,
    ({ part, at }) => `Del ${part} har ett andra “:” vid tecken ${at}.`,
  ),
  filter_type: entry(
    { at: 12, why: 'is odd' },
    ({ at, why }, told) => `The tag type at character ${at} ${told(why)}.`,
    ({ at, why }, told) => `Taggtypen vid tecken ${at} ${told(why)}.`,
  ),
  filter_value: entry(
    { at: 12, why: 'is odd' },
    ({ at, why }, told) => `The tag value at character ${at} ${told(why)}.`,
    ({ at, why }, told) => `Taggvärdet vid tecken ${at} ${told(why)}.`,
  ),
  filter_list: constant('The filter must be a list of objects.', 'Filtret ska vara en lista med objekt.'),
  filter_object: entry(
    { place: '[0]' },
    ({ place }) => `The part at ${place} must be an object with “tagtype” and “tagvalues”.`,
    ({ place }) => `Delen vid ${place} ska vara ett objekt med “tagtype” och “tagvalues”.`,
  ),
  filter_field: entry(
    { place: '[0]', field: '“tag”' },
    ({ place, field }) =>
      `The part at ${place} has ${field}, which is not a known field: a part has only “tagtype” and “tagvalues”.`,
    ({ place, field }) =>
      `Delen vid ${place} har ${field}, som är okänt: en del har bara “tagtype” och “tagvalues”.`,
  ),
  filter_field_near: entry(
    { place: '[0]', field: '“tagtypes”', near: '“tagtype”' },
    ({ place, field, near }) =>
      `The part at ${place} has ${field}, which is not a known field: did you mean ${near}?`,
    ({ place, field, near }) => `Delen vid ${place} har ${field}, som är okänt: menade du ${near}?`,
  ),
  filter_list_of: entry(
    { place: '[0].tagvalues' },
    ({ place }) => `The value at ${place} must be a list of at least one string.`,
    ({ place }) => `Värdet vid ${place} ska vara en lista med minst en text.`,
  ),
  filter_string: entry(
    { place: '[0].tagtype' },
    ({ place }) => `The value at ${place} must be a string.`,
    ({ place }) => `Värdet vid ${place} ska vara en text.`,
  ),
  filter_tag: entry(
    { place: '[0].tagtype', why: 'is odd' },
    ({ place, why }, told) => `The value at ${place} ${told(why)}.`,
    ({ place, why }, told) => `Värdet vid ${place} ${told(why)}.`,
  ),
  tag_alone: entry(
    { why: 'is odd' },
    ({ why }, told) => `The tag ${told(why)}.`,
    ({ why }, told) => `Taggen ${told(why)}.`,
  ),
  tag_long: entry(
    { length: 101, most: 100 },
    ({ length, most }) => `has ${length} characters; at most ${most} are allowed`,
    ({ length, most }) => `har ${length} tecken; högst ${most} får plats`,
  ),
  tag_separator: entry(
    { sign: '“:”' },
    ({ sign }) => `contains ${sign}, which separates tags in filters`,
    ({ sign }) => `innehåller ${sign}, som skiljer taggar åt i filter`,
  ),
  tag_control: constant(
    'contains a control character or an incomplete character',
    'innehåller ett styrtecken eller ett ofullständigt tecken',
  ),
  tag_spaces: constant('begins or ends with a space', 'börjar eller slutar med ett mellanslag'),

  // Rows of a file of people. English sentences that begin with a verb continue after the row.
  row_cell: entry(
    { column: 'phone', why: 'is odd' },
    ({ column, why }, told) => `${column}: ${told(why)}`,
    ({ column, why }, told) => `${columnsInSwedish[column] ?? column}: ${told(why)}`,
  ),
  row_cells: entry(
    { cells: 7, columns: 5 },
    ({ cells, columns }) => `has ${cells} cells, but the first line has ${columns}`,
    ({ cells, columns }) => `har ${cells} celler, men första raden har ${columns}`,
  ),
  row_nameless: entry(
    { cell: '“x”', column: 7 },
    ({ cell, column }) => `holds ${cell} in column ${column}, which has no name`,
    ({ cell, column }) => `har ${cell} i kolumn ${column}, som inte har något namn`,
  ),
  row_without_key: constant(
    'has no id, phone or email to recognise the contact by',
    'har varken id, telefonnummer eller e-postadress att känna igen personen på',
  ),
  row_twice: entry(
    { what: 'phone 46701740699', line: 3 },
    ({ what, line }) => `the ${what} is already in line ${line}`,
    ({ what, line }) => `${markInSwedish(what)} finns redan på rad ${line}`,
  ),
  row_twice_shared: entry(
    { what: 'phone 46701740699', line: 3 },
    ({ what, line }) => `the ${what} is already in line ${line}; people who share it each need an id`,
    ({ what, line }) =>
      `${markInSwedish(what)} finns redan på rad ${line}; de som har samma behöver var sitt id`,
  ),
  tag_wrong: entry(
    { what: 'tag type', tag: '“a;b”', why: 'is odd' },
    ({ what, tag, why }, told) => `the ${what} ${tag} ${told(why)}`,
    ({ what, tag, why }, told) => `${what === 'tag type' ? 'taggtypen' : 'taggvärdet'} ${tag} ${told(why)}`,
  ),
  tag_without_type: entry(
    { tag: 'nurse' },
    ({ tag }) =>
      `${tag} is not a tag; a tag is a type and a value, such as role:nurse, and role:nurse;ward:7|8 are three tags`,
    ({ tag }) =>
      `${tag} är ingen tagg; en tagg är en typ och ett värde, som role:nurse, och role:nurse;ward:7|8 är tre taggar`,
  ),
  tags_at_most: entry(
    { most: 100 },
    ({ most }) => `a contact has at most ${most} tags`,
    ({ most }) => `en person har högst ${most} taggar`,
  ),
  columns_count: entry(
    { columns: 5, named: 4 },
    ({ columns, named }) => `The file has ${columns} columns, but ${named} were named.`,
    ({ columns, named }) => `Filen har ${columns} kolumner, men ${named} angavs.`,
  ),
  column_unknown: entry(
    { column: '“shoe”', known: 'id, name' },
    ({ column, known }) => `A column must be one of ${known}, not ${column}.`,
    ({ column, known }) => `En kolumn ska vara något av ${known}, inte ${column}.`,
  ),
  column_twice: entry(
    { column: 'phone' },
    ({ column }) => `Two columns are named ${column}.`,
    ({ column }) => `Två kolumner heter ${column}.`,
  ),
  column_missing: entry(
    { column: 9 },
    ({ column }) => `The file has no column ${column} to join.`,
    ({ column }) => `Filen har ingen kolumn ${column} att slå ihop.`,
  ),
  column_joined_twice: constant('A column can be joined only once.', 'En kolumn kan bara slås ihop en gång.'),
  column_of_join: constant(
    'The first of joined columns says what they mean together, so it must be imported.',
    'Den första av hopslagna kolumner säger vad de betyder tillsammans, så den måste importeras.',
  ),
  column_joined: entry(
    { ignored: '-' },
    ({ ignored }) => `A column that is joined to another has no meaning of its own: give ${ignored} for it.`,
    ({ ignored }) =>
      `En kolumn som har slagits ihop med en annan betyder inget själv: ange ${ignored} för den.`,
  ),
  column_of_keys: constant(
    'One column must be the id, the phone or the e-mail address, to recognise contacts by.',
    'En kolumn måste vara id, telefonnummer eller e-postadress, att känna igen personer på.',
  ),
  title_above: entry(
    { title: 'staff' },
    ({ title }) =>
      `${title} seems to be a title above the names of the columns; remove everything above them, so that the first line names the columns`,
    ({ title }) =>
      `${title} verkar vara en rubrik ovanför kolumnernas namn; ta bort allt ovanför dem, så att första raden namnger kolumnerna`,
  ),
  title_above_names: entry(
    { title: 'staff', names: 3 },
    ({ title, names }) =>
      `${title} seems to be a title above the names of the columns, which are in line ${names}; remove everything above them, so that the first line names the columns`,
    ({ title, names }) =>
      `${title} verkar vara en rubrik ovanför kolumnernas namn, som står på rad ${names}; ta bort allt ovanför dem, så att första raden namnger kolumnerna`,
  ),
  title_in_line: entry(
    { line: 1, why: 'a title' },
    ({ line, why }, told) => `Line ${line}: ${told(why)}, or give \`headRow\`.`,
    ({ line, why }, told) => `Rad ${line}: ${told(why)}, eller ange \`headRow\`.`,
  ),
  csv_long: entry(
    { most: 65_536 },
    ({ most }) => `the row is longer than ${most} characters; ${quotesOfCsv.en}`,
    ({ most }) => `raden är längre än ${most} tecken; ${quotesOfCsv.sv}`,
  ),
  csv_open: constant(
    `a cell begins with a quote that is never closed; ${quotesOfCsv.en}`,
    `en cell börjar med ett citattecken som aldrig avslutas; ${quotesOfCsv.sv}`,
  ),
  opt_out_number: constant('The number is not a phone number.', 'Numret är inget telefonnummer.'),
  opt_out_country: constant(
    'The number begins with 0, and the country code is not known. Give `defaultCountryCode`.',
    'Numret börjar med 0, och landsnumret är okänt. Välj ett.',
  ),
  opt_out_category: entry(
    { words: 'all, marketing' },
    ({ words }) => `The category is not one of ${words}.`,
    ({ words }) => `Kategorin är ingen av ${words}.`,
  ),
  opt_out_since: constant(
    'The time is not a date or ISO 8601 with zone, or is in the future.',
    'Tiden är varken ett datum eller ISO 8601 med tidszon, eller så har den inte varit än.',
  ),
  opt_out_proof: entry(
    { most: 200 },
    ({ most }) => `The proof is longer than ${most} characters.`,
    ({ most }) => `Beviset är längre än ${most} tecken.`,
  ),
} as const;
