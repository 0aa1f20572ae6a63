/** `carillon receipts`: shows delivery receipts that belong to no message, and how to fix that. */
import { Command } from 'commander';
import { StartError } from '../foundation/errors.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { statusNames } from '../messages/message.ts';
import { type CarrierIdRule, reportUnmatched, type UnmatchedReport } from '../messages/receipts/unmatched.ts';
import { inStore } from './as-operator.ts';
import { instant, iso, type JsonOption, jsonOption, limitOption, printRows } from './list.ts';

const shown = 100;
const maxShown = 10_000;

export function receiptsCommand(): Command {
  const receipts = new Command('receipts');
  receipts
    .command('unmatched')
    .description('show the latest receipts that match no message, or that could not be read')
    .option('--carrier <name>', 'receipts of this carrier only')
    .addOption(limitOption(shown, maxShown))
    .option(...jsonOption)
    .action(unmatched);
  return receipts;
}

interface UnmatchedOptions extends JsonOption {
  readonly carrier?: string | null;
  readonly limit: number;
}

async function unmatched({ carrier = null, limit, json = false }: UnmatchedOptions): Promise<void> {
  await inStore(async (store) => {
    const report = await store.read(reportUnmatched, { carrier, limit });
    if (report === null) throw new StartError(`There is no carrier ${carrier}.`);
    if (json) return printJson(asJson(report), 2);
    if (report.receipts.length === 0) return print('Every receipt has been matched to its message.');
    printRows(report.receipts, columns);
    for (const rule of report.idRules) print('', ...advice(rule));
  });
}

type Receipt = UnmatchedReport['receipts'][number];

const columns = {
  RECEIVED: ({ receivedAt }: Receipt) => instant(receivedAt),
  CARRIER: ({ carrier }: Receipt) => carrier,
  "CARRIER'S ID": ({ carrierMessageId }: Receipt) => carrierMessageId ?? '',
  TO: ({ recipient }: Receipt) => recipient ?? '',
  STATUS: ({ status }: Receipt) => (status === null ? 'unreadable' : statusNames[status]),
  ERROR: ({ errorCode }: Receipt) => errorCode ?? '',
  TEXT: ({ text }: Receipt) => (text === null ? '' : JSON.stringify(text)),
};

/** `idRules` lists id formats that would match, which the sentences for people recommend. */
function asJson({ receipts, idRules }: UnmatchedReport) {
  return {
    receipts: receipts.map(({ receivedAt, status, ...receipt }) => ({
      receivedAt: iso(receivedAt),
      ...receipt,
      status: status === null ? null : statusNames[status],
    })),
    idRules,
  };
}

const relations = {
  text: 'the same text except for letter case and leading zeros',
  hexToDecimal: 'hexadecimal at submission and decimal in the receipt',
  decimalToHex: 'decimal at submission and hexadecimal in the receipt',
} as const;

function advice({ carrier, rule, matching, of }: CarrierIdRule): readonly string[] {
  return [
    `Of the latest ${of} ids from ${carrier}, ${matching} are ids of parts that the carrier accepted: ${relations[rule]}.`,
    `Set "messageId: ${rule}" in the settings of ${carrier}, and apply them.`,
  ];
}
