/** The texts of the usage page. */
import { wordsOf } from '../words/words.ts';

export const useUsageWords = wordsOf({
  title: ['Usage', 'Förbrukning'],
  lead: ['SMS parts sent. You pay per part.', 'Skickade sms-delar. Du betalar per del.'],
  period: ['Period', 'Period'],
  periods: {
    12: ['Twelve months', 'Tolv månader'],
    6: ['Six months', 'Sex månader'],
    3: ['Three months', 'Tre månader'],
    1: ['This month', 'Den här månaden'],
  },
  by: ['By', 'Per'],
  groups: {
    month: ['Month', 'Månad'],
    username: ['User', 'Användare'],
    costCenter: ['Cost centre', 'Kostnadsställe'],
  },
  messages: ['Messages', 'Meddelanden'],
  parts: ['Parts', 'Delar'],
  total: ['Total', 'Totalt'],
  csv: ['CSV', 'CSV'],
  csvLabel: ['Export these sums as a CSV file', 'Exportera summorna som en CSV-fil'],
  none: ['Nothing was sent in this period', 'Inget skickades under perioden'],
  noneText: ['Choose a longer period.', 'Välj en längre period.'],
  noneInAll: [
    'Everything sent is added up here, from the first message on.',
    'Det som skickas summeras här, från första meddelandet.',
  ],
  noCostCenter: ['None', 'Inget'],
  chart: ['SMS parts by month', 'Sms-delar per månad'],
  simulated: [
    (parts: string) => `Of these parts, ${parts} went to a simulator: no phone received them.`,
    (parts: string) => `Av delarna gick ${parts} till en simulator: ingen telefon fick dem.`,
  ],
  cutOff: ['Only the thousand largest sums are shown.', 'Bara de tusen största visas.'],
  left: ['Remaining', 'Kvar'],
  ofUser: ['For you', 'För dig'],
  ofCompany: ['For the company', 'För företaget'],
  limits: {
    quota: ['Quota', 'Kvot'],
    minute: ['This minute', 'Den här minuten'],
    day: ['Today (UTC)', 'I dag (UTC)'],
  },
  leftOf: [
    (left: string, limit: string) => `${left} of ${limit} parts left`,
    (left: string, limit: string) => `${left} av ${limit} delar kvar`,
  ],
  unlimited: ['There is no limit.', 'Det finns ingen gräns.'],
});
