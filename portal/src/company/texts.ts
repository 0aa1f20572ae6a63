/** The texts of the company's page. */
import { wordsOf } from '../words/words.ts';

export const useCompanyWords = wordsOf({
  title: ['Company', 'Företag'],
  lead: [
    (name: string) => `What holds for everybody at ${name}.`,
    (name: string) => `Det som gäller för alla i ${name}.`,
  ],
  sending: ['Sending', 'Sändning'],
  defaultSender: ['Default sender', 'Förvald avsändare'],
  defaultSenderHint: [
    'For users without a sender of their own. Up to 11 letters and digits, or a number.',
    'För användare utan egen avsändare. Högst 11 bokstäver och siffror, eller ett nummer.',
  ],
  countryCode: ['Country code', 'Landsnummer'],
  countryCodeHint: [
    (code: string) =>
      code === ''
        ? 'Numbers that begin with a 0 are refused unless a call or page gives a code: 46 for Sweden.'
        : `Numbers that begin with a 0 are read as numbers in this country: 070… becomes +${code} 70…`,
    (code: string) =>
      code === ''
        ? 'Nummer som börjar med 0 tas inte emot om inget landsnummer anges där de skrivs: 46 för Sverige.'
        : `Nummer som börjar med 0 läses som nummer i det landet: 070… blir +${code} 70…`,
  ],
  language: ['Language of e-mails', 'Språk i e-post'],
  languages: { en: ['English', 'Engelska'], sv: ['Swedish', 'Svenska'] },
  timeZone: ['Time zone', 'Tidszon'],
  timeZoneHint: [
    'For send hours, records of jobs, and times in e-mails. Pages show times in your own zone.',
    'För sändningstider, jobbens protokoll och klockslag i e-post. Sidorna visar tider i din egen zon.',
  ],
  noZone: ['Not chosen (UTC)', 'Inte vald (UTC)'],
  costCenters: ['Cost centres', 'Kostnadsställen'],
  costCentersHint: [
    'One per line: code; name. They are suggested where a cost centre is typed; others work too.',
    'Ett per rad: kod; namn. De föreslås där kostnadsställe anges, men andra går också bra.',
  ],
  secondFactor: ['Who must sign in with a second factor', 'Vilka som måste logga in i två steg'],
  secondFactorHint: [
    'Those without one set it up at the next sign-in.',
    'Den som saknar ett andra steg ställer in det vid nästa inloggning.',
  ],
  factorRules: {
    optional: ['Nobody', 'Ingen'],
    administrators: ['Administrators', 'Administratörer'],
    everyone: ['Everybody', 'Alla'],
  },
  optOuts: ['People who have opted out', 'De som har avanmält sig'],
  optOutsHint: [
    'People opt out with STOP to a number of yours, or you enter them.',
    'Man avanmäler sig med STOPP till ett av era nummer, eller läggs in av er.',
  ],
  policies: {
    off: ['Get SMS all the same', 'Får sms ändå'],
    honour: ['Get none', 'Får inga'],
    essentialPasses: ['Get essential ones only', 'Får bara viktiga'],
  },
  hours: ['Send hours', 'Sändningstider'],
  hoursLead: [
    'When batches may go out. Single messages, answers and alarms go out at all hours.',
    'När utskick får gå ut. Enstaka sms, svar och larm går ut dygnet runt.',
  ],
  isLimited: ['Batches go out', 'Utskick går ut'],
  limited: { no: ['At all hours', 'Dygnet runt'], yes: ['Between certain hours', 'Mellan vissa tider'] },
  sendHoursFrom: ['From', 'Från'],
  sendHoursTo: ['To', 'Till'],
  sendHoursZone: ['Time zone of the hours', 'Tidszon för tiderna'],
  ofCompany: ['The company’s', 'Företagets'],
  sendHoursBatch: ['A batch outside these hours', 'Ett utskick utanför tiderna'],
  outside: {
    delay: ['Waits until they begin', 'Väntar tills de börjar'],
    drop: ['Is not sent at all', 'Skickas inte alls'],
  },
  limits: ['Limits', 'Gränser'],
  limitsLead: [
    'Set by your operator. Ask them if you need others.',
    'De bestäms av driften. Fråga dem om ni behöver andra.',
  ],
  left: ['See what is left of them', 'Se vad som är kvar'],
  senders: ['Senders', 'Avsändare'],
  countries: ['Countries', 'Länder'],
  quotaParts: ['SMS parts in all', 'Sms-delar totalt'],
  partsPerDay: ['SMS parts per day', 'Sms-delar per dygn'],
  partsPerMinute: ['SMS parts per minute', 'Sms-delar per minut'],
  mailsPerDay: ['E-mails of jobs per day', 'E-post från jobb per dygn'],
  any: ['Any', 'Alla'],
  unlimited: ['No limit', 'Ingen gräns'],
  save: ['Save', 'Spara'],
  saved: ['Saved. It holds from now on.', 'Sparat. Det gäller från och med nu.'],
});
