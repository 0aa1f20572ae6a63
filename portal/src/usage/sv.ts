/** The texts of the page of what was sent, in Swedish. */
import type { en } from './en.ts';

export const sv = {
  title: 'Förbrukning',
  lead: 'SMS-delar som har skickats. Man betalar per del.',
  period: 'Tid',
  periods: { 12: 'Tolv månader', 6: 'Sex månader', 3: 'Tre månader', 1: 'Den här månaden' },
  by: 'Per',
  groups: { month: 'Månad', username: 'Användare', costCenter: 'Kostnadsställe' },
  messages: 'Meddelanden',
  parts: 'Delar',
  total: 'Totalt',
  csv: 'CSV',
  csvLabel: 'Exportera summorna som en CSV-fil',
  none: 'Inget skickades under den här tiden',
  noneText: 'Välj en längre tid.',
  noneInAll: 'Det som skickas summeras här, från första meddelandet.',
  noCostCenter: 'Inget',
  chart: 'SMS-delar per månad',
  simulated: (parts: string) => `Av delarna gick ${parts} till en simulator: ingen telefon fick dem.`,
  cutOff: 'Bara de tusen största visas.',
  left: 'Vad som är kvar',
  ofUser: 'För dig',
  ofCompany: 'För företaget',
  limits: { quota: 'Kvot', minute: 'Den här minuten', day: 'I dag (UTC)' },
  leftOf: (left: string, limit: string) => `${left} av ${limit} delar kvar`,
  unlimited: 'Det finns ingen gräns.',
} satisfies typeof en;
