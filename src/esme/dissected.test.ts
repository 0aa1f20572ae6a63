/** What the server sends, as Wireshark's dissector sees it. */
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { putCompany, putSmppLogin, putUser } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { clientServer } from '../../test/harness/client-server.ts';
import { putSimulator } from '../../test/harness/delivery-verbs.ts';
import { keepIncoming } from '../../test/harness/esme-verbs.ts';
import { sendingOn } from '../../test/harness/sending-node.ts';
import { sqliteStore } from '../../test/harness/stores.ts';
import { type Dissected, dissect, hasTshark } from '../../test/harness/tshark.ts';
import { holdReader } from '../changes/held-reader.ts';
import { markJournal } from '../changes/journal.ts';
import { enterNode } from '../messages/nodes/store.ts';
import type { Store } from '../storage/store.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import { encodePdu, type PduInput } from '../wire/smpp/pdu.ts';
import { clientReader, deliveriesTopic, keepClientReader, takeClientChanges } from './take-changes-store.ts';

const start = Date.parse('2026-06-01T12:00:00Z');
const fields = [
  ...['command_id', 'command_status', 'sequence_number', 'system_id', 'SC_interface_version', 'message_id'],
  ...['source_addr', 'source_addr_ton', 'destination_addr', 'esm.submit.msg_type', 'data_coding', 'message'],
  ...['message_payload', 'receipted_message_id', 'message_state', 'user_message_reference', 'final_date'],
  ...['dlist_resp', 'error_status_code', 'error_code'],
].map((name) => `smpp.${name}`);

/** A connection that keeps the octets of each PDU that comes, whatever it is. */
class Recorder {
  readonly pdus: Buffer[] = [];
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').on('error', () => undefined);
    this.#socket.on('data', (octets: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, octets]);
      while (this.#rest.length >= 4 && this.#rest.length >= this.#rest.readUInt32BE(0)) {
        const length = this.#rest.readUInt32BE(0);
        this.pdus.push(this.#rest.subarray(0, length));
        this.#rest = this.#rest.subarray(length);
      }
    });
  }

  write(octets: Buffer): void {
    this.#socket.write(octets);
  }

  /** Resolves with what the server sends next. */
  async ask(pdu: PduInput): Promise<Buffer> {
    const before = this.pdus.length;
    this.write(encodePdu(pdu));
    await until(() => this.pdus.length > before);
    return this.pdus[before] as Buffer;
  }
}

function messageIdIn(pdu: Buffer): string {
  return pdu.subarray(16, pdu.indexOf(0, 16)).toString();
}

const deliverSm = 5;

describe.skipIf(!hasTshark)('Wireshark’s dissector', () => {
  sqliteStore('of a client’s connection', (engine) => {
    let store: Store;
    beforeEach(async () => {
      store = (await engine.openFreshStore()).store;
      await store.write(putCompany, { id: 1, name: 'Clinic' });
      await store.write(putUser, {
        id: 11,
        companyId: 1,
        username: 'anna',
        roles: ['send'],
        defaultSender: 'Clinic',
      });
      await store.write(putSmppLogin, { username: 'anna' });
      await store.write(putSimulator, { id: 1, name: 'sim' });
      await store.write(enterNode, { nodeId: 1, now: start });
      await store.write(keepClientReader, null);
      await store.write(holdReader, { name: clientReader, nodeId: 1 });
    });

    test('[ESME-1] [ESME-2] [ESME-3] What the server sends is well formed, and each field is what it should be', async () => {
      const server = clientServer({ store, sending: sendingOn(store, { now: () => start }) });
      const [port = 0] = await server.listen();
      const stranger = new Recorder(port);
      const older = new Recorder(port);
      const client = new Recorder(port);
      const bind = { sequence: 1, systemId: 'anna', password: '', interfaceVersion: 0x34 } as const;
      await stranger.ask({ ...bind, command: 'bindTransmitter', systemId: 'nobody' });
      await older.ask({ ...bind, command: 'bindReceiver', interfaceVersion: 0x33 });
      await older.ask({ command: 'unbind', sequence: 2 });
      await client.ask({ ...bind, command: 'bindTransceiver' });

      const numbered = (destinationAddr: string) => ({ destAddrTon: 1, destAddrNpi: 1, destinationAddr });
      const [good, wrong] = [numbered('46731234567'), numbered('12')];
      const hello = {
        ...good,
        shortMessage: Buffer.from('Hello'),
        registeredDelivery: 1,
        tlvs: { userMessageReference: 77 },
      };
      const id = messageIdIn(await client.ask({ ...hello, command: 'submitSm', sequence: 2 }));
      await client.ask({ ...hello, ...wrong, command: 'submitSm', sequence: 3 });
      await client.ask({
        ...hello,
        command: 'submitSm',
        sequence: 4,
        dataCoding: 4,
        shortMessage: Buffer.from([1, 2, 250]),
      });
      await client.ask({
        ...good,
        command: 'dataSm',
        sequence: 5,
        tlvs: { messagePayload: Buffer.from('Hi') },
      });
      const destAddresses = [good, wrong];
      await client.ask({
        command: 'submitMulti',
        sequence: 6,
        destAddresses,
        shortMessage: Buffer.from('All'),
      });
      await client.ask({ command: 'querySm', sequence: 7, messageId: id });
      await client.ask({ command: 'cancelSm', sequence: 8, messageId: id });
      await client.ask({ command: 'cancelSm', sequence: 9, messageId: id });
      await client.ask({ command: 'querySm', sequence: 10, messageId: id });
      await client.ask({ command: 'querySm', sequence: 11, messageId: '5' });
      await client.ask({ command: 'replaceSm', sequence: 12, messageId: id });
      await client.ask({ command: 'enquireLink', sequence: 13 });
      await client.ask({ ...hello, command: 'submitSm', sequence: 14, replaceIfPresentFlag: 1 });
      client.write(Buffer.from('00000010000000ff000000000000000f', 'hex'));
      await until(() => client.pdus.length === 15);

      const { place: to } = await store.read(markJournal, null);
      await store.write(takeClientChanges, { nodeId: 1, to, limit: 100, now: start });
      const texts = ['Åh, ja', 'Ж', 'Ж'.repeat(150)];
      for (const [index, text] of texts.entries())
        await store.write(keepIncoming, { id: 90_000 + index, userId: 11, text });
      store.announce(deliveriesTopic);
      await until(() => client.pdus.length === 19);
      for (const pdu of client.pdus.slice(15))
        client.write(encodePdu({ command: 'deliverSmResp', sequence: pdu.readUInt32BE(12) }));
      const stopping = server.stop();
      await until(() => client.pdus.length === 20);
      client.write(encodePdu({ command: 'unbindResp', sequence: client.pdus.at(-1)?.readUInt32BE(12) ?? 0 }));
      await stopping;

      const all = [...stranger.pdus, ...older.pdus, ...client.pdus];
      const seen = await dissect(all, [...fields, '_ws.malformed']);
      expect(seen.map((pdu) => pdu['_ws.malformed']).filter(Boolean)).toEqual([]);
      const shown = seen.map((pdu) => summary(pdu));
      const own = { system_id: 'carillon' };
      const state = (code: number) => ({ message_id: id, message_state: code });
      expect(shown.slice(0, -5)).toMatchObject([
        { command: 'bindTransmitterResp', status: commandStatus.ESME_RINVPASWD },
        { command: 'bindReceiverResp', status: 0, ...own },
        { command: 'unbindResp', status: 0 },
        { command: 'bindTransceiverResp', status: 0, ...own, SC_interface_version: 0x34 },
        { command: 'submitSmResp', status: 0, sequence: 2, message_id: id },
        { command: 'submitSmResp', status: commandStatus.ESME_RINVDSTADR },
        { command: 'submitSmResp', status: 0x104 },
        { command: 'dataSmResp', status: 0, message_id: expect.stringMatching(/^\d+$/) },
        {
          command: 'submitMultiResp',
          status: 0,
          destination_addr: '12',
          error_status_code: commandStatus.ESME_RINVDSTADR,
        },
        { command: 'querySmResp', status: 0, ...state(1) },
        { command: 'cancelSmResp', status: 0 },
        { command: 'cancelSmResp', status: commandStatus.ESME_RCANCELFAIL },
        {
          command: 'querySmResp',
          status: 0,
          ...state(4),
          error_code: 0,
          final_date: expect.stringMatching(/2026/),
        },
        { command: 'querySmResp', status: commandStatus.ESME_RINVMSGID },
        { command: 'replaceSmResp', status: commandStatus.ESME_RREPLACEFAIL },
        { command: 'enquireLinkResp', status: 0, sequence: 13 },
        { command: 'submitSmResp', status: commandStatus.ESME_RINVREPFLAG },
        { command: 'genericNack', status: commandStatus.ESME_RINVCMDID, sequence: 15 },
      ]);
      expect(shown[1]).not.toHaveProperty('SC_interface_version');
      const phone = { source_addr: '46701740600', source_addr_ton: 1, destination_addr: '46731230001' };
      const inUcs2 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
      const [receipt, ...rest] = shown.slice(-5);
      expect(receipt).toMatchObject({
        command: 'deliverSm',
        source_addr: '46731234567',
        destination_addr: 'Clinic',
        'esm.submit.msg_type': 1,
        receipted_message_id: id,
        message_state: 4,
        user_message_reference: 77,
        message: Buffer.from(
          `id:${id} sub:001 dlvrd:000 submit date:2606011200 done date:2606011200 stat:DELETED err:003 text:Hello`,
        ).toString('hex'),
      });
      expect(rest).toMatchObject([
        { command: 'deliverSm', ...phone, data_coding: 0, message: '0e682c206a61', 'esm.submit.msg_type': 0 },
        { command: 'deliverSm', ...phone, data_coding: 8, message: inUcs2('Ж') },
        { command: 'deliverSm', ...phone, data_coding: 8, message_payload: inUcs2(texts[2] as string) },
        { command: 'unbind' },
      ]);
    });
  });
});

const names: Readonly<Record<number, string>> = {
  2147483648: 'genericNack',
  2147483649: 'bindReceiverResp',
  2147483650: 'bindTransmitterResp',
  2147483651: 'querySmResp',
  2147483652: 'submitSmResp',
  [deliverSm]: 'deliverSm',
  6: 'unbind',
  2147483654: 'unbindResp',
  2147483655: 'replaceSmResp',
  2147483656: 'cancelSmResp',
  2147483657: 'bindTransceiverResp',
  2147483669: 'enquireLinkResp',
  2147483681: 'submitMultiResp',
  2147483907: 'dataSmResp',
};

/** The fields by their names in the standard, with numbers as numbers. */
function summary(pdu: Dissected): Readonly<Record<string, unknown>> {
  const texts = [
    'message',
    'message_payload',
    'message_id',
    'receipted_message_id',
    'destination_addr',
    'source_addr',
  ];
  const entries = Object.entries(pdu).map(([name, value]) => {
    const short = name.replace('smpp.', '');
    const number = Number(value);
    return [short, texts.includes(short) || Number.isNaN(number) ? value : number];
  });
  const {
    command_id,
    command_status: status,
    sequence_number: sequence,
    ...rest
  } = Object.fromEntries(entries);
  return { command: names[command_id], status, sequence, ...rest };
}
