/** A table of SMPP's optional parameters by name: those of 3.4 (section 5.3), and those that 5.0 added. */

export type TlvKind = 'octet' | 'uint16' | 'uint32' | 'text' | 'octets';

export const tlvTable = {
  destAddrSubunit: [0x0005, 'octet'],
  destNetworkType: [0x0006, 'octet'],
  destBearerType: [0x0007, 'octet'],
  destTelematicsId: [0x0008, 'uint16'],
  sourceAddrSubunit: [0x000d, 'octet'],
  sourceNetworkType: [0x000e, 'octet'],
  sourceBearerType: [0x000f, 'octet'],
  sourceTelematicsId: [0x0010, 'octet'],
  qosTimeToLive: [0x0017, 'uint32'],
  payloadType: [0x0019, 'octet'],
  additionalStatusInfoText: [0x001d, 'text'],
  receiptedMessageId: [0x001e, 'text'],
  msMsgWaitFacilities: [0x0030, 'octet'],
  privacyIndicator: [0x0201, 'octet'],
  sourceSubaddress: [0x0202, 'octets'],
  destSubaddress: [0x0203, 'octets'],
  userMessageReference: [0x0204, 'uint16'],
  userResponseCode: [0x0205, 'octet'],
  sourcePort: [0x020a, 'uint16'],
  destinationPort: [0x020b, 'uint16'],
  sarMsgRefNum: [0x020c, 'uint16'],
  languageIndicator: [0x020d, 'octet'],
  sarTotalSegments: [0x020e, 'octet'],
  sarSegmentSeqnum: [0x020f, 'octet'],
  scInterfaceVersion: [0x0210, 'octet'],
  callbackNumPresInd: [0x0302, 'octet'],
  callbackNumAtag: [0x0303, 'octets'],
  numberOfMessages: [0x0304, 'octet'],
  callbackNum: [0x0381, 'octets'],
  dpfResult: [0x0420, 'octet'],
  setDpf: [0x0421, 'octet'],
  msAvailabilityStatus: [0x0422, 'octet'],
  networkErrorCode: [0x0423, 'octets'],
  messagePayload: [0x0424, 'octets'],
  deliveryFailureReason: [0x0425, 'octet'],
  moreMessagesToSend: [0x0426, 'octet'],
  messageState: [0x0427, 'octet'],
  congestionState: [0x0428, 'octet'],
  ussdServiceOp: [0x0501, 'octet'],
  broadcastChannelIndicator: [0x0600, 'octet'],
  broadcastContentType: [0x0601, 'octets'],
  broadcastContentTypeInfo: [0x0602, 'octets'],
  broadcastMessageClass: [0x0603, 'octet'],
  broadcastRepNum: [0x0604, 'uint16'],
  broadcastFrequencyInterval: [0x0605, 'octets'],
  broadcastAreaIdentifier: [0x0606, 'octets'],
  broadcastErrorStatus: [0x0607, 'uint32'],
  broadcastAreaSuccess: [0x0608, 'octet'],
  broadcastEndTime: [0x0609, 'text'],
  broadcastServiceGroup: [0x060a, 'octets'],
  billingIdentification: [0x060b, 'octets'],
  sourceNetworkId: [0x060d, 'text'],
  destNetworkId: [0x060e, 'text'],
  sourceNodeId: [0x060f, 'octets'],
  destNodeId: [0x0610, 'octets'],
  destAddrNpResolution: [0x0611, 'octet'],
  destAddrNpInformation: [0x0612, 'octets'],
  destAddrNpCountry: [0x0613, 'octets'],
  displayTime: [0x1201, 'octet'],
  smsSignal: [0x1203, 'uint16'],
  msValidity: [0x1204, 'octets'],
  alertOnMessageDelivery: [0x130c, 'octets'],
  itsReplyType: [0x1380, 'octet'],
  itsSessionInfo: [0x1383, 'octets'],
} as const satisfies Readonly<Record<string, readonly [tag: number, kind: TlvKind]>>;

export type TlvName = keyof typeof tlvTable;

/** A parameter that is not in the table, is repeated, or does not have the length of its kind. */
export interface UnknownTlv {
  readonly tag: number;
  readonly value: Buffer;
}

interface ValueOfKind {
  readonly octet: number;
  readonly uint16: number;
  readonly uint32: number;
  readonly text: string;
  readonly octets: Buffer;
}

export type Tlvs = {
  readonly [Name in TlvName]?: ValueOfKind[(typeof tlvTable)[Name][1]];
} & { readonly unknown?: readonly UnknownTlv[] };
