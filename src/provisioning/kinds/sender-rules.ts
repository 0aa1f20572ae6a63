/**
 * Sender rules of a company in a provisioning file: which sender id the mail of a domain gets if an entry has `senderLogic`.
 */
import { type SenderRuleRecord, senderRuleRecords } from '../../email/senders/entry-records.ts';
import { parseDomain } from '../../wire/email-address.ts';
import { needed, optional, ruled } from '../../yaml/fields.ts';
import { remove, sender } from '../objects/fields.ts';
import { type Kind, namedIn } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { type Planned, planned } from '../objects/planned.ts';

interface SenderRulePlan extends Planned, SenderRuleRecord {}

export const senderRules: Kind<SenderRulePlan, SenderRuleRecord> = {
  section: 'senderRules',
  within: 'company',
  noun: 'this domain',
  /** A rule to be removed needs only its domain. */
  read: planned(
    { domain: needed(ruled(parseDomain), ''), sender: optional(sender, ''), remove },
    { needs: ['sender'] },
  ),
  keyField: 'domain',
  keyOf: ({ company, domain }) => `${domain} ${company}`,
  load: (reading, scope) => senderRuleRecords.read(reading, { company: namedIn(scope, 'companies').keys }),
  after: ({ company, domain, sender }) => ({ company, domain, sender }),
  senders: {
    fields: ['sender'],
    nameOf: ({ domain }) => `the sender rule of ${domain}`,
    many: 'the sender rules',
  },
  describe: lines(({ domain, company }) => `sender rule of ${domain} in ${company}`, {
    keys: ['domain', 'company'],
  }),
  create: senderRuleRecords.put,
  change: senderRuleRecords.put,
  remove: senderRuleRecords.remove,
};
