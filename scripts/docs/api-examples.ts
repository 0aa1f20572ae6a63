/**
 * The parts of the API reference that the endpoint tables can't express: who may call, and an example call with its answer.
 * The answers are those that the demo company of a first start gets if the examples are called in page order, before anything
 * else is sent.
 */

export interface Example {
  /** The account needs one of these roles; empty allows any account. */
  readonly roles: readonly string[];
  /** The call as it can be pasted into a shell, after the settings at the top of the page. */
  readonly curl: string;
  /** The server's answer. */
  readonly answer: string;
}

const reading = ['send', 'jobs', 'companyAdmin'];
const listKeeping = ['companyAdmin', 'emailAdmin'];

export const examples: Readonly<Record<string, Example>> = {
  '/restsms/svcrest/send': {
    roles: ['send'],
    curl: `# By GET: one recipient, a text in UTF-8, the number of parts in the answer
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" -G "$CARILLON_URL/restsms/svcrest/send" \\
  -d T=46701740699 --data-urlencode "M8=Välkommen" -d N=T

# By POST: texts of their own
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/send" -d '{
  "message": "Dear {name}, welcome at {time}.",
  "tosubst": [
    { "to": "+46 70 174 06 99", "subst": { "{name}": "Anna", "{time}": "10:30" } },
    { "to": "+46 70 174 06 98", "subst": { "{name}": "Bo", "{time}": "11:00" } }
  ]
}'

# People of the address book: those of a saved filter, and the members of a group
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/send" -d '{
  "message": "Meeting at 9", "toaddressbooksavedtagfilters": ["nurses"], "toaddressbookgroups": ["board"]
}'`,
    answer: `{"accepted":[{"to":"46701740699","id":"1000000001","parts":"1"}],"rejected":[]}
{"accepted":[{"to":"46701740699","id":"1000000002"},{"to":"46701740698","id":"1000000003"}],"rejected":[]}
{"accepted":[{"to":"46701740620","id":"1000000004"},{"to":"46701740622","id":"1000000005"},{"to":"46701740629","id":"1000000006"},{"to":"46701740621","id":"1000000007"}],"rejected":[]}`,
  },
  '/restsms/svcrest/send/single': {
    roles: ['send'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/send/single" \\
  -d '{ "to": "46701740699", "message": "Dear NAME", "holder1": "NAME", "subst1": "Anna" }'`,
    answer: '{"to":"46701740699","id":"1000000008","parts":"1"}',
  },
  '/restsms/svcrest/status': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/status?N=1&R=F"

# Two by their ids
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/status?I=1000000001,7"`,
    answer: `{"statuses":[{"to":"46701740699","from":"Carillon","id":"1000000001","status":"DELIVERED","statuscode":"2","conversation":"","time":"1795232019684"}],"notfound":[]}
{"statuses":[{"to":"46701740699","from":"Carillon","id":"1000000001","status":"DELIVERED","statuscode":"2","conversation":"","time":"1795232019684"}],"notfound":["7"]}`,
  },
  '/restsms/svcrest/status/single': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/status/single" -d '{ "id": "1000000001" }'`,
    answer:
      '{"to":"46701740699","from":"Carillon","id":"1000000001","status":"DELIVERED","statuscode":"2","conversation":"","time":"1795232019684"}',
  },
  '/restsms/svcrest/batchsend/json': {
    roles: ['send'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/batchsend/json" -d '{
  "message": "Dear NAME, welcome.", "holders": ["NAME"], "batchconversation": "autumn",
  "batch": [ { "t": "46701740699", "s": ["Anna"] }, { "t": "46701740698", "m": "Bo, please call us.", "i": "bo" } ]
}'`,
    answer:
      '{"batchid":"100001","batchconversation":"autumn","batchstatuscode":1,"batchstatusdescription":"Received"}',
  },
  '/restsms/svcrest/batchsend/list': {
    roles: ['send'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" \\
  "$CARILLON_URL/restsms/svcrest/batchsend/list?M8=Dear+NAME,+welcome.&H=NAME&BX=autumn" --data-binary '
46701740699;;;Anna
46701740698;Bo%2C+please+call+us.;bo
'`,
    answer:
      '{"batchid":"100002","batchconversation":"autumn","batchstatuscode":1,"batchstatusdescription":"Received"}',
  },
  '/restsms/svcrest/batchinfo': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/batchinfo?BI=100001"`,
    answer:
      '{"batchid":"100001","batchconversation":"autumn","batchstatuscode":0,"batchstatusdescription":"Ok"}',
  },
  '/restsms/svcrest/batchmessageid': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/batchmessageid?BI=100001"`,
    answer: '{"messageids":["1000010001","1000010002"]}',
  },
  '/restsms/svcrest/batchmessagestatus': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/batchmessagestatus?BI=100001&R=F"

# Those of two messages
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/batchmessagestatus?I=1000010001,1000010002"`,
    answer: `{"statuses":[{"to":"46701740699","from":"Carillon","id":"1000010001","status":"DELIVERED","statuscode":"2","conversation":"autumn","time":"1795232019684","batchid":"100001","batchconversation":"autumn"},{"to":"46701740698","from":"Carillon","id":"1000010002","status":"DELIVERED","statuscode":"2","conversation":"bo","time":"1795232019684","batchid":"100001","batchconversation":"autumn"}]}
{"statuses":[{"to":"46701740699","from":"Carillon","id":"1000010001","status":"DELIVERED","statuscode":"2","conversation":"autumn","time":"1795232019684","batchid":"100001","batchconversation":"autumn"},{"to":"46701740698","from":"Carillon","id":"1000010002","status":"DELIVERED","statuscode":"2","conversation":"bo","time":"1795232019684","batchid":"100001","batchconversation":"autumn"}]}`,
  },
  '/restsms/svcrest/batchstatuscount': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/batchstatuscount?BI=100001"`,
    answer:
      '{"statuses":[{"batchid":"100001","batchconversation":"autumn","counts":{"QUEUED":0,"SENT":0,"DELIVERED":2,"DELETED":0,"EXPIRED":0,"REJECTED":0,"UNDELIVERABLE":0,"ACCEPTED":0,"ABSENTSUBSCRIBER":0,"UNKNOWNSUBSCRIBER":0,"INVALIDDESTINATION":0,"SUBSCRIBERERROR":0,"UNKNOWN":0,"ERROR":0}}]}',
  },
  '/restsms/svcrest/incoming': {
    roles: reading,
    curl: `# A phone of the simulator writes to the number of the demo user
npx carillon simulate incoming --to 46701740605 --from 46701740699 --text "Hi there"

curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/incoming?N=10&R=F"`,
    answer:
      '{"incoming":[{"from":"46701740699","to":"46701740605","id":"1000000001","message":"Hi there","conversation":"","resptoid":"","origmess":"","time":"1795232020814"}],"notfound":[]}',
  },
  '/restsms/svcrest/incoming/single': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/incoming/single" -d '{ "markasread": false }'`,
    answer:
      '{"from":"46701740699","to":"46701740605","id":"1000000001","message":"Hi there","conversation":"","resptoid":"","origmess":"","time":"1795232020814"}',
  },
  '/restsms/svcrest/emailtosms/set': {
    roles: listKeeping,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/emailtosms/set" -d '{
  "email": "Ward7@care.example", "payinguser": "demo", "sender": "Ward7", "maxSms": "3", "includeSubject": true
}'

# A whole domain, blocked, by GET
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" -G "$CARILLON_URL/restsms/svcrest/emailtosms/set" \\
  --data-urlencode "EM=@care.example" -d PU=demo -d BL=T`,
    answer: `{"result":"OK","email":"ward7@care.example","blocked":false,"payinguserId":"10001","payinguserName":"demo","sender":"Ward7","costCenter":"","defaultCountrycode":"","maxSms":3,"checkMobile":false,"includeSubject":true,"onlyNonDelivery":false,"origMsg":false,"splitCallback":false,"senderLogic":false,"allowedDomainEndings":[".example"]}
{"result":"OK","email":"@care.example","blocked":true,"payinguserId":"10001","payinguserName":"demo","sender":"","costCenter":"","defaultCountrycode":"","maxSms":255,"checkMobile":false,"includeSubject":false,"onlyNonDelivery":false,"origMsg":false,"splitCallback":false,"senderLogic":false,"allowedDomainEndings":[".example"]}`,
  },
  '/restsms/svcrest/emailtosms/unset': {
    roles: listKeeping,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" -X DELETE \\
  "$CARILLON_URL/restsms/svcrest/emailtosms/unset?EM=ward7@care.example"`,
    answer: '{"result":"OK","deletedEmail":"ward7@care.example"}',
  },
  '/restsms/svcrest/emailtosms/default': {
    roles: listKeeping,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/emailtosms/default" \\
  -d '{ "payinguser": "demo", "sender": "Care", "defaultCountryCode": "46", "checkMobile": true }'`,
    answer:
      '{"result":"OK","companyId":"1001","payinguserId":"10001","payinguserName":"demo","sender":"Care","costCenter":"","defaultCountrycode":"46","maxSms":255,"checkMobile":true,"includeSubject":false,"onlyNonDelivery":false,"origMsg":false,"splitCallback":false,"senderLogic":false,"allowedDomainEndings":[".example"]}',
  },
  '/restsms/svcrest/emailtosms/querydomains': {
    roles: listKeeping,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/emailtosms/querydomains"`,
    answer: '{"result":"OK","allowedDomainEndings":[".example"]}',
  },
  '/authentication/auth/apikey': {
    roles: [],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/authentication/auth/apikey?name=shop"

# As plain text, for a shell variable
CARILLON_KEY=$(curl -s -u "$CARILLON_USER:$CARILLON_PASSWORD" -H "Accept: text/plain" \\
  "$CARILLON_URL/authentication/auth/apikey?name=shop")`,
    answer: '"demo.1.1.3LPuz-oD6PKkYjMOeUKWIqQNrI1S2ATGzH0v2Ar_e0A"',
  },
  '/addressbook/svcaddressbook/listaddressbooks': {
    roles: [],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/addressbook/svcaddressbook/listaddressbooks"`,
    answer: '{"addressbooks":[{"id":11,"name":"Staff"}]}',
  },
  '/api/v1/events': {
    roles: ['companyAdmin'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/events?webhook=desk&after=0"`,
    answer: '{"events":[],"firstSeq":1,"lastSeq":0}',
  },
  '/api/v1/messages': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/messages?batchId=100002&limit=1"

# What failed for one number
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" -G "$CARILLON_URL/api/v1/messages" \\
  --data-urlencode "to=+46 70 174 06 98" -d status=EXPIRED,REJECTED,UNDELIVERABLE`,
    answer: `{"messages":[{"id":"1000010004","to":"46701740698","from":"Carillon","status":"DELIVERED","statusCode":"2","accepted":"2026-11-21T09:10:00.000Z","changed":"2026-11-21T09:10:00.000Z","parts":1,"username":"demo","batchId":"100002","conversation":"bo","costCenter":"","simulated":true}],"next":"1795434236902.1000010004"}
{"messages":[],"searched":{"as":"number","value":"46701740698"}}`,
  },
  '/api/v1/messages/{id}': {
    roles: reading,
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/messages/1000000001"`,
    answer:
      '{"id":"1000000001","to":"46701740699","from":"Carillon","status":"DELIVERED","statusCode":"2","accepted":"2026-11-21T09:10:00.000Z","changed":"2026-11-21T09:10:00.000Z","parts":1,"username":"demo","conversation":"","costCenter":"","simulated":true,"message":"Välkommen","flash":false,"category":"notification","expires":"2026-11-21T09:10:00.000Z","carrier":"sim","attempts":1,"inDoubt":false,"why":"The simulator sim reports it as delivered, but no phone has received it.","todo":"To send real SMS, the operator must add a route to a real carrier.","timeline":[{"time":"2026-11-21T09:10:00.000Z","what":"accepted","carrier":"sim","details":""},{"time":"2026-11-21T09:10:00.000Z","what":"claimed","carrier":"sim","attempt":1,"details":"attempt 1, node 1"},{"time":"2026-11-21T09:10:00.000Z","what":"taken","part":1,"parts":1,"carrier":"sim","carrierMessageId":"sim-2-1","details":"as sim-2-1"},{"time":"2026-11-21T09:10:00.000Z","what":"receipt","part":1,"parts":1,"carrier":"sim","status":"DELIVERED","receipt":{"text":"id:sim-2-1 sub:001 dlvrd:001 submit date:2611210910 done date:2611210910 stat:DELIVRD err:000 text:","fields":[{"name":"id","value":"sim-2-1","meaning":"The carrier\'s id for the message."},{"name":"sub","value":"001","meaning":"How many parts the carrier counted when it took the message."},{"name":"dlvrd","value":"001","meaning":"How many of them had been delivered when it wrote this."},{"name":"submit date","value":"2611210910","meaning":"When the carrier took the message. 2026-11-21 09:10 on the carrier\'s clock."},{"name":"done date","value":"2611210910","meaning":"When the message reached its final status. 2026-11-21 09:10 on the carrier\'s clock."},{"name":"stat","value":"DELIVRD","meaning":"The phone has received it."},{"name":"err","value":"000","meaning":"No error."},{"name":"text","value":"","meaning":"The beginning of the message."}]},"details":"DELIVERED"}],"leftOut":0}',
  },
  '/api/v1/messages/{id}/cancel': {
    roles: reading,
    curl: `# What is sent too early can be taken back
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/send" \\
  -d '{ "to": ["46701740699"], "message": "Too early", "scheduletime": "'$(date -u -d tomorrow +%FT%TZ)'" }'
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" -X POST "$CARILLON_URL/api/v1/messages/1000000011/cancel"`,
    answer: `{"accepted":[{"to":"46701740699","id":"1000000011"}],"rejected":[]}
{"id":"1000000011","status":"CANCELED"}`,
  },
  '/api/v1/messages/{id}/resend': {
    roles: ['send'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/messages/1000000001/resend" \\
  -H "Idempotency-Key: again-1000000001" -d '{ "validMinutes": 60 }'`,
    answer: '{"to":"46701740699","id":"1000000012","parts":"1"}',
  },
  '/api/v1/scheduled/{id}': {
    roles: reading,
    curl: `# What waits for its time can be given another
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/restsms/svcrest/send" \\
  -d '{ "to": ["46701740699"], "message": "See you", "scheduletime": "'$(date -u -d tomorrow +%FT%TZ)'" }'
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" -X PATCH "$CARILLON_URL/api/v1/scheduled/1000000013" \\
  -H 'If-Match: "1"' -d '{ "scheduleTime": "'$(date -u -d "2 days" +%FT%TZ)'" }'`,
    answer: `{"accepted":[{"to":"46701740699","id":"1000000013"}],"rejected":[]}
{"id":"1000000013","scheduleTime":"2026-11-23T09:10:00.000Z","version":"2"}`,
  },
  '/api/v1/unrouted/{id}/assign': {
    roles: ['companyAdmin'],
    curl: `# An SMS to a number that nobody rents
npx carillon simulate incoming --to 46701740698 --from 46701740699 --text "Is this the clinic?"

curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/unrouted?limit=1"
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/unrouted/1000000002/assign" -d '{ "user": "demo" }'`,
    answer: `{"unrouted":[{"id":"1000000002","from":"46701740699","to":"46701740698","message":"Is this the clinic?","time":"2026-11-21T09:10:00.000Z"}]}
{"id":"1000000002","username":"demo"}`,
  },
  '/api/v1/optouts/nearmisses/{id}/settle': {
    roles: ['companyAdmin'],
    curl: `# An SMS that may mean an opt-out, to a company that honours them
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" -X PATCH "$CARILLON_URL/api/v1/company" -d '{ "optOuts": "honour" }'
npx carillon simulate incoming --to 46701740605 --from 46701740699 --text "Please stop sending"

curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/optouts/nearmisses?limit=1"
curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/optouts/nearmisses/1000000003/settle" -d '{ "optsOut": false }'`,
    answer: `{"name":"Demo","defaultSender":"Carillon","language":"en","costCenters":[],"secondFactor":"optional","optOuts":"honour","partsPerMinute":600,"partsPerDay":20000,"managed":false,"managedKeys":[],"version":"9O_tY6BE915gM0A2"}
{"nearMisses":[{"id":"1000000003","number":"46701740699","to":"46701740605","time":"2026-11-21T09:10:00.000Z","message":"Please stop sending"}]}
{"id":"1000000003","number":"46701740699","to":"46701740605","time":"2026-11-21T09:10:00.000Z","message":"Please stop sending","settledBy":"demo","optsOut":false}`,
  },
  '/api/v1/audit': {
    roles: ['companyAdmin'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/api/v1/audit?limit=2"`,
    answer:
      '{"entries":[{"id":"14","time":"2026-11-21T09:10:00.000Z","username":"demo","channel":"api","act":"optout.settle","object":"46701740699","details":"no opt-out","detailsValues":{"sentence":"does_not_opt_out"}},{"id":"13","time":"2026-11-21T09:10:00.000Z","username":"demo","channel":"api","act":"company.change","object":"Demo","details":"optOuts"}],"next":"1795252200000.13"}',
  },
  '/addressbook/svcaddressbook/listtags': {
    roles: [],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/addressbook/svcaddressbook/listtags?A=11"`,
    answer:
      '{"addressbookid":11,"addressbookname":"Staff","tags":[{"type":"role","typecount":3,"values":[{"value":"doctor","count":1},{"value":"nurse","count":2}]},{"type":"ward","typecount":3,"values":[{"value":"7","count":2},{"value":"8","count":1}]}]}',
  },
  '/dispatch/svcdispatch/listsavedjobs': {
    roles: ['jobs'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/dispatch/svcdispatch/listsavedjobs"`,
    answer: '{"savedJobs":[{"id":71,"name":"Night alarm","type":"QuickAssign"}]}',
  },
  '/dispatch/svcdispatch/startsavedjob': {
    roles: ['jobs'],
    curl: `curl -u "$CARILLON_USER:$CARILLON_PASSWORD" "$CARILLON_URL/dispatch/svcdispatch/startsavedjob" -d '{
  "jobid": 71, "jobname": "Ward 7 tonight"
}'`,
    answer: '{"result":"OK","runtimeid":1001,"jobname":"Ward 7 tonight","errormessage":""}',
  },
};
