/** Tests the codec against others: npm's smpp in both directions, and Wireshark's dissector. */
import fc from 'fast-check';
import smpp from 'smpp';
import { describe, expect, test } from 'vitest';
import { commandNames, noLimits, type PduLimits, pdus } from '../../../test/harness/smpp-pdus.ts';
import { dissect, hasTshark } from '../../../test/harness/tshark.ts';
import { commandStatus } from './command-status.ts';
import { type CommandName, commands, type Field } from './commands.ts';
import { encodePdu, type Pdu, PduReader } from './pdu.ts';
import { type TlvName, tlvTable } from './tlvs.ts';

/**
 * The parameters that both codecs treat alike. npm's smpp has its own filters for further parameters, and a different
 * length for one parameter.
 */
const sharedTlvs: readonly TlvName[] = [
  'destAddrSubunit',
  'sourceNetworkType',
  'destTelematicsId',
  'qosTimeToLive',
  'payloadType',
  'additionalStatusInfoText',
  'receiptedMessageId',
  'privacyIndicator',
  'sourceSubaddress',
  'userMessageReference',
  'sourcePort',
  'sarMsgRefNum',
  'languageIndicator',
  'sarTotalSegments',
  'sarSegmentSeqnum',
  'scInterfaceVersion',
  'networkErrorCode',
  'messageState',
  'moreMessagesToSend',
  'ussdServiceOp',
  'itsSessionInfo',
];

/**
 * In npm's smpp, texts are ASCII, a status other than 0 omits the body, times become dates, and data_coding 4 keeps the
 * text as octets, which bit 6 of esm_class would cut.
 */
const npmLimits: PduLimits = {
  maxCharacter: 0x7f,
  tlvs: sharedTlvs,
  unknownTlvs: false,
  fields: {
    status: fc.constant(0),
    dataCoding: fc.constant(4),
    esmClass: fc.integer({ min: 0, max: 0x3f }),
    scheduleDeliveryTime: fc.constant(''),
    validityPeriod: fc.constant(''),
    finalDate: fc.constant(''),
  },
};

/** A field of the query response has the same name as a parameter, and npm's smpp has a single place for both. */
const npmQueryLimits: PduLimits = {
  ...npmLimits,
  tlvs: sharedTlvs.filter((name) => name !== 'messageState'),
};

function npmPdus(command: CommandName): fc.Arbitrary<Pdu> {
  return pdus(command === 'querySmResp' ? npmQueryLimits : npmLimits, [command]);
}

const differentNames: Readonly<Record<string, string>> = {
  destAddresses: 'dest_address',
  unsuccessSmes: 'unsuccess_sme',
  distributionList: 'dl_name',
  destinationPort: 'dest_port',
};

function snakeCase(name: string): string {
  return differentNames[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function inTheirNames(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      snakeCase(name),
      Array.isArray(value) ? value.map(inTheirNames) : value,
    ]),
  );
}

function asTheirs({ command: _, status, sequence, tlvs, ...fields }: Pdu): Record<string, unknown> {
  return { command_status: status, sequence_number: sequence, ...inTheirNames({ ...fields, ...tlvs }) };
}

describe('npm’s smpp', () => {
  test('[DLV-3] Our tags of optional parameters are the same as those of npm’s smpp', () => {
    const ours = Object.entries(tlvTable).map(([name, [id]]) => ({ name: snakeCase(name), id }));
    expect(ours).toEqual(ours.map(({ name }) => ({ name, id: smpp.tlvs[name]?.id })));
    const theirIds = Object.values(smpp.tlvs).map(({ id }) => id);
    expect(new Set(ours.map(({ id }) => id))).toEqual(new Set(theirIds));
  });

  test('[DLV-3] Our values of command_status are the same as those of npm’s smpp', () => {
    expect(new Set(Object.values(commandStatus))).toEqual(new Set(Object.values(smpp.errors)));
  });

  for (const command of commandNames) {
    test(`[DLV-3] Our ${command} is read by npm’s smpp as we mean it`, () => {
      fc.assert(
        fc.property(npmPdus(command), (pdu) => {
          const theirs = new smpp.PDU(encodePdu(pdu));
          const { short_message, ...expected } = asTheirs(pdu);
          expect(theirs).toMatchObject({ command: snakeCase(command), ...expected });
          // If there is a data_coding, npm's smpp turns the field into a text.
          if (short_message !== undefined)
            expect(theirs.short_message).toEqual(
              'data_coding' in expected ? { message: short_message } : short_message,
            );
        }),
      );
    });

    test(`[DLV-3] The ${command} of npm’s smpp is read as npm’s smpp means it`, () => {
      fc.assert(
        fc.property(npmPdus(command), (pdu) => {
          const reader = new PduReader();
          reader.push(new smpp.PDU(snakeCase(command), asTheirs(pdu)).toBuffer());
          expect(reader.next()).toEqual(pdu);
          expect(reader.next()).toBeUndefined();
        }),
      );
    });
  }
});

/**
 * Parameters with one dissected field per value. Wireshark's tables for addresses and for parameters beyond SMPP 3.4 have
 * other fields.
 */
const dissectedTlvs: readonly TlvName[] = sharedTlvs.filter(
  (name) => !['sourceSubaddress', 'networkErrorCode', 'itsSessionInfo', 'scInterfaceVersion'].includes(name),
);

const tsharkLimits: PduLimits = {
  ...noLimits,
  // Wireshark writes other characters in its own ways.
  maxCharacter: 0x7e,
  tlvs: dissectedTlvs,
  unknownTlvs: false,
  // Wireshark shows the lowest bit of a flag.
  fields: { ...npmLimits.fields, replaceIfPresentFlag: fc.integer({ min: 0, max: 1 }) },
};

/** The other PDUs have no parameters in SMPP 3.4, or only a single one that is theirs alone. */
const withTlvs: ReadonlySet<CommandName> = new Set(['submitSm', 'deliverSm', 'submitMulti', 'dataSm']);

function tsharkPdus(command: CommandName): fc.Arbitrary<Pdu> {
  return pdus(withTlvs.has(command) ? tsharkLimits : { ...tsharkLimits, tlvs: [] }, [command]);
}

/** Wireshark's single fields, by our names for them, if they hold the value unchanged. */
function dissectedFields(pdu: Pdu): [name: string, expected: unknown][] {
  const { tlvs, ...values } = pdu;
  const fields: Readonly<Record<string, Field>> = commands[pdu.command].fields;
  return Object.entries({ ...values, ...tlvs })
    .filter(([name, value]) => (name in fields || name in tlvs) && !unlikeOurs.has(name) && value !== '')
    .map(([name, value]) => [`smpp.${snakeCase(name)}`, value]);
}

/** Fields that Wireshark shows differently: bit fields, octets, times and lists. */
const unlikeOurs: ReadonlySet<string> = new Set([
  'esmClass',
  'registeredDelivery',
  'dataCoding',
  'shortMessage',
  'scheduleDeliveryTime',
  'validityPeriod',
  'finalDate',
  'destAddresses',
  'unsuccessSmes',
  'interfaceVersion',
]);

describe.skipIf(!hasTshark)('Wireshark’s dissector', () => {
  test('[DLV-3] Wireshark’s dissector sees in our PDUs of every command the values that we put in', async () => {
    const sent = commandNames.flatMap((command) => fc.sample(tsharkPdus(command), { numRuns: 25, seed: 7 }));
    const names = [...new Set(sent.flatMap((pdu) => dissectedFields(pdu).map(([name]) => name)))];
    const header = ['smpp.command_id', 'smpp.command_status', 'smpp.sequence_number', '_ws.malformed'];
    const dissected = await dissect(sent.map(encodePdu), [...header, ...names, 'smpp.message']);
    expect(dissected).toHaveLength(sent.length);
    for (const [index, pdu] of sent.entries()) {
      const seen = dissected[index]!;
      const expected = dissectedFields(pdu);
      expect(seen['_ws.malformed']).toBeUndefined();
      expect(Number(seen['smpp.command_id'])).toBe(commands[pdu.command].id);
      expect(Number(seen['smpp.sequence_number'])).toBe(pdu.sequence);
      expect(expected.map(([name, value]) => [name, asValue(seen[name], value)])).toEqual(expected);
      if ('shortMessage' in pdu && pdu.shortMessage.length > 0)
        expect(seen['smpp.message']).toBe(pdu.shortMessage.toString('hex'));
    }
  });
});

/** Wireshark writes numbers in decimal or hexadecimal. */
function asValue(seen: string | undefined, expected: unknown): unknown {
  return typeof expected === 'number' && seen !== undefined ? Number(seen) : seen;
}
