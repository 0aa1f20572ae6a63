/** How subjects begin that programs write by themselves, in the languages that `reply-phrases.ts` knows. In lower case. */

/** With commas between them. */
function phrases(text: string): readonly string[] {
  return text.split(',').map((phrase) => phrase.trim());
}

/** In front of the subject that is answered: nobody else begins a subject so. */
export const replyPrefixes = phrases(`
  re, sv, aw, antw, vs, odp, ynt, vá, atb, απ, ответ, отв, відп, отг, 回复, 答复, 回覆, 答覆, 返信, 답장, 回信
`);

/** The same of mails that are passed on, and of answers where the word is one that alarms may begin with too. */
export const followUpPrefixes = phrases(`
  fw, fwd, vb, wg, vl, tr, rv, enc, pd, doorst, i, r, rif, ref, res, továbbítás, tov, továbbítva, fs, fremsendt,
  vidarebefordrat, videresend, videresendt, videresending, videre, ilt, i̇lt, ilet, trs, prep, προθ, πρθ, вн, на, пер,
  fyi, rvs, rép, ent, 转发, 轉寄, 轉發, 転送, 전달, השב, הועבר, رد, إعادة توجيه
`);

/**
 * In front of the subject, by programs that answer for somebody who is away. Not the words for absence and holidays alone: a
 * ward tells of somebody's absence by them.
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
