/** The phrases that mail programs use to begin subjects, introduce earlier text and sign, in the languages they support. */

/**
 * Separated by commas, and ordered: English, Nordic languages, German, Dutch, Romance, Slavic and Baltic languages,
 * Hungarian, Greek, Turkish, Semitic and East Asian languages.
 */
function phrases(text: string): readonly string[] {
  return text.split(',').map((phrase) => phrase.trim());
}

/** “wrote”, at the end or in the middle of the line above a quotation. In lower case, compared as whole words. */
export const wroteWords = phrases(`
  wrote, writes, skrev, skreiv, kirjoitti, skrifaði, schrieb, schreibt, schreef, geschreven, a écrit,
  escribió, va escriure, escreveu, ha scritto, scrisse, a scris, napisał, napisała, napisał(a), pisze, napsal,
  napsala, napsal(a), napísal, napísala, napísal(a), je napisal, je napisala, je napisal/a, je napisao,
  je napisao/la, napisao je, написао је, пишет, написал, написала, написал(а), пише, написав, написав(ла),
  написа, kirjutas, rakstīja, rašė, parašė, ezt írta, írta, έγραψε, yazdı, şunu yazdı, כתב, כתבה, كتب
`);

/**
 * “said”, “answered” and similar words in such a line, from programs and people that use them. In lower case, compared as
 * whole words.
 */
export const saidWords = phrases(`
  said, says, replied, responded, answered, commented, posted, asked, reported, noted, sade, sa, säger, svarade,
  svarar, frågade, meddelade, skriver, sier, svarte, svarer, spurte, meldte, sagde, siger, svarede, spurgte,
  meddelte, sanoi, sanoo, vastasi, vastaa, kysyi, sagði, svaraði, sagte, sagt, antwortete, meinte, hat gesagt,
  hat geschrieben, fragte, meldete, zei, zegt, heeft gezegd, antwoordde, vroeg, meldde, a dit, a répondu, écrit,
  écrivait, dit, répond, dijo, ha dicho, respondió, contestó, ha escrito, escribe, va dir, va respondre, ha dit,
  disse, respondeu, escreve, ha detto, ha risposto, rispose, scrive, dice, a spus, a răspuns, scrie, powiedział,
  powiedziała, powiedział(a), odpisał, odpisała, odpisał(a), odpowiedział, odpowiedziała, odpowiedział(a), řekl,
  řekla, řekl(a), odpověděl, odpověděla, odpověděl(a), píše, povedal, povedala, povedal(a), odpovedal,
  odpovedala, odpovedal(a), je rekel, je rekla, je dejal, je odgovoril, pravi, je rekao, je rekla, rekao je,
  kaže, је рекао, сказал, сказала, сказал(а), ответил, ответила, ответил(а), говорит, сказав, сказала,
  відповів, відповіла, пише, каза, отговори, mondta, válaszolta, ütles, vastas, teica, atbildēja, raksta,
  pasakė, atsakė, sakė, rašo, είπε, απάντησε, γράφει, dedi, cevapladı, yanıtladı, אמר, אמרה, ענה, قال,
  قالت
`);

/** Like `wroteWords`, for languages without spaces between words. */
export const wroteSigns = phrases(`
  写道, 寫道, のメール, のメッセージ, 님이 작성, 작성
`);

/** Like `saidWords`, for such languages. They count only above text that is marked as quoted. */
export const saidSigns = phrases(`
  说, 說, 回复, 回覆, さんは書きました, は書きました, さんの発言, 님이 말했습니다, 님이 썼습니다
`);

/** Beginnings of a line above a quotation that starts with the date. In lower case, with the trailing space. */
export const dateOpeners = phrases(`
  on, den, på, am, le, el, il, in data, op, em, w dniu, dnia, dne, dňa, pe, în, pe data, στις, у, в
`).map((phrase) => `${phrase} `);

/** The phrases between hyphens above an answered e-mail, in lower case. */
export const originalPhrases = phrases(`
  original message, original mail, original-nachricht, ursprungligt meddelande, originalmeddelande,
  opprinnelig melding, original melding, original meddelelse, oprindelig meddelelse, oprindelig besked,
  alkuperäinen viesti, upprunaleg skilaboð, ursprüngliche nachricht, ursprüngliche mail, originalnachricht,
  oorspronkelijk bericht, message original, message d'origine, message d’origine, mensaje original,
  missatge original, mensagem original, messaggio originale, mesaj original, wiadomość oryginalna,
  oryginalna wiadomość, wiadomość pierwotna, původní zpráva, pôvodná správa, izvirno sporočilo,
  izvorna poruka, originalna poruka, eredeti üzenet, algsõnum, algne kiri, sākotnējais ziņojums,
  pradinis laiškas, исходное сообщение, оригинальное сообщение, вихідне повідомлення, оригинално съобщение,
  αρχικό μήνυμα, orijinal mesaj, özgün ileti, 原始邮件, 原始郵件, 元のメッセージ, 원본 메시지
`);

/** The same phrases above a forwarded e-mail. */
export const forwardPhrases = phrases(`
  forwarded message, forwarded by, vidarebefordrat meddelande, vidarebefordrat brev, videresendt melding,
  videresendt meddelelse, videresendt besked, välitetty viesti, edelleenlähetetty viesti, áframsent skeyti,
  weitergeleitete nachricht, weitergeleitete mail, doorgestuurd bericht, message transféré, message réexpédié,
  mensaje reenviado, missatge reenviat, mensagem encaminhada, mensagem reencaminhada, messaggio inoltrato,
  mesaj redirecționat, wiadomość przekazana dalej, przekazana wiadomość, treść przekazanej wiadomości,
  přeposlaná zpráva, preposlaná správa, posredovano sporočilo, proslijeđena poruka, továbbított üzenet,
  edastatud kiri, pārsūtītais ziņojums, persiųstas laiškas, пересылаемое сообщение, переслане повідомлення,
  препратено съобщение, προωθημένο μήνυμα, iletilen mesaj, 转发的邮件, 轉寄郵件, 転送されたメッセージ, 전달된 메시지
`);

/** The lines that Apple Mail writes above a forwarded e-mail, without hyphens and with a colon. */
export const appleForwardPhrases = phrases(`
  begin forwarded message, vidarebefordrat brev, start på videresendt melding, videresendt melding,
  start på videresendt besked, välitetty viesti alkaa, anfang der weitergeleiteten nachricht,
  begin doorgestuurd bericht, début du message réexpédié, début du message transféré,
  inicio del mensaje reenviado, início da mensagem encaminhada, início da mensagem reencaminhada,
  inizio messaggio inoltrato, początek przekazywanej wiadomości, přeposlaná zpráva, továbbított levél kezdete,
  начало переадресованного сообщения
`);

/** The header that Outlook and others copy above an answered e-mail. In lower case, without the colon. */
export const headerLabels = {
  from: phrases(`
    from, från, fra, frá, lähettäjä, von, van, de, da, od, odesílatel, odosielateľ, feladó, de la, saatja, no,
    nuo, от, від, από, kimden, gönderen, pošiljatelj, šalje, 发件人, 寄件者, 差出人, 보낸 사람
  `),
  sent: phrases(`
    sent, date, skickat, datum, sendt, dato, lähetetty, päivämäärä, päiväys, gesendet, verzonden, envoyé,
    message du, enviado, enviado el, enviado em, enviada em, fecha, data, inviato, trimis, wysłano, odesláno,
    odoslané, dátum, poslano, elküldve, saadetud, saatmisaeg, kuupäev, nosūtīts, išsiųsta, отправлено, дата,
    надіслано, изпратено, στάλθηκε, ημερομηνία, gönderildi, tarih, dags, sent, 发送时间, 日期, 送信日時, 日付, 보낸 날짜, 날짜
  `),
  to: phrases(`
    to, till, til, vastaanottaja, an, aan, à, a, para, către, do, komu, za, prima, címzett, adressaat,
    kellele, kam, кому, до, προς, kime, alıcı, 收件人, 收件者, 宛先, 받는 사람
  `),
  subject: phrases(`
    subject, ämne, emne, efni, aihe, betreff, onderwerp, objet, sujet, asunto, assunto, assumpte, oggetto,
    subiect, temat, předmět, predmet, zadeva, tárgy, teema, tēma, tema, тема, θέμα, konu, 主题, 主旨, 件名, 제목
  `),
};

/** Beginnings of a line that a phone or a program adds on its own. In lower case. */
export const sentFromOpenings = phrases(`
  sent from, sent via, sent using, sent with, get outlook, download outlook, skickat från, skickades från,
  skickat med, skickat via, hämta outlook, skaffa outlook, sendt fra, sendt via, sendt med, skaff deg outlook,
  hent outlook, få outlook, last ned outlook, lähetetty, hanki outlook, sent úr, gesendet von, gesendet mit,
  gesendet über, holen sie sich outlook, outlook für, laden sie outlook, verstuurd vanaf, verzonden vanaf,
  verzonden via, verzonden met, outlook voor, download outlook, envoyé de, envoyé à partir, envoyé avec,
  télécharger outlook, obtenir outlook, obtenez outlook, enviado desde, enviado de, enviado do,
  enviado a partir, enviado com, enviado con, enviado via, enviat des, obtener outlook, descargar outlook,
  obter o outlook, baixar o outlook, inviato da, inviato con, ottieni outlook, scarica outlook, trimis de pe,
  trimis din, obțineți outlook, wysłane z, wysłano z, wysłane przy, pobierz outlook,
  pobierz aplikację outlook, uzyskaj outlook, odesláno z, odoslané z, získat outlook, získať outlook,
  poslano z, poslano iz, poslano s, saadetud minu, nosūtīts no, išsiųsta iš, отправлено, надіслано з,
  изпратено от, στάλθηκε από, 发自我的, 從我的
`);

/** Beginnings and endings of such lines in languages where the verb comes last. In lower case. */
export const sentFromEndings: readonly (readonly [opening: string, ending: string])[] = [
  ['von ', ' gesendet'],
  ['mit ', ' gesendet'],
  ['diese nachricht wurde ', ' gesendet'],
  ['diese mail wurde ', ' gesendet'],
  ['', 'készülékemről küldve'],
  ['', '-omról küldve'],
  ['', '-emről küldve'],
  ['', 'umdan gönderildi'],
  ['', 'imden gönderildi'],
  ['', 'から送信'],
  ['', '에서 보냄'],
];

/** Both require one of these words, so that “Sent from the warehouse” is kept. In lower case. */
export const deviceWords = phrases(`
  iphon, ipad, ipod, ios, apple, outlook, mail, samsung, galaxy, android, huawei, xiaomi, redmi, oneplus,
  google, nokia, sony, xperia, motorola, blackberry, windows, yahoo, aol, gmx, web.de, proton, tuta, airmail,
  thunderbird, mobil, móvil, mobiel, komórk, telefon, telefoon, téléphone, teléfono, puhelin, phone, handy,
  tablet, surfplatta, my pixel, min pixel, meinem pixel, mon pixel, mi pixel, mijn pixel, телефон, typeapp,
  bluemail, blue mail, mymail, wiko
`);

/** Prefixes of the subject of an answered e-mail. In lower case, like everything below. No other subjects begin this way. */
export const replyPrefixes = phrases(`
  re, sv, aw, antw, vs, odp, ynt, vá, atb, απ, ответ, отв, відп, отг, 回复, 答复, 回覆, 答覆, 返信, 답장, 回信
`);

/** Prefixes of forwarded e-mails, and prefixes of replies with which alarms may begin too. */
export const followUpPrefixes = phrases(`
  fw, fwd, vb, wg, vl, tr, rv, enc, pd, doorst, i, r, rif, ref, res, továbbítás, tov, továbbítva, fs, fremsendt,
  vidarebefordrat, videresend, videresendt, videresending, videre, ilt, i̇lt, ilet, trs, prep, προθ, πρθ, вн, на, пер,
  fyi, rvs, rép, ent, 转发, 轉寄, 轉發, 転送, 전달, השב, הועבר, رد, إعادة توجيه
`);

/**
 * Prefixes that automatic absence replies put before the subject. Words for absence and holidays alone are excluded, because
 * a hospital ward uses them to report somebody's absence.
 */
export const absencePhrases = phrases(`
  automatic reply, automatic response, auto reply, auto-reply, autoreply, auto response, auto-response,
  autoresponse, autoresponder, out of office, out of the office, out-of-office, out of office autoreply,
  out of office reply, absence note, automatiskt svar, automatsvar, autosvar, auto-svar, frånvaromeddelande,
  ej på kontoret, automatisk svar, automatisk svarmelding, fraværsmelding, fraværsmeddelelse, fraværsbesked,
  ikke på kontoret, fråværsmelding, automaattinen vastaus, automaattivastaus, poissaoloviesti,
  poissaoloilmoitus, sjálfvirkt svar, sjálfvirk svörun, automatische antwort, automatische rückantwort,
  abwesenheitsnotiz, abwesenheitsnachricht, abwesenheitsmeldung, automatisch antwoord,
  automatische beantwoording, automatische reactie, afwezigheidsbericht, réponse automatique, réponse auto,
  absence du bureau, absent du bureau, message d'absence, message d’absence, avis d'absence, avis d’absence,
  respuesta automática, autorespuesta, fuera de la oficina, fuera de oficina, resposta automàtica,
  fora de l'oficina, fora de l’oficina, resposta automática, ausência temporária, fora do escritório,
  risposta automatica, fuori sede, fuori ufficio, răspuns automat, absent de la birou,
  automatyczna odpowiedź, odpowiedź automatyczna, autoodpowiedź, poza biurem, automatická odpověď,
  mimo kancelář, automatická odpoveď, mimo kancelárie, samodejni odgovor, automatski odgovor,
  аутоматски одговор, automatikus válasz, házon kívül, automaatvastus, automaatne vastus, kontorist väljas,
  automātiska atbilde, automātiskā atbilde, automatinis atsakymas, automatinis atsakas, автоматический ответ,
  автоответ, автоответчик, нет на работе, автоматична відповідь, автовідповідь, автоматичен отговор,
  αυτόματη απάντηση, εκτός γραφείου, otomatik yanıt, otomatik cevap, ofis dışında, תשובה אוטומטית,
  מענה אוטומטי, מחוץ למשרד, رد تلقائي, الرد التلقائي, خارج المكتب, 自动答复, 自动回复, 自動回覆, 自動答覆, 自動応答, 自動返信, 자동 회신,
  자동 응답
`);
