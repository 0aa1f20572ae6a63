/** The reasons that the server records: what happened to messages, batches, jobs, posts and carriers, and why. */
import { constant, entry } from './entry.ts';
import { actsInSwedish, holder, levelIn, mayInSwedish, meaningOfCode, statusesInSwedish } from './words.ts';

export const reasonSentences = {
  // Reasons, shown in brackets or after what happened.
  cancelled_by: entry(
    { user: 'anna' },
    ({ user }) => `cancelled by ${user}`,
    ({ user }) => `stoppat av ${user}`,
  ),
  cancelled_by_operator: constant('cancelled by the operator', 'stoppat av driften'),
  rescheduled_by: entry(
    { user: 'anna' },
    ({ user }) => `by ${user}`,
    ({ user }) => `av ${user}`,
  ),
  taken_back_with_batch: entry(
    { batch: 4 },
    ({ batch }) => `batch ${batch} was taken back`,
    ({ batch }) => `utskick ${batch} stoppades`,
  ),
  has_opted_out: constant('the recipient has opted out', 'mottagaren vill inte ha sådana sms'),
  run_needs_nobody: entry(
    { run: 3 },
    ({ run }) => `run ${run} needs nobody else`,
    ({ run }) => `larm ${run} behöver ingen mer`,
  ),
  recipient_erased: constant('the recipient was erased', 'mottagaren har raderats'),
  validity_over: constant(
    'no carrier took it within its validity',
    'ingen operatör tog emot det inom giltighetstiden',
  ),
  no_receipt: constant('no receipt came', 'inget kvitto kom'),
  no_further_receipt: constant('no further receipt is expected', 'inget mer kvitto väntas'),
  carrier_was_down: constant(
    'the carrier that it waited for was down',
    'operatören som det väntade på var nere',
  ),
  carrier_was_removed: constant(
    'the carrier that it waited for was removed',
    'operatören som det väntade på har tagits bort',
  ),
  late_answer: constant(
    'by then the message had been given to others: it may have been sent twice',
    'det kan ha skickats två gånger',
  ),
  not_handed_over: constant('no part of it had been handed over', 'inget av det hade lämnats över'),
  node_ended: entry(
    { node: 7 },
    ({ node }) => `node ${node} ended before the carrier's answer was stored: it may have been sent`,
    ({ node }) => `nod ${node} stannade innan operatörens svar hade sparats: det kan ha skickats`,
  ),
  node_ended_holding: constant(
    'a node ended while the carrier was handling it',
    'en server stannade när det lämnades över till operatören',
  ),
  smsc_refused: entry(
    { status: 'ESME_RTHROTTLED (0x58)' },
    ({ status }) => `the SMSC refused it: ${status}`,
    ({ status }) => `operatören tog inte emot det: ${status}`,
  ),
  outside_hours: entry(
    { from: '08:00', to: '20:00', zone: 'Europe/Stockholm' },
    ({ from, to, zone }) => `the company sends only from ${from} to ${to} (${zone})`,
    ({ from, to, zone }) => `företaget skickar bara mellan ${from} och ${to} (${zone})`,
  ),
  hours_changed: constant('the company’s send hours were changed', 'de timmar då företaget skickar ändrades'),
  aborted_by: entry(
    { user: 'anna' },
    ({ user }) => `aborted by ${user}`,
    ({ user }) => `stoppat av ${user}`,
  ),
  aborted_by_operator: constant('aborted by the operator', 'stoppat av driften'),
  resent_recipients: entry(
    { most: 3_000 },
    ({ most }) => `The account may have at most ${most} recipients in a batch.`,
    ({ most }) => `Du får ha högst ${most} mottagare på en gång.`,
  ),
  batch_characters: entry(
    { most: 100_000_000 },
    ({ most }) =>
      `the texts of all recipients together have more than ${most} characters: spread them over several batches`,
    ({ most }) => `mottagarnas texter har sammanlagt mer än ${most} tecken: dela upp dem på flera utskick`,
  ),
  batch_text: entry(
    { field: 'batch[17].m', wrong: 'The text needs 256 SMS parts; the limit is 255.' },
    ({ field, wrong }, told) => `${field}: ${told(wrong)}`,
    ({ field, wrong }, told) => `${field}: ${told(wrong)}`,
  ),
  batch_step_failed: entry(
    { failures: 12, wrong: 'disk full' },
    ({ failures, wrong }) => `a step failed ${failures} times: ${wrong}`,
    ({ failures, wrong }) => `ett steg misslyckades ${failures} gånger: ”${wrong}”`,
  ),
  batch_quota: entry(
    { parts: 20 },
    ({ parts }) => `the quota of the account or its company does not cover ${parts} SMS parts`,
    ({ parts }) => `det som är kvar av kvoten räcker inte till ${parts} delar`,
  ),
  batch_parts_never: entry(
    { holder, most: 15, parts: 20 },
    (of) => `the ${of.holder} may send ${of.most} SMS parts a day (UTC), and the batch has ${of.parts}`,
    (of) =>
      `${mayInSwedish(of.holder).toLowerCase()} skicka ${of.most} delar om dagen (UTC), och utskicket har ${of.parts}`,
  ),
  batch_parts_left: entry(
    { holder, most: 15, left: 5, parts: 10 },
    (of) =>
      `the ${of.holder} may send ${of.most} SMS parts a day (UTC), of which ${of.left} are left today, and the batch has ${of.parts}`,
    (of) =>
      `${mayInSwedish(of.holder).toLowerCase()} skicka ${of.most} delar om dagen (UTC), varav ${of.left} är kvar i dag, och utskicket har ${of.parts}`,
  ),

  // Why a saved job does not start, and the reasons in the record of a run.
  job_type_gone: entry(
    { type: 'NIGHT' },
    ({ type }) => `The job has the type ${type}, which no longer exists.`,
    ({ type }) => `Jobbet har typen ${type}, som inte längre finns.`,
  ),
  job_no_text: constant('The job has no message text.', 'Jobbet har ingen text.'),
  job_not_sent: entry(
    { why: 'quota_exceeded' },
    ({ why }, told) => `The messages of the job can't be sent: ${told(why)}. Nothing was sent.`,
    ({ why }, told) => `Jobbets meddelanden går inte att skicka: ${told(why)}. Ingenting skickades.`,
  ),
  job_pool_short: entry(
    { people: 3, code: 'no_pool_number' },
    ({ people, code }) =>
      `The reply pool has no free number for ${people} of the people (${code}). Nothing was sent.`,
    ({ people }) => `Det finns inget nummer ledigt som ${people} av dem kan svara på. Ingenting skickades.`,
  ),
  job_nobody_reached: entry(
    { why: 'no_route' },
    ({ why }, told) => `None of the people in the job can be reached: ${told(why)}.`,
    ({ why }, told) => `Ingen av dem som jobbet frågar går att nå: ${told(why)}.`,
  ),
  job_nobody: constant('The job has nobody to ask.', 'Jobbet har ingen att fråga.'),
  job_all_left_out: entry(
    { because: 'excluded, twice' },
    ({ because }) => `The job has nobody to ask: all who were found are left out (${because}).`,
    ({ because }) =>
      `Jobbet har ingen att fråga: alla som hittades utelämnas (${because
        .replace('excluded', 'undantagna')
        .replace('twice', 'redan med')
        .replace('no phone number', 'saknar telefonnummer')}).`,
  ),
  job_too_many: entry(
    { most: 10_000 },
    ({ most }) => `The job would ask more than ${most} people, the limit of one run.`,
    ({ most }) => `Jobbet skulle fråga fler än ${most}, som är det mesta på en gång.`,
  ),
  job_filter_too_wide: entry(
    { most: 10_000 },
    ({ most }) =>
      `The filter or the groups of the job, or those that exclude people from it, have more than ${most} people, the limit of one run.`,
    ({ most }) =>
      `Jobbets filter eller grupper, eller de som undantas, har fler än ${most} personer, som är det mesta på en gång.`,
  ),
  job_people_wrong: entry(
    { wrong: 'The filter has no colon.' },
    ({ wrong }) => wrong,
    ({ wrong }) => `Det som anger vilka jobbet frågar är fel: ”${wrong}”.`,
  ),
  job_no_book: constant(
    'The account has no default address book to find people in. Ask the operator to set one in the provisioning file.',
    'Kontot har ingen förvald adressbok att hitta personer i. Driften bestämmer vilken det får.',
  ),
  for_codes: entry(
    { codes: 'no_route, invalid_number' },
    ({ codes }) => codes,
    ({ codes }) => codes.split(', ').map(meaningOfCode).join('; '),
  ),
  several_reasons: entry(
    { one: 'no_route', more: 'no phone number' },
    ({ one, more }, told) => `${told(one)}; ${told(more)}`,
    ({ one, more }, told) => `dels ${told(one)}; dels ${told(more)}`,
  ),
  sms_status: entry(
    { status: 'REJECTED' },
    ({ status }) => status,
    ({ status }) => statusesInSwedish[status] ?? 'okänt utfall',
  ),
  no_phone: constant('no phone number', 'saknar telefonnummer'),
  only_app_address: constant('only an app address', 'har bara en app-adress'),
  no_mail_relay: constant(
    'no phone number, and no mail relay is set',
    'saknar telefonnummer, och servern skickar ingen e-post',
  ),
  starter_gone: constant(
    'the account that started it no longer exists',
    'kontot som startade det finns inte längre',
  ),
  receiver_removed: constant('the receiver was removed', 'larmmottagaren har tagits bort'),
  mail_failed: entry(
    { why: '550 No such user' },
    ({ why }, told) => `the e-mail failed: ${told(why)}`,
    ({ why }, told) => `mejlet gick inte fram: ${told(why)}`,
  ),
  mails_of_day: entry(
    { limit: 500 },
    ({ limit }) => `the company has reached its limit of e-mails for today (${limit} a day)`,
    ({ limit }) => `företaget har nått sin gräns för mejl i dag (${limit} om dagen)`,
  ),
  mail_given_up: entry(
    { hours: 48, why: 'connect ECONNREFUSED' },
    ({ hours, why }, told) => `given up after ${hours} hours; ${told(why)}`,
    ({ hours, why }, told) => `inga fler försök efter ${hours} timmar; ${told(why)}`,
  ),
  mail_too_late: constant(
    'not sent: the run of the job ended before the relay could be reached',
    'inte skickat: larmet var slut innan e-postservern gick att nå',
  ),
  mail_too_late_as: entry(
    { why: 'connect ECONNREFUSED' },
    ({ why }, told) => `not sent: the run of the job ended before the relay could be reached; ${told(why)}`,
    ({ why }, told) => `inte skickat: larmet var slut innan e-postservern gick att nå; ${told(why)}`,
  ),
  goal_short: entry(
    { task: 'nurse', needed: 9, may: 2 },
    ({ task, needed, may }) => `${task || 'everybody'}: ${needed} needed, ${may} to ask`,
    ({ task, needed, may }) => `${task || 'alla'}: ${needed} behövs, ${may} att fråga`,
  ),
  minutes_passed: entry(
    { minutes: 10 },
    ({ minutes }) => `${minutes} minutes have passed`,
    ({ minutes }) => `${minutes} minuter har gått`,
  ),
  heard_by_all: constant('sent to everyone who uses the number', 'skickat till alla som använder numret'),
  by_mail_link: constant('through the link in an e-mail', 'via länken i ett mejl'),
  called_off: constant('it is called off', 'det är avblåst'),
  nobody_else_needed: constant('no one else is needed', 'ingen mer behövs'),
  run_act: entry(
    { act: 'accept' },
    ({ act }) => act,
    ({ act }) => actsInSwedish[act] ?? act,
  ),
  run_extended: entry(
    { minutes: 15 },
    ({ minutes }) => `extend by ${minutes} minutes`,
    ({ minutes }) => `förläng ${minutes} minuter`,
  ),
  run_act_not_done: entry(
    { act: 'accept', phase: 'ended' },
    ({ act, phase }, told) => `${told(act)}: not done, since the run is ${phase}`,
    ({ act, phase }, told) =>
      `inte gjort, eftersom larmet ${phase === 'scheduled' ? 'inte har börjat' : 'är slut'}: ${told(act)}`,
  ),
  asked_level: entry(
    { level: 1, of: 2 },
    ({ level, of }) => `level ${level} of ${of}`,
    ({ level, of }) => `nivå ${level} av ${of}`,
  ),
  asked_wave: entry(
    { level: 1, of: 2, people: 3, waiting: 6 },
    ({ level, of, people, waiting }) => `level ${level} of ${of}, ${people} of ${waiting}`,
    ({ level, of, people, waiting }) => `nivå ${level} av ${of}, ${people} av ${waiting}`,
  ),
  level_pushed: entry(
    { level: 'everybody' },
    ({ level }) => `${level}: escalated by the owner`,
    ({ level }) => `${levelIn('sv', level)}: öppnades av den som leder larmet`,
  ),
  level_due: entry(
    { level: 'everybody' },
    ({ level }) => `${level}: its time has come`,
    ({ level }) => `${levelIn('sv', level)}: tiden för den är inne`,
  ),
  level_early: entry(
    { level: 'everybody' },
    ({ level }) => `${level}: too few people can still answer`,
    ({ level }) => `${levelIn('sv', level)}: för få kan ännu svara`,
  ),
  not_within_a_day: constant('it could not be sent within a day', 'det gick inte att skicka inom ett dygn'),
  tried_again: entry(
    { why: 'quota_exceeded' },
    ({ why }, told) => `${told(why)}: it is tried again`,
    ({ why }, told) => `nytt försök görs: ${told(why)}`,
  ),

  // Why a post to a webhook got no answer.
  post_forbidden: constant('the address is not allowed', 'adressen är inte tillåten'),
  post_refused: constant('the connection was refused', 'anslutningen nekades'),
  post_no_address: constant('the host has no address', 'värden har ingen adress'),
  post_unreachable: constant('the host cannot be reached', 'värden går inte att nå'),
  post_certificate: constant('the certificate is not trusted', 'certifikatet är inte betrott'),
  post_tls: constant('TLS failed', 'den krypterade anslutningen (TLS) gick inte att upprätta'),
  post_not_http: constant('the answer is not HTTP', 'svaret är inte HTTP'),
  post_timeout: constant('no answer in time', 'inget svar i tid'),
  post_broke: constant('the connection broke', 'anslutningen bröts'),

  // Why a source of alerts was not told that somebody has taken care.
  source_answered: entry(
    { status: 400, answer: '“bad matcher”' },
    ({ status, answer }) => `the source answered ${status}${answer === '' ? '' : `: ${answer}`}`,
    ({ status, answer }) => `källan svarade ${status}${answer === '' ? '' : `: ${answer}`}`,
  ),
  source_unset: constant(
    'the receiver no longer tells its source',
    'mottagaren säger inte längre till källan',
  ),
  source_secret: constant(
    'the login for the source can’t be opened: set it again',
    'inloggningen till källan går inte att öppna: ange den igen',
  ),

  // Why a carrier is down, and what became of parts with it.
  carrier_unreachable: constant("it can't be reached", 'operatören går inte att nå'),
  carrier_set_down: constant('it is set to be down', 'operatören är inställd på att vara nere'),
  test_too_late: constant('it could not be handed over in time', 'det kunde inte lämnas över i tid'),
  carrier_stopped: constant('it was stopped', 'operatören stoppades'),
  carrier_stopped_early: constant(
    'the carrier was stopped before it answered',
    'operatören stoppades innan den svarade',
  ),
  carrier_passes_on: constant('it is set to pass this on', 'operatören är inställd på att lämna det vidare'),
  smsc_unclear: constant(
    'the SMSC answered with a generic_nack without an error',
    'operatören svarade med ett fel utan att säga vilket (generic_nack)',
  ),
  http_refused: entry(
    { answer: 'HTTP 400, 21211' },
    ({ answer }) => `the carrier refused it: ${answer}`,
    ({ answer }) => `operatören tog inte emot det: ${answer}`,
  ),
  http_unclear: entry(
    { answer: 'HTTP 500' },
    ({ answer }) => `the carrier’s answer does not say whether it took it: ${answer}`,
    ({ answer }) => `operatörens svar säger inte om det togs emot: ${answer}`,
  ),
  http_silent: entry(
    { ms: 30_000 },
    ({ ms }) => `the carrier did not answer within ${ms} ms`,
    ({ ms }) => `operatören svarade inte inom ${ms} ms`,
  ),
  http_cut: constant(
    'the connection was lost before the carrier had answered',
    'anslutningen bröts innan operatören hade svarat',
  ),
  smsc_lost: entry(
    { why: 'the SMSC closed the connection' },
    ({ why }, told) => `the connection was lost before the SMSC answered: ${told(why)}`,
    ({ why }, told) => `anslutningen bröts innan operatören svarade: ${told(why)}`,
  ),
} as const;
